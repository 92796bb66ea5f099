// swift-iap2 · Apache-2.0

import CarPlay
import CarPlayPlatform
import MapKit
import Testing

@MainActor
struct NavigationSessionTests {
  @Test("Every call after the end of a session is reported and changes nothing", arguments: [true, false])
  func callsAfterTheEnd(finished: Bool) {
    RecordingSystem.use { system in
      let session = CPMapTemplate().startNavigationSession(for: .sample)
      finished ? session.finishTrip() : session.cancelTrip()
      let maneuver = CPManeuver()
      let calls: [() -> Void] = [
        { session.pauseTrip(for: .locating, description: nil) },
        { session.updateEstimates(.sample, for: maneuver) },
        { session.add([maneuver]) },
        { session.add([CPLaneGuidance()]) },
        { session.resumeTrip(updatedRouteInformation: .sample) },
        { session.finishTrip() },
        { session.cancelTrip() },
      ]
      #expect(system.takeNavigation() == ["startNavigation", "endNavigation"])
      for call in calls { call() }
      #expect(system.diagnostics.map(\.kind) == [CarDiagnostic.Kind](repeating: .ignored, count: calls.count))
      #expect(system.takeNavigation().isEmpty)
      #expect(session.pause == nil)
      #expect(session.addedManeuvers.isEmpty)
      #expect(session.addedLaneGuidances.isEmpty)
      #expect(maneuver.travelEstimates == nil)
      guard case .finished = session.state else { return #expect(!finished) }
      #expect(finished)
    }
  }

  @Test("New maneuvers resume a paused session only if the car's behavior says so", arguments: [true, false])
  func resumeByManeuvers(resumes: Bool) {
    RecordingSystem.use { system in
      system.settings.behavior.maneuversResumeTrip = resumes
      let session = CPMapTemplate().startNavigationSession(for: .sample)
      session.pauseTrip(for: .proceedToRoute, description: "Go to the road", turnCardColor: .red)
      session.upcomingManeuvers = [CPManeuver()]
      #expect((session.pause == nil) == resumes)
      #expect(session.isActive)
    }
  }

  @Test("A new route replaces maneuvers, lanes and estimates and resumes the session")
  func resumeByRoute() {
    RecordingSystem.use { _ in
      let session = CPMapTemplate().startNavigationSession(for: .sample)
      session.add([CPManeuver(), CPManeuver()])
      session.add([CPLaneGuidance()])
      session.pauseTrip(for: .rerouting, description: nil)
      let route = CPRouteInformation.sample
      session.resumeTrip(updatedRouteInformation: route)
      #expect(session.pause == nil)
      #expect(session.addedManeuvers == route.maneuvers)
      #expect(session.addedLaneGuidances == route.laneGuidances)
      #expect(session.upcomingManeuvers == route.currentManeuvers)
      #expect(session.currentLaneGuidance === route.currentLaneGuidance)
      #expect(session.trip.estimates?.travel === route.tripTravelEstimates)
      #expect(session.upcomingManeuvers[0].travelEstimates === route.maneuverTravelEstimates)
    }
  }

  @Test("A new list of segments resumes the session with the current segment's maneuvers")
  func resumeBySegments() {
    RecordingSystem.use { _ in
      let session = CPMapTemplate().startNavigationSession(for: .sample)
      let first = CPRouteSegment.sample
      let second = CPRouteSegment.sample
      #expect(first.identifier != second.identifier)
      session.addRouteSegments([first])
      session.pauseTrip(for: .rerouting, description: nil)
      session.resumeTrip(
        updatedRouteSegments: [first, second], currentSegment: second, rerouteReason: .waypointModified)
      #expect(session.pause == nil)
      #expect(session.routeSegments == [first, second])
      #expect(session.currentSegment === second)
      #expect(session.rerouteReason == .waypointModified)
      #expect(session.upcomingManeuvers == second.currentManeuvers)
    }
  }

  @Test("A second session of a template is its session, and the first one stays active")
  func secondSession() {
    RecordingSystem.use { _ in
      let map = CPMapTemplate()
      let first = map.startNavigationSession(for: .sample)
      let second = map.startNavigationSession(for: .sample)
      #expect(map.navigationSession === second)
      #expect(first.isActive)
      second.cancelTrip()
      #expect(map.navigationSession == nil)
    }
  }

  @Test("Each property of a session reports its changes by name")
  func changesOfASession() {
    RecordingSystem.use { system in
      let session = CPMapTemplate().startNavigationSession(for: .sample)
      let names = system.changes(of: session) {
        session.upcomingManeuvers = [CPManeuver()]
        session.currentLaneGuidance = CPLaneGuidance()
        session.currentRoadNameVariants = ["Main Street"]
        session.maneuverState = .prepare
        session.pauseTrip(for: .loading, description: nil)
        session.add([CPManeuver()])
      }
      #expect(
        names == [
          "upcomingManeuvers", "currentLaneGuidance", "currentRoadNameVariants", "maneuverState", "pauseTrip",
          "addManeuvers",
        ])
    }
  }
}

extension CPTrip {
  /// A trip without routes.
  static var sample: CPTrip {
    CPTrip(origin: .place("Home", 55.7, 37.6), destination: .place("Harbour", 55.8, 37.4), routeChoices: [])
  }
}

extension CPTravelEstimates {
  /// One kilometer in one minute.
  static var sample: CPTravelEstimates { CPTravelEstimates(distanceRemaining: .meters(1_000), timeRemaining: 60) }
}

extension CPRouteInformation {
  /// A route with two maneuvers.
  static var sample: CPRouteInformation {
    let maneuvers = [CPManeuver(), CPManeuver()]
    let lanes = CPLaneGuidance()
    return CPRouteInformation(
      maneuvers: maneuvers, laneGuidances: [lanes], currentManeuvers: [maneuvers[0]], currentLaneGuidance: lanes,
      tripTravelEstimates: .sample, maneuverTravelEstimates: .sample)
  }
}

extension CPRouteSegment {
  /// A segment with one maneuver.
  static var sample: CPRouteSegment {
    let maneuver = CPManeuver()
    let lanes = CPLaneGuidance()
    let waypoints = [CPTrip.sample.originWaypoint, CPTrip.sample.destinationWaypoint]
    return CPRouteSegment(
      origin: waypoints[0], destination: waypoints[1], maneuvers: [maneuver], laneGuidances: [lanes],
      currentManeuvers: [maneuver], currentLaneGuidance: lanes, tripTravelEstimates: .sample,
      maneuverTravelEstimates: .sample, coordinates: waypoints.map(\.centerPoint))
  }
}
