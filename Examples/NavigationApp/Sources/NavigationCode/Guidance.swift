// swift-iap2 · Apache-2.0

import CarPlay

/// The guidance on one car: a session with the next turns, their estimates and alerts.
@MainActor
final class Guidance {
  private let route: Route
  private let trip: CPTrip
  private let template: CPMapTemplate
  private let session: CPNavigationSession
  private var maneuvers: [CPManeuver] = []
  private let prompts = Prompts()
  /// The lanes of the maneuvers that the car's own displays know; maneuvers do not retain them.
  private var lanes: [CPLaneGuidance] = []
  private var shownTurn: Int?

  init(_ route: Route, _ trip: CPTrip, on template: CPMapTemplate) {
    self.route = route
    self.trip = trip
    self.template = template
    session = template.startNavigationSession(for: trip)
    session.pauseTrip(for: .loading, description: nil)
    let meters = route.kilometers * 1000
    let seconds = route.minutes * 60
    show(
      Progress(turn: 0, metersToTurn: 500, secondsToTurn: 60, metersToEnd: meters, secondsToEnd: seconds))
  }

  /// Shows a position. Maneuvers change at a turn, and only their numbers in between.
  func show(_ progress: Progress) {
    if shownTurn != progress.turn {
      shownTurn = progress.turn
      let turn = route.turns[progress.turn]
      maneuvers = Self.maneuvers(turn, progress)
      tellOtherDisplays(turn)
      session.upcomingManeuvers = maneuvers
      prompts.say(turn.text)
    }
    if let first = maneuvers.first {
      session.updateEstimates(Self.estimates(progress.metersToTurn, progress.secondsToTurn), for: first)
    }
    template.updateEstimates(Self.estimates(progress.metersToEnd, progress.secondsToEnd), for: trip)
  }

  /// Tells the car's own displays the kind of the turn, the road after it and its lanes.
  private func tellOtherDisplays(_ turn: Turn) {
    guard let first = maneuvers.first else { return }
    first.maneuverType = turn.kind
    first.roadFollowingManeuverVariants = [turn.shortText]
    if turn.lanes {
      let guidance = CPLaneGuidance()
      guidance.lanes = Self.threeLanes
      lanes.append(guidance)
      first.linkedLaneGuidance = guidance
      session.add([guidance])
    }
    session.add(maneuvers)
  }

  /// Three lanes, of which the left one leads along the route.
  private static var threeLanes: [CPLane] {
    let degrees = { (value: Double) in Measurement(value: value, unit: UnitAngle.degrees) }
    return [
      CPLane(angles: [degrees(-90)], highlightedAngle: degrees(-90), isPreferred: true),
      CPLane(angles: [degrees(0)]), CPLane(angles: [degrees(0), degrees(90)]),
    ]
  }

  /// Shows an alert on the map, with a way around.
  func warn(_ text: String) {
    let around = CPAlertAction(title: "Go around", style: .default) { [session] _ in
      session.pauseTrip(for: .rerouting, description: "Looking for a way around")
    }
    let stay = CPAlertAction(title: "Stay", style: .cancel) { _ in }
    let alert = CPNavigationAlert(
      titleVariants: [text], subtitleVariants: ["5 min"], image: UIImage(systemName: "exclamationmark.triangle"),
      primaryAction: around, secondaryAction: stay, duration: 10)
    template.present(navigationAlert: alert, animated: true)
  }

  func arrive() { session.finishTrip() }

  func end() { session.cancelTrip() }

  /// Whether a maneuver is an image of the lanes.
  static func isLanes(_ maneuver: CPManeuver) -> Bool { maneuver.userInfo as? String == lanes }

  private static let lanes = "lanes"

  private static func maneuvers(_ turn: Turn, _ progress: Progress) -> [CPManeuver] {
    let first = CPManeuver()
    first.instructionVariants = [turn.text, turn.shortText]
    first.symbolImage = UIImage(systemName: turn.symbol)
    first.initialTravelEstimates = estimates(progress.metersToTurn, progress.secondsToTurn)
    guard turn.lanes else { return [first] }
    let second = CPManeuver()
    second.symbolImage = UIImage(systemName: "road.lanes")
    second.userInfo = lanes
    return [first, second]
  }

  private static func estimates(_ meters: Double, _ seconds: Double) -> CPTravelEstimates {
    let distance =
      meters < 1000
      ? Measurement(value: meters, unit: UnitLength.meters)
      : Measurement(value: meters / 1000, unit: UnitLength.kilometers)
    return CPTravelEstimates(distanceRemaining: distance, timeRemaining: seconds)
  }
}
