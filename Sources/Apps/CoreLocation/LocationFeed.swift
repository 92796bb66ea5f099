// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// The source of the locations of all managers of the app. The host calls it on the main thread.
package enum LocationFeed {
  private struct State {
    var authorization = CLAuthorizationStatus.notDetermined
    var location: CLLocation?
    var managers: [WeakManager] = []
    /// The count of managers at which released ones are removed.
    var limit = 16
    var onRequest: (@Sendable (CLAuthorizationStatus) -> Void)?
    var onDemand: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// The error of a manager whose user has refused. Its domain and code are those of `CLError.denied`.
  static var refusal: NSError { NSError(domain: "kCLErrorDomain", code: 1) }

  /// The user's permission.
  package static var authorization: CLAuthorizationStatus { state.withLock { $0.authorization } }

  static var location: CLLocation? { state.withLock { $0.location } }

  static var isAuthorized: Bool { [.authorizedAlways, .authorizedWhenInUse].contains(authorization) }

  /// Whether a manager reports locations and the user permits it.
  package static var isWanted: Bool { isAuthorized && managers.contains(where: \.isUpdating) }

  /// Sets the observer of ``isWanted``. It is called on the thread of the change, also when nothing changed.
  package static func setDemandObserver(_ observer: (@Sendable () -> Void)?) {
    state.withLock { $0.onDemand = observer }
  }

  static func demandChanged() { state.withLock { $0.onDemand }?() }

  /// Reports a location to the app, if the user permits it.
  package static func send(_ location: CLLocation) {
    state.withLock { $0.location = location }
    guard isAuthorized else { return }
    for manager in managers { manager.receive(location) }
  }

  /// Reports to the app that there is no location.
  package static func fail(_ error: any Error) { for manager in managers { manager.receive(error) } }

  /// Changes the user's permission, and reports it to the app.
  package static func setAuthorization(_ status: CLAuthorizationStatus) {
    let isChanged = state.withLock { state in
      defer { state.authorization = status }
      return state.authorization != status
    }
    guard isChanged else { return }
    for manager in managers { manager.delegate?.locationManagerDidChangeAuthorization(manager) }
    demandChanged()
  }

  /// Sets the function that asks the user; nil to permit at once. The phone shows the question, and the car does
  /// not.
  package static func setRequestHandler(_ handler: (@Sendable (CLAuthorizationStatus) -> Void)?) {
    state.withLock { $0.onRequest = handler }
  }

  /// Removes the location, the user's permission, the function that asks for it and the observer.
  package static func reset() {
    state.withLock { $0 = State(managers: $0.managers) }
  }

  static func request(_ status: CLAuthorizationStatus) {
    guard authorization == .notDetermined else { return }
    let handler = state.withLock { $0.onRequest }
    if let handler { handler(status) } else { DispatchQueue.main.async { setAuthorization(status) } }
  }

  private static var managers: [CLLocationManager] { state.withLock { $0.managers }.compactMap(\.manager) }

  static func add(_ manager: CLLocationManager) {
    let reference = WeakManager(manager)
    let isFull = state.withLock { state in
      state.managers.append(reference)
      return state.managers.count > state.limit
    }
    guard isFull else { return }
    // Weak references are read outside of the lock, because the manager that they retain may be released here.
    let released = state.withLock { $0.managers }.filter { $0.manager == nil }
    let ids = Set(released.map(ObjectIdentifier.init))
    state.withLock { state in
      state.managers.removeAll { ids.contains(ObjectIdentifier($0)) }
      state.limit = max(16, 2 * state.managers.count)
    }
  }
}

/// A manager that is not retained.
///
/// Invariant for `@unchecked Sendable`: the reference is constant, and the manager is used on the main thread.
final class WeakManager: @unchecked Sendable {
  private(set) weak var manager: CLLocationManager?

  init(_ manager: CLLocationManager) { self.manager = manager }
}
