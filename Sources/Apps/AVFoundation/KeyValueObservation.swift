// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

// Foundation on Linux has no key-value observation. The players and their items have it for their own properties, with
// the names of Foundation.

/// The content of the changes that an observation reports.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
  /// The flags.
  public let rawValue: UInt

  /// Creates a set of flags.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The value after the change.
  public static let new = NSKeyValueObservingOptions(rawValue: 1)
  /// The value before the change.
  public static let old = NSKeyValueObservingOptions(rawValue: 2)
  /// A report of the current value at once.
  public static let initial = NSKeyValueObservingOptions(rawValue: 4)
}

/// A change of an observed value.
public struct NSKeyValueObservedChange<Value> {
  /// The value after the change; nil without the option `new`.
  public let newValue: Value?
  /// The value before the change; nil without the option `old`.
  public let oldValue: Value?
}

/// An observation, which ends with this object.
///
/// Invariant for `@unchecked Sendable`: the closure is used under its lock only.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
  private let end: Mutex<(@Sendable () -> Void)?>

  init(end: @escaping @Sendable () -> Void) {
    self.end = Mutex(end)
    super.init()
  }

  /// Ends the observation.
  public func invalidate() {
    let end = end.withLock { end in
      defer { end = nil }
      return end
    }
    end?()
  }

  deinit { invalidate() }
}

/// The observations of an object.
final class KeyValueObservations: Sendable {
  private let closures = Mutex((count: 0, byNumber: [Int: @Sendable () -> Void]()))

  /// Compares the observed values with the former ones, and reports the changes on this thread.
  func report() {
    let closures = closures.withLock { $0.byNumber }
    for number in closures.keys.sorted() { closures[number]?() }
  }

  /// Observes a value of an object.
  ///
  /// - Parameters:
  ///   - handler: It runs on the thread of the change. As on iOS, the app has to see to it that this is the right one.
  func observe<Object: AnyObject, Value>(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation {
    let observed = Observed(object, keyPath, options, handler)
    let number = closures.withLock { closures in
      closures.count += 1
      closures.byNumber[closures.count] = { observed.compare() }
      return closures.count
    }
    if options.contains(.initial) { observed.reportInitial() }
    return NSKeyValueObservation { [weak self] in
      let closure = self?.closures.withLock { $0.byNumber.removeValue(forKey: number) }
      withExtendedLifetime(closure) {}
    }
  }
}

/// An observed value of an object, and its last state.
///
/// Invariant for `@unchecked Sendable`: the last state is used under the lock, and the rest does not change.
private final class Observed<Object: AnyObject, Value>: @unchecked Sendable {
  private weak let object: Object?
  private let keyPath: KeyPath<Object, Value>
  private let options: NSKeyValueObservingOptions
  private let handler: (Object, NSKeyValueObservedChange<Value>) -> Void
  private let lock = NSLock()
  private var last: Value

  init(
    _ object: Object, _ keyPath: KeyPath<Object, Value>, _ options: NSKeyValueObservingOptions,
    _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
  ) {
    (self.object, self.keyPath, self.options, self.handler) = (object, keyPath, options, handler)
    last = object[keyPath: keyPath]
  }

  func reportInitial() {
    guard let object else { return }
    handler(object, NSKeyValueObservedChange(newValue: options.contains(.new) ? last : nil, oldValue: nil))
  }

  /// Reports the value if it is another one than before.
  func compare() {
    guard let object else { return }
    let new = object[keyPath: keyPath]
    let old = lock.withLock {
      defer { last = new }
      return last
    }
    guard (old as? AnyHashable) != (new as? AnyHashable) else { return }
    handler(
      object,
      NSKeyValueObservedChange(
        newValue: options.contains(.new) ? new : nil, oldValue: options.contains(.old) ? old : nil))
  }
}

extension NSObjectProtocol where Self: AVPlayer {
  /// Observes a property of the player, such as `\.rate`, `\.timeControlStatus` and `\.currentItem`.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - options: The content of the changes.
  ///   - changeHandler: It runs on the thread of the change.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { observations.observe(self, keyPath, options, changeHandler) }
}

extension NSObjectProtocol where Self: AVPlayerItem {
  /// Observes a property of the item, such as `\.status` and `\.duration`.
  ///
  /// - Parameters:
  ///   - keyPath: The property.
  ///   - options: The content of the changes.
  ///   - changeHandler: It runs on the thread of the change.
  public func observe<Value>(
    _ keyPath: KeyPath<Self, Value>, options: NSKeyValueObservingOptions = [],
    changeHandler: @escaping (Self, NSKeyValueObservedChange<Value>) -> Void
  ) -> NSKeyValueObservation { observations.observe(self, keyPath, options, changeHandler) }
}
