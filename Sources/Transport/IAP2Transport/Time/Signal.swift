// swift-iap2 · Apache-2.0

import Synchronization

/// A signal that wakes one waiting task. A notification without a waiting task is kept for the next `wait`.
/// Cancellation of the task counts as a notification.
package final class Signal: Sendable {
  private struct State {
    var isSet = false
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())

  /// Creates a signal without a pending notification.
  package init() {}

  /// Wakes the waiting task, or keeps one notification for the next `wait`.
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

  /// Returns after a notification. Only one task may wait at a time.
  package func wait() async {
    await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
        let displaced = state.withLock { state -> CheckedContinuation<Void, Never>? in
          if state.isSet {
            state.isSet = false
            return continuation
          }
          // A second waiter breaks the contract. It releases the first one, which would otherwise hang.
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
