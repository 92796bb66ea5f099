// swift-iap2 · Apache-2.0

#if USB
  import IAP2
  import IAP2Runtime
  import Synchronization

  /// A bulk pair as a stream of bytes.
  ///
  /// Several reads are under way at any time, so that the accessory never finds nobody listening; where transfers begin
  /// and end means nothing. When the reader stays behind, finished reads are kept back until it has caught up.
  final class LibUSBPipe: Sendable {
    private struct State {
      /// Transfers that are not back yet.
      var underWayCount = 0
      /// Reads that wait until there is room.
      var keptBack: [LibUSBTransfer] = []
      var writer: CheckedContinuation<TransportError?, Never>?
      /// Nothing is submitted any more.
      var isEnding = false
      var failure: TransportError?
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// Reads under way, and bytes of each: a multiple of every packet size, so that no transfer overflows.
    private static let readCount = 4
    private static let readByteCount = 1 << 14

    let device: LibUSBDevice
    private let bulk: USBBulkPair
    private let inbox = Inbox()
    private let state = Mutex(State())
    /// Told once, on the device's thread mostly, that it is over by itself, and why.
    private let onFailure: @Sendable (TransportError) -> Void

    init(_ bulk: USBBulkPair, of device: LibUSBDevice, onFailure: @escaping @Sendable (TransportError) -> Void) {
      self.bulk = bulk
      self.device = device
      self.onFailure = onFailure
    }

    func start() {
      for _ in 0..<Self.readCount {
        read(with: LibUSBTransfer(bulk.toHost, byteCount: Self.readByteCount, handle: device.handle, owner: device))
      }
    }

    // MARK: The stream

    func receive() async throws(TransportError) -> [UInt8]? {
      let bytes = try await inbox.take()
      let waiting = state.withLock { state in
        guard !state.isEnding else { return [] as [LibUSBTransfer] }
        defer { state.keptBack = [] }
        return state.keptBack
      }
      for transfer in waiting { read(with: transfer) }
      return bytes
    }

    func send(_ bytes: [UInt8]) async throws(TransportError) {
      guard !bytes.isEmpty else { return }
      let failure = await withTaskCancellationHandler {
        await write(bytes)
      } onCancel: {
        end(nil)
      }
      if let failure { throw failure }
    }

    /// Ends it and returns when no transfer is under way any more; what was read stays to be taken.
    func close() async {
      end(nil)
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let isOver = state.withLock { state in
          if !state.isOver { state.closers.append(continuation) }
          return state.isOver
        }
        if isOver { continuation.resume() }
      }
    }

    // MARK: Transfers

    private func read(with transfer: LibUSBTransfer) {
      guard !submit(transfer) else { return }
      transfer.free()
      end(device.endReason ?? .unplugged(address: device.address))
    }

    /// In one transfer, which libusb splits as the system likes.
    private func write(_ bytes: [UInt8]) async -> TransportError? {
      await withCheckedContinuation { (continuation: CheckedContinuation<TransportError?, Never>) in
        let transfer = LibUSBTransfer(bulk.toDevice, byteCount: bytes.count, handle: device.handle, owner: device)
        transfer.fill(bytes)
        state.withLock { $0.writer = continuation }
        guard !submit(transfer) else { return }
        transfer.free()
        end(device.endReason ?? .unplugged(address: device.address))
        resumeWriter(.closed)
      }
    }

    private func submit(_ transfer: LibUSBTransfer) -> Bool {
      state.withLock { state in
        guard !state.isEnding, device.submit(transfer, of: self) else { return false }
        state.underWayCount += 1
        return true
      }
    }

    /// Called on the device's thread for each transfer that came back.
    func finished(_ transfer: LibUSBTransfer) {
      let failure = transfer.failure(address: device.address)
      if transfer.isToHost, transfer.isDone {
        let hasRoom = transfer.withBytes { $0.byteCount == 0 || inbox.append($0) }
        let goesOn = state.withLock { state in
          if !hasRoom, !state.isEnding { state.keptBack.append(transfer) }
          return !state.isEnding
        }
        if goesOn, hasRoom { read(with: transfer) }
        if !goesOn { transfer.free() }
      } else {
        // A device need not end what it sent by a short packet.
        if transfer.isToHost { transfer.withBytes { if $0.byteCount > 0 { _ = inbox.append($0) } } }
        // Before the writer hears of it: whoever it tells closes, and then nobody would know why.
        if let failure = failure ?? (transfer.isCancelled ? device.endReason : nil) { end(failure) }
        if !transfer.isToHost { resumeWriter(transfer.isDone ? nil : failure ?? .closed) }
        transfer.free()
      }
      // Last: once no transfer is under way the pipe is over.
      cameBack()
    }

    private func resumeWriter(_ failure: TransportError?) {
      let writer = state.withLock { state in
        defer { state.writer = nil }
        return state.writer
      }
      writer?.resume(returning: failure)
    }

    // MARK: The end

    /// The first call says why; nil where it was wanted.
    func end(_ failure: TransportError?) {
      let (isFirst, kept) = state.withLock { state -> (Bool, [LibUSBTransfer]) in
        guard !state.isEnding else { return (false, []) }
        state.isEnding = true
        state.failure = failure
        defer { state.keptBack = [] }
        return (true, state.keptBack)
      }
      guard isFirst else { return }
      for transfer in kept { transfer.free() }
      device.cancel(self)
      if let failure { onFailure(failure) }
      finishWhenIdle()
    }

    private func cameBack() {
      state.withLock { $0.underWayCount -= 1 }
      finishWhenIdle()
    }

    private func finishWhenIdle() {
      let closers = state.withLock { state -> [CheckedContinuation<Void, Never>]? in
        guard state.isEnding, !state.isOver, state.underWayCount == 0 else { return nil }
        state.isOver = true
        defer { state.closers = [] }
        return state.closers
      }
      guard let closers else { return }
      inbox.finish(state.withLock { $0.failure })
      for closer in closers { closer.resume() }
    }
  }
#endif
