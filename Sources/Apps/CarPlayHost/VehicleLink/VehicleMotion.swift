// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation
import IAP2Roles

/// A movement of a car: from a position straight on, with constant course and speed.
package struct VehicleMotion: Sendable, Hashable {
  /// The latitude and the longitude of the start in degrees.
  package let latitude, longitude: Double
  /// The altitude in meters above sea level.
  package let altitude: Double
  /// The course in degrees clockwise from north.
  package let course: Double
  /// The speed in meters per second.
  package let speed: Double

  /// Creates a movement; nil if a value is outside of the ranges of ``CarVerbForm``.
  package init?(latitude: Double, longitude: Double, altitude: Double = 0, course: Double = 0, speed: Double = 0) {
    guard CarVerbForm.latitudes.contains(latitude), CarVerbForm.longitudes.contains(longitude),
      CarVerbForm.altitudes.contains(altitude), CarVerbForm.courses.contains(course),
      CarVerbForm.speeds.contains(speed)
    else { return nil }
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
    self.course = course
    self.speed = speed
  }

  /// The mean radius of the earth in meters.
  private static let radius = 6_371_008.8

  /// Returns the position after a time in seconds, along a great circle.
  func fix(after seconds: Double, unixTime: Double) -> LocationFix {
    let radians = { (degrees: Double) in degrees * .pi / 180 }
    let angle = speed * seconds / Self.radius
    let (start, direction) = (radians(latitude), radians(course))
    let sine = sin(start) * cos(angle) + cos(start) * sin(angle) * cos(direction)
    let east = atan2(sin(direction) * sin(angle) * cos(start), cos(angle) - sin(start) * sine)
    // A longitude beyond 180 degrees continues at -180.
    let degrees = (longitude + east * 180 / .pi).remainder(dividingBy: 360)
    let moved = angle != 0
    var fix = LocationFix(
      time: 0, unixTime: unixTime, latitude: moved ? asin(max(-1, min(sine, 1))) * 180 / .pi : latitude,
      longitude: moved ? degrees : longitude)
    fix.altitude = altitude
    fix.course = course
    fix.speed = speed
    return fix
  }
}
