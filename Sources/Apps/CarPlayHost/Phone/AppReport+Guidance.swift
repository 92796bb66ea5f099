// swift-iap2 · Apache-2.0

import CarPlay
import Foundation
import IAP2
import IAP2Roles

extension CarHost {
  /// The guidance as the phone passes it on: that of the session, if the app provides metadata for the car's own displays.
  var guidance: AppReport.Guidance? {
    guard let map = app?.car?.map, map.providesMetadata, let session = map.session, session.isActive else { return nil }
    return AppReport.Guidance(session, destination: tripName(session.trip), app: installed?.name ?? "")
  }
}

extension AppReport.Guidance {
  /// The maneuvers that are passed on at most; a route of an app can be longer than a head unit keeps.
  private static let maximumManeuvers = 256

  @MainActor
  init(_ session: CPNavigationSession, destination: String, app: String) {
    var maneuvers = session.addedManeuvers
    for maneuver in session.upcomingManeuvers where !maneuvers.contains(where: { $0 === maneuver }) {
      maneuvers.append(maneuver)
    }
    maneuvers = Array(maneuvers.prefix(Self.maximumManeuvers))
    let next = session.upcomingManeuvers.first
    route = Route(
      destination: destination, start: session.currentRoadNameVariants.first ?? "",
      maneuvers: maneuvers.map { maneuver in
        let lanes = maneuver.linkedLaneGuidance ?? (maneuver === next ? session.currentLaneGuidance : nil)
        return Route.Maneuver(maneuver, lanes: lanes)
      })
    route.source = app
    told = IAP2Roles.Guidance.Told()
    told.next = next.flatMap { next in maneuvers.firstIndex { $0 === next } }
    told.road = session.currentRoadNameVariants.first
    told.distanceToNext = Self.meters(next?.travelEstimates)
    told.secondsToNext = Self.seconds(next?.travelEstimates)
    told.distanceLeft = Self.meters(session.trip.estimates?.travel)
    told.secondsLeft = Self.seconds(session.trip.estimates?.travel)
    state = RouteGuidanceState(session.state)
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
  @MainActor
  fileprivate init(_ maneuver: CPManeuver, lanes: CPLaneGuidance?) {
    // The numbers of both enumerations are the same, as a test shows.
    self.init(
      type: ManeuverType(rawValue: UInt8(clamping: maneuver.maneuverType.rawValue)),
      description: maneuver.instructionVariants.first ?? maneuver.attributedInstructionVariants.first?.string ?? "",
      road: maneuver.roadFollowingManeuverVariants?.first ?? "",
      distance: AppReport.Guidance.meters(maneuver.initialTravelEstimates) ?? 0)
    drivingSide = maneuver.trafficSide == .left ? .leftHandTraffic : .rightHandTraffic
    junction = maneuver.junctionType == .roundabout ? .roundabout : .singleIntersection
    angles = (maneuver.junctionElementAngles ?? []).map(\.degrees).sorted()
    exitAngle = maneuver.junctionExitAngle?.degrees
    exit = maneuver.highwayExitLabel
    self.lanes = (lanes?.lanes ?? []).map { lane in
      Route.Lane(
        status: LaneStatus(rawValue: UInt8(clamping: lane.status.rawValue)), angles: lane.angles.map(\.degrees),
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
