// swift-iap2 · Apache-2.0

import IAP2Transport

#if USB
  import CLibUSB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// An open device, and the thread that waits for its transfers and handles their completion.
  ///
  /// All pipes share one thread, so that bytes of different pipes are handled in the order in which the device sent
  /// them.
  ///
  /// Invariant for `@unchecked`: `handle` is set once. The thread closes it when no transfer is in flight and no user
  /// is left. All mutable state is in `state`.
  final class LibUSBDevice: @unchecked Sendable {
    private struct State {
      /// Transfers that were submitted and have not completed.
      var underWay: [LibUSBTransfer: LibUSBPipe] = [:]
      /// The number of users of the handle: pipes with transfers, and calls on other threads.
      var userCount = 0
      /// Whether either side has ended the device. No transfer is submitted from then on.
      var isEnding = false
      var failure: TransportError?
      var isOver = false
      var closers: [CheckedContinuation<Void, Never>] = []
    }

    let handle: LibUSBHandle
    let address: String
    private let state = Mutex(State())
    private let onEnd: @Sendable (TransportError?) -> Void

    init(_ handle: LibUSBHandle, address: String, onEnd: @escaping @Sendable (TransportError?) -> Void) {
      self.handle = handle
      self.address = address
      self.onEnd = onEnd
      startThread(usbThread) { self.work() }
    }

    // MARK: Transfers

    /// Submits a transfer.
    ///
    /// - Returns: The reason why the transfer was not submitted: the device has ended, or it refused the transfer. Nil
    ///   on success.
    func submit(_ transfer: LibUSBTransfer, of pipe: LibUSBPipe) -> TransportError? {
      state.withLock { state in
        if state.isEnding { return state.failure ?? .closed }
        if let refusal = transfer.submit(address: address) { return refusal }
        state.underWay[transfer] = pipe
        return nil
      }
    }

    /// Handles a completed transfer. Called on the device's thread.
    func finished(_ transfer: LibUSBTransfer) {
      let pipe = state.withLock { $0.underWay.removeValue(forKey: transfer) }
      pipe?.finished(transfer)
    }

    /// Cancels the transfers of a pipe. They complete soon after.
    func cancel(_ pipe: LibUSBPipe) {
      state.withLock { state in
        for (transfer, owner) in state.underWay where owner === pipe { transfer.cancel() }
      }
    }

    // MARK: The end

    /// Keeps the handle open until `leave`. Returns false if the device has ended.
    func enter() -> Bool {
      state.withLock { state in
        guard !state.isEnding else { return false }
        state.userCount += 1
        return true
      }
    }

    func leave() {
      state.withLock { state in
        state.userCount -= 1
        unsafe libusb_interrupt_event_handler(handle.context)
      }
    }

    /// The reason why nothing can be submitted; nil while transfers are accepted.
    var endReason: TransportError? { state.withLock { $0.isEnding ? $0.failure ?? .closed : nil } }

    /// Ends the device. Only the first call sets the reason; nil means that the device was closed.
    func end(_ failure: TransportError?) {
      state.withLock { state in
        guard !state.isEnding else { return }
        state.isEnding = true
        state.failure = failure
        // The lock is needed: once the thread has seen the end, it frees the context.
        unsafe libusb_interrupt_event_handler(handle.context)
      }
    }

    /// Ends the device. Returns when the handle is closed.
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

    /// Handles transfers until the end, then closes the handle. This is the body of the device's thread.
    private func work() {
      var isCancelled = false
      while true {
        let (isEnding, isIdle) = state.withLock { state in
          if state.isEnding, !isCancelled {
            for transfer in state.underWay.keys { transfer.cancel() }
            isCancelled = true
          }
          return (state.isEnding, state.underWay.isEmpty && state.userCount == 0)
        }
        if isEnding, isIdle { break }
        unsafe libusb_handle_events_completed(handle.context, nil)
      }
      handle.close()
      onEnd(state.withLock { $0.failure })
      let closers = state.withLock { state in
        state.isOver = true
        defer { state.closers = [] }
        return state.closers
      }
      for closer in closers { closer.resume() }
    }
  }
#endif
