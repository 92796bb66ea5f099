// swift-iap2 · Apache-2.0

#if USB
  import CLibUSB
  import IAP2
  import IAP2Runtime
  import Synchronization

  /// An accessory's bulk pair, or a phone's reports, as a stream of bytes, through libusb.
  ///
  /// A thread of its own waits for transfers and runs what follows them. Several reads are under way at any time, so that
  /// the accessory never finds nobody listening; where transfers begin and end means nothing. When the reader stays
  /// behind, finished reads are kept back until it has caught up.
  ///
  /// Invariant for `@unchecked`: `handle` is set once, and closed by the thread when no transfer is under way any more;
  /// everything that changes is in `state`.
  final class LibUSBTransport: ByteTransport, @unchecked Sendable {
    private struct State {
      /// Submitted and not yet back.
      var underWay: Set<LibUSBTransfer> = []
      /// Reads that wait until there is room.
      var keptBack: [LibUSBTransfer] = []
      var writer: CheckedContinuation<TransportError?, Never>?
      /// Transfers of the write that is under way.
      var writeCount = 0
      /// Set as soon as it ends, by whichever side; then nothing is submitted any more.
      var isEnding = false
      var failure: TransportError?
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// Reads under way, and bytes of each: a multiple of every packet size, so that no transfer overflows.
    private static let readCount = 4
    private static let readByteCount = 1 << 14

    private let handle: LibUSBHandle
    private let carriage: Carriage
    private let inbox = Inbox()
    private let state = Mutex(State())
    private let onEnd: @Sendable (TransportError?) -> Void
    let address: String

    init(
      _ handle: LibUSBHandle, _ carriage: Carriage, address: String,
      onEnd: @escaping @Sendable (TransportError?) -> Void
    ) {
      self.onEnd = onEnd
      self.handle = handle
      self.carriage = carriage
      self.address = address
      for _ in 0..<Self.readCount {
        read(
          with: LibUSBTransfer(
            carriage.toHost, byteCount: carriage.readByteCount(atMost: Self.readByteCount), handle: handle, owner: self)
        )
      }
      startThread { self.work() }
    }

    // MARK: The stream

    func receive() async throws(TransportError) -> [UInt8]? {
      let bytes = try await inbox.take()
      let isRefused = state.withLock { state in
        // At the end the thread gives them back.
        guard !state.isEnding else { return false }
        let waiting = state.keptBack
        state.keptBack = []
        return waiting.count { !Self.submit($0, &state) } > 0
      }
      if isRefused { end(.unplugged(address: address)) }
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

    /// On the thread, or before it has begun.
    private func read(with transfer: LibUSBTransfer) {
      let isTaken = state.withLock { state in
        guard state.isEnding else { return Self.submit(transfer, &state) }
        transfer.free()
        return false
      }
      if !isTaken { end(.unplugged(address: address)) }
    }

    private func write(_ bytes: [UInt8]) async -> TransportError? {
      await withCheckedContinuation { (continuation: CheckedContinuation<TransportError?, Never>) in
        var isRefused = false
        let isEnding = state.withLock { state in
          guard !state.isEnding else { return true }
          let transfers = carriage.transfers(bytes, handle: handle, owner: self)
          state.writer = continuation
          state.writeCount = transfers.count
          for transfer in transfers {
            if isRefused { transfer.free() } else { isRefused = !Self.submit(transfer, &state) }
          }
          return false
        }
        if isEnding { return continuation.resume(returning: .closed) }
        guard isRefused else { return }
        end(.unplugged(address: address))
        wrote(.closed)
      }
    }

    /// Under the lock and before the end, after which the thread closes what a transfer needs even to be freed. False when
    /// the device did not take it; then it is gone.
    private static func submit(_ transfer: LibUSBTransfer, _ state: inout State) -> Bool {
      guard transfer.submit() else {
        transfer.free()
        return false
      }
      state.underWay.insert(transfer)
      return true
    }

    /// Called on the thread for each transfer that came back.
    func finished(_ transfer: LibUSBTransfer) {
      _ = state.withLock { $0.underWay.remove(transfer) }
      let failure = transfer.failure(address: address)
      if transfer.isToHost, transfer.isDone {
        let hasRoom = transfer.withBytes { $0.byteCount == 0 || carriage.hand($0, to: inbox) }
        if hasRoom { return read(with: transfer) }
        return state.withLock { $0.keptBack.append(transfer) }
      }
      // Before the writer hears of it: whoever it tells closes, and then nobody would know why.
      if let failure { end(failure) }
      if !transfer.isToHost { wrote(transfer.isDone ? nil : failure ?? .closed) }
      transfer.free()
    }

    /// A transfer of a write is over; the writer hears of the last, and of the first that failed.
    private func wrote(_ failure: TransportError?) {
      let writer = state.withLock { state -> CheckedContinuation<TransportError?, Never>? in
        state.writeCount -= 1
        guard failure != nil || state.writeCount == 0 else { return nil }
        defer { state.writer = nil }
        return state.writer
      }
      writer?.resume(returning: failure)
    }

    // MARK: The end

    /// The first call says why.
    private func end(_ failure: TransportError?) {
      state.withLock { state in
        guard !state.isEnding else { return }
        state.isEnding = true
        state.failure = failure
        // Under the lock: once the thread has seen the end, the context goes.
        unsafe libusb_interrupt_event_handler(handle.context)
      }
    }

    /// The thread's work: waits for transfers until it is over, then gives everything back.
    private func work() {
      var isCancelled = false
      while true {
        let (isEnding, transfers) = state.withLock { ($0.isEnding, $0.underWay) }
        if isEnding, transfers.isEmpty { break }
        if isEnding, !isCancelled {
          for transfer in transfers { transfer.cancel() }
          isCancelled = true
        }
        unsafe libusb_handle_events_completed(handle.context, nil)
      }
      let (kept, failure) = state.withLock { state in
        defer { state.keptBack = [] }
        return (state.keptBack, state.failure)
      }
      for transfer in kept { transfer.free() }
      handle.close()
      onEnd(failure)
      inbox.finish(failure)
      let closers = state.withLock { state in
        state.isOver = true
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
  }
#endif
