// swift-iap2 · Apache-2.0

import IAP2Transport

#if USB
  import CLibUSB
  import IAP2
  import IAP2Transport
  import Synchronization

  /// An opened device, and the thread that waits for its transfers and runs what follows them.
  ///
  /// One thread for all pipes: what the device sent first is there first, also where it went over another pipe.
  ///
  /// Invariant for `@unchecked`: `handle` is set once, and closed by the thread when no transfer is under way and nobody
  /// else uses it; everything that changes is in `state`.
  final class LibUSBDevice: @unchecked Sendable {
    private struct State {
      /// Submitted and not yet back.
      var underWay: [LibUSBTransfer: LibUSBPipe] = [:]
      /// Who uses the handle: pipes for as long as they have transfers, and calls on other threads.
      var userCount = 0
      /// Set as soon as it ends, by whichever side; then nothing is submitted any more.
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
      startThread { self.work() }
    }

    // MARK: Transfers

    /// - Returns: why it was not submitted: the end, or the device did not take it. Nil if it was.
    func submit(_ transfer: LibUSBTransfer, of pipe: LibUSBPipe) -> TransportError? {
      state.withLock { state in
        if state.isEnding { return state.failure ?? .closed }
        if let refusal = transfer.submit(address: address) { return refusal }
        state.underWay[transfer] = pipe
        return nil
      }
    }

    /// Called on the thread for each transfer that came back.
    func finished(_ transfer: LibUSBTransfer) {
      let pipe = state.withLock { $0.underWay.removeValue(forKey: transfer) }
      pipe?.finished(transfer)
    }

    /// The transfers of a pipe come back soon, as far as there are any.
    func cancel(_ pipe: LibUSBPipe) {
      state.withLock { state in
        for (transfer, owner) in state.underWay where owner === pipe { transfer.cancel() }
      }
    }

    // MARK: The end

    /// Keeps the handle open until `leave`; false when it is over.
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

    /// Why nothing can be submitted any more; nil while it can.
    var endReason: TransportError? { state.withLock { $0.isEnding ? $0.failure ?? .closed : nil } }

    /// The first call says why.
    func end(_ failure: TransportError?) {
      state.withLock { state in
        guard !state.isEnding else { return }
        state.isEnding = true
        state.failure = failure
        // Under the lock: once the thread has seen the end, the context goes.
        unsafe libusb_interrupt_event_handler(handle.context)
      }
    }

    /// Returns when everything was given back.
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

    /// The thread's work: waits for transfers until it is over, then gives everything back.
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
