// swift-iap2 · Apache-2.0

/// A whole route, with which a paused session resumes.
@available(iOS 17.4, *)
@preconcurrency @MainActor
open class CPRouteInformation: NSObject {
  /// The maneuvers of the route, in order.
  public let maneuvers: [CPManeuver]

  /// The lane guidances of the route, in order.
  public let laneGuidances: [CPLaneGuidance]

  /// The next maneuvers.
  public let currentManeuvers: [CPManeuver]

  /// The lanes at the next maneuver.
  public let currentLaneGuidance: CPLaneGuidance

  /// The estimates of the trip.
  public let tripTravelEstimates: CPTravelEstimates

  /// The estimates of the first of the next maneuvers.
  public let maneuverTravelEstimates: CPTravelEstimates

  /// Creates a route.
  public init(
    maneuvers: [CPManeuver], laneGuidances: [CPLaneGuidance], currentManeuvers: [CPManeuver],
    currentLaneGuidance: CPLaneGuidance, trip tripTravelEstimates: CPTravelEstimates,
    maneuverTravelEstimates: CPTravelEstimates
  ) {
    self.maneuvers = maneuvers
    self.laneGuidances = laneGuidances
    self.currentManeuvers = currentManeuvers
    self.currentLaneGuidance = currentLaneGuidance
    self.tripTravelEstimates = tripTravelEstimates
    self.maneuverTravelEstimates = maneuverTravelEstimates
    super.init()
    noteCreation()
  }

  /// Creates a route.
  public convenience init(
    maneuvers: [CPManeuver], laneGuidances: [CPLaneGuidance], currentManeuvers: [CPManeuver],
    currentLaneGuidance: CPLaneGuidance, tripTravelEstimates: CPTravelEstimates,
    maneuverTravelEstimates: CPTravelEstimates
  ) {
    self.init(
      maneuvers: maneuvers, laneGuidances: laneGuidances, currentManeuvers: currentManeuvers,
      currentLaneGuidance: currentLaneGuidance, trip: tripTravelEstimates,
      maneuverTravelEstimates: maneuverTravelEstimates)
  }
}

/// A part of a route between two waypoints.
@available(iOS 26.4, *)
@preconcurrency @MainActor
open class CPRouteSegment: NSObject {
  /// The identifier of the segment.
  public let identifier = UUID()

  /// The start.
  public let origin: CPNavigationWaypoint

  /// The end.
  public let destination: CPNavigationWaypoint

  /// The line of the segment.
  public let coordinates: [CPLocationCoordinate3D]

  /// The maneuvers, lanes and estimates.
  let information: CPRouteInformation

  /// Creates a segment.
  public init(
    origin: CPNavigationWaypoint, destination: CPNavigationWaypoint, maneuvers: [CPManeuver],
    laneGuidances: [CPLaneGuidance], currentManeuvers: [CPManeuver], currentLaneGuidance: CPLaneGuidance,
    tripTravelEstimates: CPTravelEstimates, maneuverTravelEstimates: CPTravelEstimates,
    coordinates: [CPLocationCoordinate3D]
  ) {
    self.origin = origin
    self.destination = destination
    self.coordinates = coordinates
    information = CPRouteInformation(
      maneuvers: maneuvers, laneGuidances: laneGuidances, currentManeuvers: currentManeuvers,
      currentLaneGuidance: currentLaneGuidance, trip: tripTravelEstimates,
      maneuverTravelEstimates: maneuverTravelEstimates)
    super.init()
    noteCreation()
  }

  /// The maneuvers of the segment, in order.
  public var maneuvers: [CPManeuver] { information.maneuvers }

  /// The lane guidances of the segment, in order.
  public var laneGuidances: [CPLaneGuidance] { information.laneGuidances }

  /// The next maneuvers.
  public var currentManeuvers: [CPManeuver] { information.currentManeuvers }

  /// The lanes at the next maneuver.
  public var currentLaneGuidance: CPLaneGuidance { information.currentLaneGuidance }

  /// The estimates of the trip.
  public var tripTravelEstimates: CPTravelEstimates { information.tripTravelEstimates }

  /// The estimates of the first of the next maneuvers.
  public var maneuverTravelEstimates: CPTravelEstimates { information.maneuverTravelEstimates }
}

/// The reasons of a new route.
@available(iOS 26.4, *)
public enum CPRerouteReason: UInt, Sendable {
  /// The reason is not known.
  case unknown = 0
  /// The driver missed a turn.
  case missedTurn = 1
  /// The connection was lost.
  case offline = 2
  /// The driver chose another route.
  case alternateRoute = 3
  /// A waypoint was added, moved or removed.
  case waypointModified = 4
  /// The car demands another route.
  case mandated = 5
}

/// The owner of a route that phone and car share.
@available(iOS 26.4, *)
public enum CPRouteSource: UInt, Sendable {
  /// No route is active.
  case inactive = 0
  /// The phone's route, unchanged.
  case iOSUnchanged = 1
  /// The phone's destinations on a route of the car.
  case iOSRouteModified = 2
  /// The phone's route with other destinations.
  case iOSRouteDestinationsModified = 3
  /// The phone's destinations alone.
  case iOSDestinationsOnly = 4
  /// The car's route.
  case vehicle = 5
}
