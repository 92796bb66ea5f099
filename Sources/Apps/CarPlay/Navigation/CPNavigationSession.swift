// swift-iap2 · Apache-2.0

import CarPlayPlatform

/// The guidance of one trip, from ``CPMapTemplate/startNavigationSession(for:)`` until it is finished or cancelled.
///
/// After the end of the session, its methods have no effect, and each call is reported.
@preconcurrency @MainActor
open class CPNavigationSession: NSObject {
  /// The reasons of a pause, for which the car shows a card in the place of the maneuver.
  public enum PauseReason: UInt, Sendable {
    /// The driver arrived.
    case arrived = 1
    /// The app calculates the route.
    case loading = 2
    /// The app waits for the position.
    case locating = 3
    /// The app calculates a new route.
    case rerouting = 4
    /// The driver has to go to the route.
    case proceedToRoute = 5
  }

  /// The card of a pause.
  @MainActor
  package struct Pause {
    /// The reason.
    package let reason: PauseReason
    /// The text. Without it the car has one for the reason.
    package let description: String?
    /// The background. Without it the template's color is used.
    package let turnCardColor: UIColor?
  }

  /// The state of the guidance.
  @MainActor
  package enum State {
    case guiding
    case paused(Pause)
    case finished
    case cancelled
  }

  /// The trip.
  public let trip: CPTrip

  /// The state of the guidance.
  package private(set) var state = State.guiding

  /// The maneuvers that the app added, in order. With navigation metadata, a maneuver is added before it is upcoming.
  package private(set) var addedManeuvers: [CPManeuver] = []

  /// The lane guidances that the app added, in order.
  package private(set) var addedLaneGuidances: [CPLaneGuidance] = []

  /// The reason of the latest change of the route that came with segments.
  package private(set) var rerouteReason: CPRerouteReason?

  init(trip: CPTrip) {
    self.trip = trip
    super.init()
  }

  /// The next maneuvers, the nearest first. The car shows two of them.
  ///
  /// A new value resumes a paused session, unless the car's behavior says otherwise.
  public var upcomingManeuvers: [CPManeuver] = [] {
    didSet {
      if case .paused = state, CarPlayModule.system.settings.behavior.maneuversResumeTrip { state = .guiding }
      noteChange()
    }
  }

  /// The lanes at the next maneuver. Before the first value it is nil.
  @available(iOS 17.4, *)
  public var currentLaneGuidance: CPLaneGuidance! { didSet { noteChange() } }

  /// The names of the current road, the longest first.
  @available(iOS 17.4, *)
  public var currentRoadNameVariants: [String] = [] { didSet { noteChange() } }

  /// The distance of the next maneuver as a state.
  @available(iOS 17.4, *)
  public var maneuverState = CPManeuverState.continue { didSet { noteChange() } }

  /// The segments of the route.
  @available(iOS 26.4, *)
  public private(set) var routeSegments: [CPRouteSegment] = []

  /// The current segment of the route. Before the first value it is nil.
  @available(iOS 26.4, *)
  public var currentSegment: CPRouteSegment! { didSet { noteChange() } }

  /// Sets the estimates of a maneuver.
  public func updateEstimates(_ estimates: CPTravelEstimates, for maneuver: CPManeuver) {
    guard continues(#function) else { return }
    maneuver.updatedTravelEstimates = estimates
    CarPlayModule.system.perform(.navigation(.updateManeuverEstimates(maneuver, self)))
  }

  /// Pauses the guidance and shows a card with a text.
  public func pauseTrip(for reason: PauseReason, description: String?) {
    pauseTrip(for: reason, description: description, turnCardColor: nil)
  }

  /// Pauses the guidance and shows a card with a text and a color.
  @available(iOS 15.4, *)
  public func pauseTrip(for reason: PauseReason, description: String?, turnCardColor: UIColor?) {
    guard continues(#function) else { return }
    state = .paused(Pause(reason: reason, description: description, turnCardColor: turnCardColor))
    noteChange("pauseTrip")
  }

  /// Ends the session because the driver arrived.
  public func finishTrip() { end(.finished, #function) }

  /// Ends the session before the destination.
  public func cancelTrip() { end(.cancelled, #function) }

  /// Adds maneuvers to the metadata of the route.
  @available(iOS 17.4, *)
  public func add(_ maneuvers: [CPManeuver]) {
    guard continues(#function) else { return }
    addedManeuvers += maneuvers
    noteChange("addManeuvers")
  }

  /// Adds lane guidances to the metadata of the route.
  @available(iOS 17.4, *)
  public func add(_ laneGuidances: [CPLaneGuidance]) {
    guard continues(#function) else { return }
    addedLaneGuidances += laneGuidances
    noteChange("addLaneGuidances")
  }

  /// Adds segments to the route.
  @available(iOS 26.4, *)
  public func addRouteSegments(_ routeSegments: [CPRouteSegment]) {
    guard continues(#function) else { return }
    self.routeSegments += routeSegments
    noteChange("addRouteSegments")
  }

  /// Resumes a paused session with a new route.
  @available(iOS 17.4, *)
  public func resumeTrip(updatedRouteInformation routeInformation: CPRouteInformation) {
    guard continues(#function) else { return }
    adopt(routeInformation)
    noteChange("resumeTrip")
  }

  /// Resumes a paused session with new segments of the route.
  @available(iOS 26.4, *)
  public func resumeTrip(
    updatedRouteSegments routeSegments: [CPRouteSegment], currentSegment: CPRouteSegment,
    rerouteReason: CPRerouteReason
  ) {
    guard continues(#function) else { return }
    self.routeSegments = routeSegments
    self.currentSegment = currentSegment
    self.rerouteReason = rerouteReason
    adopt(currentSegment.information)
    noteChange("resumeTrip")
  }

  private func adopt(_ route: CPRouteInformation) {
    state = .guiding
    addedManeuvers = route.maneuvers
    addedLaneGuidances = route.laneGuidances
    upcomingManeuvers = route.currentManeuvers
    currentLaneGuidance = route.currentLaneGuidance
    trip.estimates = CPTrip.Estimates(travel: route.tripTravelEstimates, timeRemainingColor: .default)
    route.currentManeuvers.first?.updatedTravelEstimates = route.maneuverTravelEstimates
  }

  private func end(_ end: State, _ method: String) {
    guard continues(method) else { return }
    state = end
    CarPlayModule.system.perform(.navigation(.endNavigation(self)))
  }

  /// Returns whether the session has not ended. Otherwise it reports the call.
  private func continues(_ method: String) -> Bool {
    if isActive { return true }
    CarPlayModule.system.report(
      CarDiagnostic(
        .ignored, what: "\(method) of a navigation session that has ended", carShows: "no change",
        remedy: "start a new session for the trip"))
    return false
  }
}

extension CPNavigationSession {
  /// Whether the session is neither finished nor cancelled.
  package var isActive: Bool {
    switch state {
    case .guiding, .paused: true
    case .finished, .cancelled: false
    }
  }

  /// The card of the pause, if the session is paused.
  package var pause: Pause? {
    guard case .paused(let pause) = state else { return nil }
    return pause
  }
}
