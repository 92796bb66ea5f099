// swift-iap2 · Apache-2.0

public import Foundation
import Synchronization

extension NotificationCenter {
  /// Calls a method of an observer for each notification, on the thread that posts it.
  ///
  /// The observer is not retained. A released observer is not called, and its observation is forgotten.
  ///
  /// - Parameters:
  ///   - observer: An object.
  ///   - selector: A method of the observer.
  ///   - name: The name of the notifications; nil for every name.
  ///   - object: The sender of the notifications; nil for every sender.
  public func addObserver(_ observer: Any, selector: Selector, name: NSNotification.Name?, object: Any?) {
    let observer = observer as AnyObject
    let reference = WeakReference(observer)
    let token = addObserver(forName: name, object: object, queue: nil) { notification in
      guard let observer = reference.value else { return SelectorObservation.forgetReleased() }
      guard !selector.call(observer, notification) else { return }
      note("\(notification.name.rawValue): the observer does not have the method of its selector")
    }
    SelectorObservation.add(
      SelectorObservation(
        observer: reference, name: name, sender: object.map { ObjectIdentifier($0 as AnyObject) }, center: self,
        token: token),
      of: observer)
  }

  /// Ends every observation of an observer. A `deinit` may call it.
  public func removeObserver(_ observer: AnyObject) { removeObserver(observer, name: nil, object: nil) }

  /// Ends the observations of an observer for a name and a sender; nil for every one. A `deinit` may call it.
  public func removeObserver(_ observer: AnyObject, name: NSNotification.Name?, object: Any?) {
    let sender = object.map { ObjectIdentifier($0 as AnyObject) }
    SelectorObservation.remove(of: observer) { observation in
      observation.center === self && (name == nil || name == observation.name)
        && (sender == nil || sender == observation.sender)
    }
    // An observation with a closure is Foundation's own.
    removeObserver(observer as Any, name: name, object: object)
  }
}

/// An observation by a method of an object.
///
/// Invariant for `@unchecked Sendable`: the properties are constant, and a center and its tokens may be used on any
/// thread.
struct SelectorObservation: @unchecked Sendable {
  let observer: WeakReference
  let name: NSNotification.Name?
  let sender: ObjectIdentifier?
  let center: NotificationCenter
  let token: any NSObjectProtocol

  /// The observations by observer.
  private struct Table {
    var observations: [ObjectIdentifier: [SelectorObservation]] = [:]
    var count = 0
    /// The count at which observations of released observers are removed. It is twice the count that was left then.
    var limit = 64

    /// Removes observations and returns them.
    mutating func take(_ id: ObjectIdentifier, where isRemoved: (SelectorObservation) -> Bool) -> [SelectorObservation]
    {
      let all = observations[id] ?? []
      let kept = all.filter { !isRemoved($0) }
      observations[id] = kept.isEmpty ? nil : kept
      count -= all.count - kept.count
      return all.filter(isRemoved)
    }
  }

  private static let table = Mutex(Table())

  static func add(_ observation: SelectorObservation, of observer: AnyObject) {
    let isFull = table.withLock { table in
      table.observations[ObjectIdentifier(observer), default: []].append(observation)
      table.count += 1
      return table.count > table.limit
    }
    if isFull { forgetReleased() }
  }

  static func remove(of observer: AnyObject, where isRemoved: (SelectorObservation) -> Bool) {
    let removed = table.withLock { $0.take(ObjectIdentifier(observer), where: isRemoved) }
    for observation in removed { observation.end() }
  }

  /// Ends the observations of released observers.
  ///
  /// A weak reference is never read under the lock: its observer could be released meanwhile, and a `deinit` that
  /// removes the observer would wait for the lock for ever.
  static func forgetReleased() {
    let snapshot = table.withLock { $0.observations }
    let dead = snapshot.mapValues { $0.filter { $0.observer.value == nil }.map { ObjectIdentifier($0.token) } }
    let removed = table.withLock { table in
      let removed = dead.filter { !$0.value.isEmpty }.flatMap { id, tokens in
        table.take(id) { tokens.contains(ObjectIdentifier($0.token)) }
      }
      table.limit = max(64, 2 * table.count)
      return removed
    }
    for observation in removed { observation.end() }
  }

  /// The number of observations of a center, for tests.
  static func count(in center: NotificationCenter) -> Int {
    table.withLock { $0.observations.values.joined().count { $0.center === center } }
  }

  private func end() { center.removeObserver(token as Any) }
}
