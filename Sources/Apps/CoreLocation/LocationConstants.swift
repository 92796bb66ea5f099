// swift-iap2 · Apache-2.0

// The names are those of the public headers (theos/sdks, CLLocation.h and CLLocationManager.h), which have no values of
// the constants. Unverified: the values other than the distances that the names say.

/// The kind of the user's movement, which decides when the phone may pause locations.
public enum CLActivityType: Int, Sendable {
  /// No kind is set.
  case other = 1
  /// Driving a car, along roads.
  case automotiveNavigation = 2
  /// Walking, running or cycling.
  case fitness = 3
  /// Moving by boat, train or another vehicle that no road guides.
  case otherNavigation = 4
  /// Flying.
  case airborne = 5
}

// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy that the phone has, with data of other sensors. It is meant for navigation on external power.
public let kCLLocationAccuracyBestForNavigation: CLLocationAccuracy = -2
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The best accuracy that the phone has.
public let kCLLocationAccuracyBest: CLLocationAccuracy = -1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of ten meters.
public let kCLLocationAccuracyNearestTenMeters: CLLocationAccuracy = 10
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of a hundred meters.
public let kCLLocationAccuracyHundredMeters: CLLocationAccuracy = 100
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of a kilometer.
public let kCLLocationAccuracyKilometer: CLLocationAccuracy = 1000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// An accuracy of three kilometers.
public let kCLLocationAccuracyThreeKilometers: CLLocationAccuracy = 3000
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The accuracy of an app to which the user gave the approximate location only.
public let kCLLocationAccuracyReduced: CLLocationAccuracy = .greatestFiniteMagnitude

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A distance filter that lets every movement through.
public let kCLDistanceFilterNone: CLLocationDistance = -1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// A heading filter that lets every turn through.
public let kCLHeadingFilterNone: CLLocationDegrees = -1
// swift-format-ignore: AlwaysUseLowerCamelCase
/// The largest distance.
public let CLLocationDistanceMax: CLLocationDistance = .greatestFiniteMagnitude

// swift-format-ignore: AlwaysUseLowerCamelCase
/// A point that is not on the earth.
public let kCLLocationCoordinate2DInvalid = CLLocationCoordinate2D(latitude: -180, longitude: -180)

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns whether a point is on the earth.
public func CLLocationCoordinate2DIsValid(_ coord: CLLocationCoordinate2D) -> Bool { coord.isValid }

// swift-format-ignore: AlwaysUseLowerCamelCase
/// Returns a point.
public func CLLocationCoordinate2DMake(_ latitude: CLLocationDegrees, _ longitude: CLLocationDegrees)
  -> CLLocationCoordinate2D
{ CLLocationCoordinate2D(latitude: latitude, longitude: longitude) }
