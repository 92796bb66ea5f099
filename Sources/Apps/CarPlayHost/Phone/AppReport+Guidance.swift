// swift-iap2 · Apache-2.0

import CarPlay
import Foundation
import IAP2
import IAP2Roles

extension CarHost {
  /// The guidance of the session that the phone forwards, if the app provides metadata for the car's own displays.
  var guidance: AppReport.Guidance? {
    guard let map = app?.car?.map, map.providesMetadata, let session = map.session, session.isActive else { return nil }
    return AppReport.Guidance(
      session, destination: AppReport.text(tripName(session.trip)), app: AppReport.text(installed?.name))
  }
}

extension AppReport.Guidance {
  /// The maximum number of maneuvers from the start that are forwarded. A route can be longer than a head unit's
  /// storage.
  private static let maximumManeuvers = 256
  /// The number of maneuvers from the next one on that are always forwarded.
  private static let ahead = 20

  @MainActor
  init(_ session: CPNavigationSession, destination: String, app: String) {
    var known: Set<ObjectIdentifier> = []
    var maneuvers = (session.addedManeuvers + session.upcomingManeuvers).filter {
      known.insert(ObjectIdentifier($0)).inserted
    }
    let upcoming = session.upcomingManeuvers.first
    let next = upcoming.flatMap { upcoming in maneuvers.firstIndex { $0 === upcoming } }
    maneuvers = Array(maneuvers.prefix(max(Self.maximumManeuvers, (next ?? 0) + Self.ahead)))
    var route = Route(
      destination: destination, start: AppReport.text(session.currentRoadNameVariants.first),
      maneuvers: maneuvers.map { maneuver in
        let lanes = maneuver.linkedLaneGuidance ?? (maneuver === upcoming ? session.currentLaneGuidance : nil)
        return Route.Maneuver(maneuver, lanes: lanes)
      })
    route.source = app
    var reported = IAP2Roles.Guidance.Reported()
    reported.next = next
    reported.road = session.currentRoadNameVariants.first.map(AppReport.text)
    reported.distanceToNext = Self.meters(upcoming?.travelEstimates)
    reported.distanceLeft = Self.meters(session.trip.estimates?.travel)
    reported.secondsLeft = Self.seconds(session.trip.estimates?.travel)
    self.init(route: route, reported: reported, state: RouteGuidanceState(session.state))
  }

  @MainActor
  static func meters(_ estimates: CPTravelEstimates?) -> Int? {
    guard let distance = estimates?.distanceRemaining.converted(to: .meters).value, distance.isFinite, distance >= 0
    else { return nil }
    return Int(min(distance, 1e9))
  }

  @MainActor
  private static func seconds(_ estimates: CPTravelEstimates?) -> Int? {
    estimates?.shownTime.map { Int(min($0, 1e9)) }
  }
}

extension Route.Maneuver {
  /// The maximum number of forwarded lanes of a road, and of arrows of a junction or a lane. Real ones have fewer.
  private static let maximumLanes = 16
  private static let maximumAngles = 16

  @MainActor
  fileprivate init(_ maneuver: CPManeuver, lanes: CPLaneGuidance?) {
    // The raw values of both enumerations are equal; a test verifies it.
    self.init(
      type: ManeuverType(rawValue: UInt8(clamping: maneuver.maneuverType.rawValue)),
      description: AppReport.text(
        maneuver.instructionVariants.first ?? maneuver.attributedInstructionVariants.first?.string),
      road: AppReport.text(maneuver.roadFollowingManeuverVariants?.first),
      distance: AppReport.Guidance.meters(maneuver.initialTravelEstimates) ?? 0)
    drivingSide = maneuver.trafficSide == .left ? .leftHandTraffic : .rightHandTraffic
    junction = maneuver.junctionType == .roundabout ? .roundabout : .singleIntersection
    angles = Array((maneuver.junctionElementAngles ?? []).map(\.degrees).sorted().prefix(Self.maximumAngles))
    exitAngle = maneuver.junctionExitAngle?.degrees
    exit = AppReport.text(maneuver.highwayExitLabel)
    self.lanes = (lanes?.lanes ?? []).prefix(Self.maximumLanes).map { lane in
      Route.Lane(
        status: LaneStatus(rawValue: UInt8(clamping: lane.status.rawValue)),
        angles: lane.angles.prefix(Self.maximumAngles).map(\.degrees),
        highlight: lane.highlightedAngle?.degrees)
    }
  }
}

extension Measurement where UnitType == UnitAngle {
  fileprivate var degrees: Int16 {
    let value = converted(to: .degrees).value
    return value.isFinite ? Int16(max(-360, min(value, 360)).rounded()) : 0
  }
}

extension RouteGuidanceState {
  @MainActor
  fileprivate init(_ state: CPNavigationSession.State) {
    switch state {
    case .guiding: self = .routeSet
    case .finished: self = .arrived
    case .cancelled: self = .noRouteSet
    case .paused(let pause):
      self =
        switch pause.reason {
        case .arrived: .arrived
        case .loading: .loading
        case .locating: .locating
        case .rerouting: .rerouting
        case .proceedToRoute: .proceedToRoute
        }
    }
  }
}
