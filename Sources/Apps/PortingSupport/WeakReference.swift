// swift-iap2 · Apache-2.0

import Synchronization

/// A weak reference that may be read and set on any thread.
package final class WeakReference: Sendable {
  /// Invariant for `@unchecked Sendable`: the value is used under the lock only.
  private struct Box: @unchecked Sendable {
    weak var value: AnyObject?
  }

  private let box: Mutex<Box>

  package init(_ value: AnyObject? = nil) {
    let first = Box(value: value)
    box = Mutex(first)
  }

  /// The object; nil after it was released.
  package var value: AnyObject? {
    get { box.withLock { Box(value: $0.value) }.value }
    set {
      let next = Box(value: newValue)
      box.withLock { $0 = next }
    }
  }
}
