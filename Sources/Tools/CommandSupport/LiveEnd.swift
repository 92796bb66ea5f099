// swift-iap2 · Apache-2.0

import IAP2Transport
import Synchronization

/// A signal that a live session has nothing left to do.
package final class LiveEnd: Sendable {
  private let state = Mutex(false)
  private let reached = Signal()

  package init() {}

  package var isReached: Bool { state.withLock { $0 } }

  package func reach() {
    state.withLock { $0 = true }
    reached.notify()
  }

  /// Waits for the signal, or for cancellation. Only one task may wait.
  package func wait() async { await reached.wait() }
}
