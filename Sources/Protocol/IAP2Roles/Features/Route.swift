// swift-iap2 · Apache-2.0

public import IAP2

/// A route of the phone's navigation.
public struct Route: Sendable, Hashable, Codable {
  /// A maneuver of a route.
  public struct Maneuver: Sendable, Hashable, Codable {
    /// The kind of the maneuver.
    package var type: ManeuverType
    /// The description of the maneuver as text.
    package var description: String
    /// The name of the road after the maneuver.
    package var road: String
    /// The distance in meters from the previous maneuver, or from the start.
    package var distance: Int
    /// The side of the road on which vehicles drive.
    package var drivingSide = DrivingSide.rightHandTraffic
    /// The kind of the junction; nil sends none.
    package var junction: JunctionType?
    /// The angles of the junction's other roads in degrees.
    package var angles: [Int16] = []
    /// The angle of the road to take in degrees, negative to the left; nil sends none.
    package var exitAngle: Int16?
    /// The name or number of the exit; empty sends none.
    package var exit = ""
    /// The lanes before the maneuver; empty sends no lane guidance.
    package var lanes: [Lane] = []

    /// Creates a maneuver without junction, exit and lanes, in right-hand traffic.
    public init(type: ManeuverType, description: String, road: String, distance: Int) {
      self.type = type
      self.description = description
      self.road = road
      self.distance = distance
    }
  }

  /// A lane before a maneuver.
  public struct Lane: Sendable, Hashable, Codable {
    /// The recommendation for the lane.
    package var status: LaneStatus
    /// The angles of the arrows on the lane in degrees; 0 is straight on.
    package var angles: [Int16]
    /// The angle of the arrow to follow in degrees; nil sends none.
    package var highlight: Int16?

    /// Creates a lane.
    public init(status: LaneStatus, angles: [Int16], highlight: Int16? = nil) {
      self.status = status
      self.angles = angles
      self.highlight = highlight
    }
  }

  /// The name of the destination.
  package var destination: String
  /// The name of the road at the start.
  package var start: String
  /// The maneuvers in driving order.
  package var maneuvers: [Maneuver]
  /// The name of the app that navigates.
  package var source = "Maps"
  /// Whether the app shows the guidance itself (parameter 15 of the update).
  package var isShownInApp = true
  /// Whether the app supports the guidance of accessories (parameter 20 of the update).
  package var supportsGuidance = true

  /// Creates a route of the app "Maps".
  public init(destination: String, start: String, maneuvers: [Maneuver]) {
    self.destination = destination
    self.start = start
    self.maneuvers = maneuvers
  }

  /// The length of the route in meters.
  package var distance: Int { maneuvers.reduce(0) { $0 + $1.distance } }
}

/// The guidance along a route that is being driven.
package struct Guidance: Sendable, Equatable {
  /// The route.
  package var route: Route
  /// The position in meters from the start.
  package private(set) var position = 0
  /// The speed in meters per second.
  package var speed = 14
  /// Whether the position changes with time.
  package var isMoving = true
  /// The state of guidance that is reported.
  package var state = RouteGuidanceState.routeSet
  /// The values that an app tells in place of those of the position; nil if the position counts.
  package var reported: Reported?

  /// The progress of an app's guidance. Distances are in meters, times in seconds.
  package struct Reported: Sendable, Hashable, Codable {
    /// The index of the next maneuver in the route; nil after the last one.
    package var next: Int?
    /// The name of the road that is driven; nil for the one after the last maneuver.
    package var road: String?
    /// The way to that maneuver; nil if the app has not reported it.
    package var distanceToNext: Int?
    /// The way and the time to the destination.
    package var distanceLeft, secondsLeft: Int?

    /// Creates a progress without values.
    package init() {}
  }

  /// The current time in Unix seconds, for the time of arrival.
  var time: UInt64 = 0
  /// The index of the route's first maneuver. Indexes only increase, also over several routes
  /// (Features.md#route-maneuvers).
  let firstIndex: Int
  private var remainder = 0

  init(route: Route, firstIndex: Int) {
    self.route = route
    self.firstIndex = firstIndex
  }

  /// Whether the position is at the end of the route.
  package var isArrived: Bool { position >= route.distance }

  /// The index of the next maneuver in the route, from 0; nil after the last one.
  package var next: Int? {
    if let reported { return reported.next.flatMap { route.maneuvers.indices.contains($0) ? $0 : nil } }
    var end = 0
    for (index, maneuver) in route.maneuvers.enumerated() {
      end += maneuver.distance
      if position < end { return index }
    }
    return nil
  }

  /// Moves along the route for the time that has passed, if ``isMoving`` is true and the state is `routeSet` or
  /// `proceedToRoute`.
  package mutating func advance(milliseconds: Int) {
    guard reported == nil else { return }
    // A route of length 0 is at its end from the beginning.
    if isArrived { state = .arrived }
    guard isMoving, state == .routeSet || state == .proceedToRoute else { return }
    remainder += speed * milliseconds
    move(by: remainder / 1000)
    remainder %= 1000
  }

  /// Moves forward by a distance in meters, at most to the end of the route. A negative distance counts as 0.
  package mutating func move(by metres: Int) {
    position = min(route.distance, position + max(0, metres))
    state = isArrived ? .arrived : .routeSet
  }

  private var distanceToNext: Int {
    if let reported { return reported.distanceToNext ?? 0 }
    let next = next ?? route.maneuvers.count
    return max(0, route.maneuvers.prefix(next + 1).reduce(0) { $0 + $1.distance } - position)
  }

  /// The indexes of the maneuvers that follow, at most two.
  var currentIndexes: [UInt16] {
    guard let next else { return [] }
    return (next..<min(next + 2, route.maneuvers.count)).map { UInt16(truncatingIfNeeded: firstIndex + $0) }
  }

  var update: RouteGuidanceUpdate {
    var update = RouteGuidanceUpdate()
    let left = reported.map { $0.distanceLeft ?? 0 } ?? route.distance - position
    let seconds = reported.map { UInt64(clamping: $0.secondsLeft ?? 0) } ?? (speed > 0 ? UInt64(left / speed) : 0)
    update.routeGuidanceState = state
    update.currentRoadName = road
    update.destinationName = route.destination
    update.estimatedTimeOfArrival = time + seconds
    update.timeRemainingToDestination = seconds
    update.distanceRemaining = UInt32(clamping: left)
    (update.distanceRemainingDisplayString, update.distanceRemainingDisplayUnits) = Self.display(left)
    update.distanceToNextManeuver = UInt32(clamping: distanceToNext)
    (update.distanceToNextManeuverDisplayString, update.distanceToNextManeuverDisplayUnits) = Self.display(
      distanceToNext)
    update.routeGuidanceManeuverCurrentList = Packed(currentIndexes)
    update.routeGuidanceManeuverCount = UInt16(clamping: route.maneuvers.count)
    update.routeGuidanceBeingShownInApp = route.isShownInApp
    update.sourceName = route.source
    update.sourceSupportsRouteGuidance = route.supportsGuidance
    return update
  }

  /// The current road: the one after the last maneuver, or that of the start.
  private var road: String {
    if let road = reported?.road { return road }
    let next = next ?? route.maneuvers.count
    return next == 0 ? route.start : route.maneuvers[next - 1].road
  }

  /// Returns a distance in meters as display text with its unit.
  static func display(_ metres: Int) -> (String, DistanceUnits) {
    if metres < 1000 { return ("\(metres)", .meters) }
    let tenths = (metres + 50) / 100
    return ("\(tenths / 10).\(tenths % 10)", .kilometers)
  }

  /// Returns the message with one maneuver, which the car keeps.
  func maneuver(_ position: Int, components: [UInt16]) -> RouteGuidanceManeuverUpdate {
    let maneuver = route.maneuvers[position]
    var update = RouteGuidanceManeuverUpdate()
    update.routeGuidanceDisplayComponentIDs = Packed(components)
    update.index = UInt16(truncatingIfNeeded: firstIndex + position)
    update.maneuverDescription = maneuver.description
    update.maneuverType = maneuver.type
    update.afterManeuverRoadName = maneuver.road
    update.distanceBetweenManeuver = UInt32(clamping: maneuver.distance)
    (update.distanceBetweenManeuverDisplayString, update.distanceBetweenManeuverDisplayUnits) = Self.display(
      maneuver.distance)
    update.drivingSide = maneuver.drivingSide
    update.junctionType = maneuver.junction
    update.junctionElementAngle = maneuver.angles
    update.junctionElementExitAngle = maneuver.exitAngle
    if !maneuver.lanes.isEmpty {
      update.linkedLaneGuidanceInformation = UInt16(truncatingIfNeeded: firstIndex + position)
    }
    update.exitInfo = maneuver.exit.isEmpty ? nil : maneuver.exit
    return update
  }

  /// Returns the message with the lanes before a maneuver; nil if it has no lanes.
  func lanes(_ position: Int, components: [UInt16]) -> LaneGuidanceInformation? {
    let maneuver = route.maneuvers[position]
    guard !maneuver.lanes.isEmpty else { return nil }
    var update = LaneGuidanceInformation()
    update.routeGuidanceDisplayComponentIDs = Packed(components)
    update.index = UInt16(truncatingIfNeeded: firstIndex + position)
    update.laneInformation = maneuver.lanes.enumerated().map { number, lane in
      var information = LaneGuidanceInformation.LaneInformation()
      information.laneIndex = UInt16(clamping: number)
      information.laneStatus = lane.status
      information.laneAngle = lane.angles
      information.laneAngleHighlight = lane.highlight
      return information
    }
    update.laneGuidanceDescription = maneuver.description
    return update
  }
}
