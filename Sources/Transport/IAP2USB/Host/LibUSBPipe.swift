// swift-iap2 · Apache-2.0

import IAP2Transport

#if USB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// What a carriage takes and brings as a stream of bytes.
  ///
  /// Several reads are under way at any time, so that the device never finds nobody listening; where transfers begin
  /// and end means nothing. When the reader stays behind, finished reads are kept back until it has caught up.
  ///
  /// libusb logs to the device's context even when it frees a transfer, so that the pipe keeps the device open until its
  /// last one is freed; transfers are made, submitted and freed under the lock.
  final class LibUSBPipe: Sendable {
    private struct State {
      /// Transfers that are not freed yet.
      var transferCount = 0
      /// Keeps the device open.
      var hasEntered = false
      /// Reads that wait until there is room.
      var keptBack: [LibUSBTransfer] = []
      var writer: CheckedContinuation<TransportError?, Never>?
      /// Transfers of the write that are not back yet.
      var writeCount = 0
      /// Nothing is submitted any more.
      var isEnding = false
      var failure: TransportError?
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// Reads under way, and bytes of each: a multiple of every packet size, so that no transfer overflows.
    private static let readCount = 4
    private static let readByteCount = 1 << 16

    let device: LibUSBDevice
    private let carriage: Carriage
    private let inbox = Inbox()
    private let state = Mutex(State())
    /// Told once, on the device's thread mostly, that it is over by itself, and why.
    private let onFailure: @Sendable (TransportError) -> Void

    init(_ carriage: Carriage, of device: LibUSBDevice, onFailure: @escaping @Sendable (TransportError) -> Void) {
      self.carriage = carriage
      self.device = device
      self.onFailure = onFailure
    }

    func start() {
      let byteCount = carriage.readByteCount(atMost: Self.readByteCount)
      let refusal = state.withLock { state -> TransportError? in
        guard !state.isEnding else { return nil }
        guard device.enter() else { return device.endReason ?? .closed }
        state.hasEntered = true
        state.transferCount += Self.readCount
        let reads = (0..<Self.readCount).map { _ in
          LibUSBTransfer(carriage.toHost, byteCount: byteCount, handle: device.handle, owner: device)
        }
        return submit(reads, &state)
      }
      if let refusal { end(refusal) }
    }

    // MARK: The stream

    func receive() async throws(TransportError) -> [UInt8]? {
      let bytes = try await inbox.take()
      let refusal = state.withLock { state in
        // At the end they were freed.
        let waiting = state.keptBack
        state.keptBack = []
        return submit(waiting, &state)
      }
      if let refusal { end(refusal) }
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

    private func write(_ bytes: [UInt8]) async -> TransportError? {
      await withCheckedContinuation { (continuation: CheckedContinuation<TransportError?, Never>) in
        let (isEnding, refusal) = state.withLock { state -> (Bool, TransportError?) in
          guard !state.isEnding else { return (true, nil) }
          let transfers = carriage.transfers(bytes, handle: device.handle, owner: device)
          state.writer = continuation
          state.writeCount = transfers.count
          state.transferCount += transfers.count
          return (false, submit(transfers, &state))
        }
        if isEnding { return continuation.resume(returning: .closed) }
        guard let refusal else { return }
        end(refusal)
        wrote(.closed)
      }
    }

    /// Hands transfers to the device in their order. What it does not take is freed, and whatever follows.
    ///
    /// - Returns: why the first was not taken; then the pipe has to end.
    private func submit(_ transfers: [LibUSBTransfer], _ state: inout State) -> TransportError? {
      var refusal: TransportError?
      for transfer in transfers {
        refusal = refusal ?? device.submit(transfer, of: self)
        if refusal != nil { free(transfer, &state) }
      }
      return refusal
    }

    private func free(_ transfer: LibUSBTransfer, _ state: inout State) {
      transfer.free()
      state.transferCount -= 1
    }

    /// Called on the device's thread for each transfer that came back.
    func finished(_ transfer: LibUSBTransfer) {
      if transfer.isToHost, transfer.isDone {
        let hasRoom = transfer.withBytes { $0.byteCount == 0 || carriage.hand($0, to: inbox) }
        let refusal = state.withLock { state -> TransportError? in
          guard !state.isEnding else {
            free(transfer, &state)
            return nil
          }
          if hasRoom { return submit([transfer], &state) }
          state.keptBack.append(transfer)
          return nil
        }
        if let refusal { end(refusal) }
      } else {
        // A device need not end what it sent by a short packet.
        if transfer.isToHost { transfer.withBytes { if $0.byteCount > 0 { _ = carriage.hand($0, to: inbox) } } }
        let failure = transfer.failure(address: device.address)
        // Before the writer hears of it: whoever it tells closes, and then nobody would know why.
        if !transfer.isDone { end(failure ?? device.endReason) }
        if !transfer.isToHost { wrote(transfer.isDone ? nil : failure ?? .closed) }
        state.withLock { free(transfer, &$0) }
      }
      // Last: once no transfer is left the pipe is over.
      finishWhenIdle()
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

    /// The first call says why; nil where it was wanted.
    func end(_ failure: TransportError?) {
      let isFirst = state.withLock { state in
        guard !state.isEnding else { return false }
        state.isEnding = true
        state.failure = failure
        for transfer in state.keptBack { free(transfer, &state) }
        state.keptBack = []
        return true
      }
      guard isFirst else { return }
      device.cancel(self)
      if let failure { onFailure(failure) }
      finishWhenIdle()
    }

    private func finishWhenIdle() {
      let ended = state.withLock { state -> ([CheckedContinuation<Void, Never>], Bool)? in
        guard state.isEnding, !state.isOver, state.transferCount == 0 else { return nil }
        state.isOver = true
        defer { state.closers = [] }
        return (state.closers, state.hasEntered)
      }
      guard let (closers, hasEntered) = ended else { return }
      inbox.finish(state.withLock { $0.failure })
      if hasEntered { device.leave() }
      for closer in closers { closer.resume() }
    }
  }
#endif
