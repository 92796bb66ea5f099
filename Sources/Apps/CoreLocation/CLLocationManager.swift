// swift-iap2 · Apache-2.0

public import Foundation

/// The user's permission to use the phone's location.
public enum CLAuthorizationStatus: Int32, Sendable {
  /// The user has not been asked.
  case notDetermined = 0
  /// The app may not know it, and the user cannot change that.
  case restricted = 1
  /// The user has refused.
  case denied = 2
  /// The app may always know it.
  case authorizedAlways = 3
  /// The app may know it while the user uses it.
  case authorizedWhenInUse = 4
}

/// A delegate that gets locations. All methods are optional.
public protocol CLLocationManagerDelegate: NSObjectProtocol {
  /// Tells the delegate new locations, with the newest one last.
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation])
  /// Tells the delegate that there is no location.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  /// Tells the delegate that ``CLLocationManager/authorizationStatus`` changed. A new manager tells it once.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error) {}
  /// Does nothing.
  public func locationManagerDidChangeAuthorization(_ manager: CLLocationManager) {}
}

/// A source of locations. The host feeds it through ``LocationFeed``. Use it on the main thread.
open class CLLocationManager: NSObject {
  /// The receiver of locations. It is not retained.
  open weak var delegate: (any CLLocationManagerDelegate)?
  /// The accuracy that the app asks for, in meters.
  open var desiredAccuracy: CLLocationAccuracy = kCLLocationAccuracyBest
  private(set) var isUpdating = false

  /// Creates a manager.
  public override init() {
    super.init()
    LocationFeed.add(self)
  }

  deinit { if isUpdating { LocationFeed.demandChanged() } }

  /// The newest location that any manager got; nil before the first one, and without the user's permission.
  open var location: CLLocation? { LocationFeed.isAuthorized ? LocationFeed.location : nil }

  /// The user's permission to use the phone's location.
  open var authorizationStatus: CLAuthorizationStatus { LocationFeed.authorization }

  /// Asks the user for permission while the app is used. The question appears on the phone, never in the car.
  open func requestWhenInUseAuthorization() { LocationFeed.request(.authorizedWhenInUse) }

  /// Asks the user for permission at all times. The question appears on the phone, never in the car.
  open func requestAlwaysAuthorization() { LocationFeed.request(.authorizedAlways) }

  /// Starts to report locations. The newest one, or the user's refusal, is reported first.
  open func startUpdatingLocation() {
    guard !isUpdating else { return }
    isUpdating = true
    LocationFeed.demandChanged()
    let reference = WeakManager(self)
    DispatchQueue.main.async { reference.manager?.receiveNewest() }
  }

  /// Stops reporting locations.
  open func stopUpdatingLocation() {
    isUpdating = false
    LocationFeed.demandChanged()
  }

  private func receiveNewest() {
    switch authorizationStatus {
    case .authorizedAlways, .authorizedWhenInUse: if let location { receive(location) }
    case .denied, .restricted: receive(LocationFeed.refusal)
    case .notDetermined: break
    }
  }

  func receive(_ location: CLLocation) {
    if isUpdating { delegate?.locationManager(self, didUpdateLocations: [location]) }
  }

  func receive(_ error: any Error) {
    if isUpdating { delegate?.locationManager(self, didFailWithError: error) }
  }
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy that the phone has.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
