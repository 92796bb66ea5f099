// swift-iap2 · Apache-2.0

public import CoreLocation
public import MapKit

/// A place with an altitude in meters. `CLLocationDistanceMax` stands for an unknown altitude.
@available(iOS 26.4, *)
public struct CPLocationCoordinate3D: Sendable {
  /// The latitude in degrees.
  public var latitude: CLLocationDegrees
  /// The longitude in degrees.
  public var longitude: CLLocationDegrees
  /// The height above the sea in meters.
  public var altitude: CLLocationDistance

  /// Creates the place with the latitude, longitude and altitude 0.
  public init() { self.init(latitude: 0, longitude: 0, altitude: 0) }

  /// Creates a place.
  public init(latitude: CLLocationDegrees, longitude: CLLocationDegrees, altitude: CLLocationDistance) {
    self.latitude = latitude
    self.longitude = longitude
    self.altitude = altitude
  }
}

/// A stop of a route: its center, its entries and its names.
@available(iOS 26.4, *)
public final class CPNavigationWaypoint: NSObject, Sendable {
  /// The center of the place.
  public let centerPoint: CPLocationCoordinate3D

  /// The distance from the center within which the stop counts as reached.
  public let locationThreshold: Measurement<UnitLength>?

  /// The names, the longest first.
  @available(iOS 27.0, *)
  public let nameVariants: [String]

  /// The addresses, the longest first.
  @available(iOS 27.0, *)
  public let addressVariants: [String]

  /// The places where the stop can be entered.
  public let entryPoints: [CPLocationCoordinate3D]

  /// The time zone of the place.
  public let timeZone: TimeZone?

  /// Creates a waypoint with variants of its name and address.
  public init(
    centerPoint: CPLocationCoordinate3D, locationThreshold: Measurement<UnitLength>?, nameVariants: [String],
    addressVariants: [String], entryPoints: [CPLocationCoordinate3D], timeZone: TimeZone?
  ) {
    self.centerPoint = centerPoint
    self.locationThreshold = locationThreshold
    self.nameVariants = nameVariants
    self.addressVariants = addressVariants
    self.entryPoints = entryPoints
    self.timeZone = timeZone
    super.init()
  }

  /// Creates a waypoint.
  public convenience init(
    centerPoint: CPLocationCoordinate3D, locationThreshold: Measurement<UnitLength>?, name: String?, address: String?,
    entryPoints: [CPLocationCoordinate3D], timeZone: TimeZone?
  ) {
    self.init(
      centerPoint: centerPoint, locationThreshold: locationThreshold, nameVariants: name.map { [$0] } ?? [],
      addressVariants: address.map { [$0] } ?? [], entryPoints: entryPoints, timeZone: timeZone)
  }

  /// Creates a waypoint from a map item. The altitude, the address and the time zone are unknown.
  @MainActor
  public convenience init(
    mapItem: MKMapItem, locationThreshold: Measurement<UnitLength>?, entryPoints: [CPLocationCoordinate3D]
  ) {
    let coordinate = mapItem.placemark.coordinate
    self.init(
      centerPoint: CPLocationCoordinate3D(
        latitude: coordinate.latitude, longitude: coordinate.longitude,
        altitude: CLLocationDistance.greatestFiniteMagnitude),
      locationThreshold: locationThreshold, name: mapItem.name, address: nil, entryPoints: entryPoints, timeZone: nil)
  }

  /// The longest name.
  public var name: String? { nameVariants.first }

  /// The longest address.
  public var address: String? { addressVariants.first }

  /// The waypoint as a map item.
  @MainActor
  var mapItem: MKMapItem {
    let item = MKMapItem(
      placemark: MKPlacemark(
        coordinate: CLLocationCoordinate2D(latitude: centerPoint.latitude, longitude: centerPoint.longitude)))
    item.name = name
    return item
  }
}

/// A waypoint with the estimates to it.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPMapTemplateWaypoint: NSObject {
  /// The waypoint.
  public var waypoint: CPNavigationWaypoint { didSet { noteChange() } }

  /// The distance and the time to the waypoint.
  public var travelEstimates: CPTravelEstimates { didSet { noteChange() } }

  /// Creates a waypoint with estimates.
  public init(waypoint: CPNavigationWaypoint, travelEstimates: CPTravelEstimates) {
    self.waypoint = waypoint
    self.travelEstimates = travelEstimates
    super.init()
    noteCreation()
  }
}
