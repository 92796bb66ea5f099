// swift-iap2 · Apache-2.0

import CarPlay

/// Reports the positions of the car. The phone has them from the head unit, if the car sends them.
@MainActor
final class LocationWatch: NSObject {
  private let manager = CLLocationManager()
  private let onLocation: (CLLocation) -> Void

  /// Creates a watch that asks for permission on the phone, if the user was not asked before.
  init(onLocation: @escaping (CLLocation) -> Void) {
    self.onLocation = onLocation
    super.init()
    manager.delegate = self
    manager.requestWhenInUseAuthorization()
    manager.startUpdatingLocation()
  }
}

extension LocationWatch: @preconcurrency CLLocationManagerDelegate {
  func locationManager(_ manager: CLLocationManager, didUpdateLocations locations: [CLLocation]) {
    if let newest = locations.last { onLocation(newest) }
  }
}
