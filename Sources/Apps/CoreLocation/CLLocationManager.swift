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
  /// Receives a new heading. The emulated phone has no compass, so it never calls this.
  func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading)
  /// Tells the delegate that there is no location.
  func locationManager(_ manager: CLLocationManager, didFailWithError error: any Error)
  /// Tells the delegate that ``CLLocationManager/authorizationStatus`` changed. A new manager tells it once.
  func locationManagerDidChangeAuthorization(_ manager: CLLocationManager)
}

extension CLLocationManagerDelegate {
  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {}
  /// Does nothing.
  public func locationManager(_ manager: CLLocationManager, didUpdateHeading newHeading: CLHeading) {}
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
  /// The distance in meters that the app asks for between two locations. The emulated phone reports every location.
  open var distanceFilter: CLLocationDistance = kCLDistanceFilterNone
  /// The turn in degrees that the app asks for between two headings.
  open var headingFilter: CLLocationDegrees = 1
  /// The kind of the user's movement. The emulated phone never pauses locations.
  open var activityType = CLActivityType.other
  /// Whether the phone may pause locations. The emulated phone never does.
  open var pausesLocationUpdatesAutomatically = true
  /// Whether the app wants locations in the background. The emulated phone reports them in any case.
  open var allowsBackgroundLocationUpdates = false
  /// Whether the phone shows that the app uses the location in the background. A car's screen shows no sign.
  open var showsBackgroundLocationIndicator = false
  /// The newest heading: nil, because the emulated phone has no compass.
  open var heading: CLHeading? { nil }
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

  /// Whether the phone has a compass. The emulated phone has none.
  open class func headingAvailable() -> Bool { false }

  /// Does nothing: the emulated phone has no compass.
  open func startUpdatingHeading() {}

  /// Does nothing: the emulated phone has no compass.
  open func stopUpdatingHeading() {}

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
