// swift-iap2 · Apache-2.0

import IAP2Transport

#if USB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// A byte stream on the endpoints of a link.
  ///
  /// Several reads are always in flight, so that the device can send at any time. Transfer boundaries have no meaning.
  /// If the reader falls behind, completed reads are kept back until it has caught up.
  ///
  /// libusb logs to the device's context even when it frees a transfer. So the pipe keeps the device open until its
  /// last transfer is freed. Transfers are created, submitted and freed under the lock.
  final class LibUSBPipe: Sendable {
    private struct State {
      /// The number of transfers that are not freed.
      var transferCount = 0
      /// Whether the pipe keeps the device open.
      var hasEntered = false
      /// Completed reads that are submitted again once the inbox has room.
      var keptBack: [LibUSBTransfer] = []
      var writer: CheckedContinuation<TransportError?, Never>?
      /// The number of transfers of the current write that have not completed.
      var writeCount = 0
      /// Whether the pipe has ended. No transfer is submitted from then on.
      var isEnding = false
      var failure: TransportError?
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    /// The number of reads in flight, and the bytes of each: a multiple of every packet size, so that no transfer
    /// overflows.
    private static let readCount = 4
    private static let readByteCount = 1 << 16

    let device: LibUSBDevice
    private let endpoints: LinkEndpoints
    private let inbox = Inbox()
    private let state = Mutex(State())
    /// Called once, with the reason, if the pipe fails rather than being closed. Mostly called on the device's thread.
    private let onFailure: @Sendable (TransportError) -> Void

    init(_ endpoints: LinkEndpoints, of device: LibUSBDevice, onFailure: @escaping @Sendable (TransportError) -> Void) {
      self.endpoints = endpoints
      self.device = device
      self.onFailure = onFailure
    }

    func start() {
      let byteCount = endpoints.readByteCount(atMost: Self.readByteCount)
      let refusal = state.withLock { state -> TransportError? in
        guard !state.isEnding else { return nil }
        guard device.enter() else { return device.endReason ?? .closed }
        state.hasEntered = true
        state.transferCount += Self.readCount
        let reads = (0..<Self.readCount).map { _ in
          LibUSBTransfer(endpoints.toHost, byteCount: byteCount, handle: device.handle, owner: device)
        }
        return submit(reads, &state)
      }
      if let refusal { end(refusal) }
    }

    // MARK: The stream

    func receive() async throws(TransportError) -> [UInt8]? {
      let bytes = try await inbox.take()
      let refusal = state.withLock { state in
        // After the end this list is empty, because the end has freed the transfers.
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

    /// Ends the pipe and returns when no transfer is in flight. Bytes that were read can still be received.
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
          let transfers = endpoints.transfers(bytes, handle: device.handle, owner: device)
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

    /// Submits transfers in order. Once the device refuses one, it and all following ones are freed.
    ///
    /// - Returns: The reason of the first refusal, after which the pipe must end; nil on success.
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

    /// Handles a completed transfer. Called on the device's thread.
    func finished(_ transfer: LibUSBTransfer) {
      if transfer.isToHost, transfer.isDone {
        let hasRoom = transfer.withBytes { $0.byteCount == 0 || endpoints.hand($0, to: inbox) }
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
        // A device need not end its data with a short packet, so a failed or cancelled read may contain bytes.
        if transfer.isToHost { transfer.withBytes { if $0.byteCount > 0 { _ = endpoints.hand($0, to: inbox) } } }
        let failure = transfer.failure(address: device.address)
        // The end comes before the writer is resumed: the writer closes the pipe on an error, and the reason would be
        // lost.
        if !transfer.isDone { end(failure ?? device.endReason) }
        if !transfer.isToHost { wrote(transfer.isDone ? nil : failure ?? .closed) }
        state.withLock { free(transfer, &$0) }
      }
      // This call comes last: the pipe has ended once no transfer is left.
      finishWhenIdle()
    }

    /// Handles a completed transfer of a write. Resumes the writer after the last one, or at the first failure.
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

    /// Ends the pipe. Only the first call sets the reason; nil means that the end was requested.
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
