// swift-iap2 · Apache-2.0

import Synchronization

/// Wakes one waiting task; a signal nobody waits for is kept for the next. Cancellation wakes as a signal does.
package final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  package init() {}

  package func notify() {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let waiter = state.waiter else {
        state.isSet = true
        return nil
      }
      state.waiter = nil
      return waiter
    }
    waiter?.resume()
  }

  package func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let displaced = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if state.isSet {
            state.isSet = false
            return continuation
          }
          // One waiter at a time is the contract; a second one lets the first go rather than hang.
          let first = state.waiter
          state.waiter = continuation
          return first
        }
        displaced?.resume()
      }
    } onCancel: {
      notify()
    }
  }
}
