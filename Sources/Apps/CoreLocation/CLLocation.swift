// swift-iap2 · Apache-2.0

@_exported public import Foundation

/// An angle of latitude or longitude, in degrees.
public typealias CLLocationDegrees = Double
/// A distance, in meters.
public typealias CLLocationDistance = Double
/// A direction, in degrees clockwise from north; negative if it is not known.
public typealias CLLocationDirection = Double
/// A speed, in meters per second; negative if it is not known.
public typealias CLLocationSpeed = Double
/// An accuracy, in meters; negative if the value is not known.
public typealias CLLocationAccuracy = Double

/// A point on the earth.
public struct CLLocationCoordinate2D: Sendable {
  /// The latitude, from -90 to 90.
  public var latitude: CLLocationDegrees
  /// The longitude, from -180 to 180.
  public var longitude: CLLocationDegrees

  /// Creates the point where the equator crosses the zero meridian.
  public init() { self.init(latitude: 0, longitude: 0) }

  /// Creates a point.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.latitude = latitude
    self.longitude = longitude
  }

  /// Whether the point is on the earth.
  package var isValid: Bool { (-90...90).contains(latitude) && (-180...180).contains(longitude) }
}

/// A place of the phone at a time. Locations never change, so any thread may use them.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class CLLocation: NSObject, @unchecked Sendable {
  /// The point.
  public let coordinate: CLLocationCoordinate2D
  /// The height above the sea, in meters.
  public let altitude: CLLocationDistance
  /// The accuracy of the point, in meters.
  public let horizontalAccuracy: CLLocationAccuracy
  /// The accuracy of the height, in meters.
  public let verticalAccuracy: CLLocationAccuracy
  /// The direction of the movement.
  public let course: CLLocationDirection
  /// The speed.
  public let speed: CLLocationSpeed
  /// The time.
  public let timestamp: Date

  /// Creates a location of a point.
  public convenience init(latitude: CLLocationDegrees, longitude: CLLocationDegrees) {
    self.init(
      coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude), altitude: 0, horizontalAccuracy: 0,
      verticalAccuracy: -1, timestamp: Date())
  }

  /// Creates a location without a movement.
  public convenience init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, timestamp: Date
  ) {
    self.init(
      coordinate: coordinate, altitude: altitude, horizontalAccuracy: horizontalAccuracy,
      verticalAccuracy: verticalAccuracy, course: -1, speed: -1, timestamp: timestamp)
  }

  /// Creates a location with a movement.
  public init(
    coordinate: CLLocationCoordinate2D, altitude: CLLocationDistance, horizontalAccuracy: CLLocationAccuracy,
    verticalAccuracy: CLLocationAccuracy, course: CLLocationDirection, speed: CLLocationSpeed, timestamp: Date
  ) {
    self.coordinate = coordinate
    self.altitude = altitude
    self.horizontalAccuracy = horizontalAccuracy
    self.verticalAccuracy = verticalAccuracy
    self.course = course
    self.speed = speed
    self.timestamp = timestamp
    super.init()
  }

  /// Returns the distance to another location along the surface, in meters.
  open func distance(from location: CLLocation) -> CLLocationDistance {
    let radius = 6_371_008.8  // The mean radius of the earth, in meters.
    func radians(_ degrees: Double) -> Double { degrees * .pi / 180 }
    let (from, to) = (location.coordinate, coordinate)
    let half = sin(radians(to.latitude - from.latitude) / 2)
    let across = sin(radians(to.longitude - from.longitude) / 2)
    let chord = half * half + cos(radians(from.latitude)) * cos(radians(to.latitude)) * across * across
    return 2 * radius * asin(min(1, chord.squareRoot()))
  }
}
