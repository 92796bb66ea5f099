// swift-iap2 · Apache-2.0

public import CoreLocation

/// The size of a part of the map.
public struct MKCoordinateSpan: Sendable {
  /// The distance from south to north, in degrees.
  public var latitudeDelta: CLLocationDegrees
  /// The distance from west to east, in degrees.
  public var longitudeDelta: CLLocationDegrees

  /// Creates a span without a size.
  public init() { self.init(latitudeDelta: 0, longitudeDelta: 0) }

  /// Creates a span.
  public init(latitudeDelta: CLLocationDegrees, longitudeDelta: CLLocationDegrees) {
    self.latitudeDelta = latitudeDelta
    self.longitudeDelta = longitudeDelta
  }
}

/// A part of the map.
public struct MKCoordinateRegion: Sendable {
  /// The middle.
  public var center: CLLocationCoordinate2D
  /// The size.
  public var span: MKCoordinateSpan

  /// Creates a region without a size.
  public init() { self.init(center: CLLocationCoordinate2D(), span: MKCoordinateSpan()) }

  /// Creates a region.
  public init(center: CLLocationCoordinate2D, span: MKCoordinateSpan) {
    self.center = center
    self.span = span
  }

  /// Creates a region around a point with a height and a width in meters.
  public init(
    center: CLLocationCoordinate2D, latitudinalMeters: CLLocationDistance, longitudinalMeters: CLLocationDistance
  ) {
    let degree = 111_195.08  // The meters of a degree on a sphere of the earth's mean radius.
    // Near a pole a meridian is near the next one. A region has at most all of them.
    let width = max(0.000_001, cos(center.latitude * .pi / 180)) * degree
    self.init(
      center: center,
      span: MKCoordinateSpan(
        latitudeDelta: min(180, latitudinalMeters / degree), longitudeDelta: min(360, longitudinalMeters / width)))
  }
}
