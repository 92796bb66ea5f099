// swift-iap2 · Apache-2.0

@_exported public import UIKit

/// A value that any thread may read and write.
///
/// No object of the app may be released under the lock: its `deinit` may come back here.
///
/// Invariant for `@unchecked Sendable`: the value is used under the lock only.
final class Guarded<Value>: @unchecked Sendable {
  private let lock = NSLock()
  private var stored: Value

  init(_ value: Value) { stored = value }

  var value: Value {
    get { with { $0 } }
    set {
      // The former value is released after the lock.
      var other = newValue
      with { swap(&$0, &other) }
    }
  }

  func with<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&stored)
  }
}

/// A closure of the host that gets each change of the app, on the thread of the change.
package final class ChangeObserver<Change: Sendable>: Sendable {
  private let closure = Guarded<(@Sendable (Change) -> Void)?>(nil)

  /// Sets the closure; nil for none.
  package func set(_ new: (@Sendable (Change) -> Void)?) { closure.value = new }

  func callAsFunction(_ change: Change) { closure.value?(change) }
}
