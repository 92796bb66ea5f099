// swift-iap2 · Apache-2.0

public import IAP2

/// A way to somewhere, as the phone's navigation knows it.
public struct Route: Sendable, Hashable {
  public struct Maneuver: Sendable, Hashable {
    public var type: ManeuverType
    public var description: String
    /// The road after it.
    public var road: String
    /// Metres from the maneuver before it, or from the start.
    public var distance: Int
    public var drivingSide = DrivingSide.rightHandTraffic
    public var junction: JunctionType?
    /// Degrees, of the junction's other roads and of the one to take.
    public var angles: [Int16] = []
    public var exitAngle: Int16?
    public var exit = ""
    public var lanes: [Lane] = []

    public init(type: ManeuverType, description: String, road: String, distance: Int) {
      self.type = type
      self.description = description
      self.road = road
      self.distance = distance
    }
  }

  public struct Lane: Sendable, Hashable {
    public var status: LaneStatus
    /// Degrees of the arrows on it, 0 is straight on.
    public var angles: [Int16]
    /// The arrow to follow.
    public var highlight: Int16?

    public init(status: LaneStatus, angles: [Int16], highlight: Int16? = nil) {
      self.status = status
      self.angles = angles
      self.highlight = highlight
    }
  }

  public var destination: String
  public var start: String
  public var maneuvers: [Maneuver]
  /// The app that navigates.
  public var source = "Maps"

  public init(destination: String, start: String, maneuvers: [Maneuver]) {
    self.destination = destination
    self.start = start
    self.maneuvers = maneuvers
  }

  public var distance: Int { maneuvers.reduce(0) { $0 + $1.distance } }
}

/// A route that is being driven.
public struct Guidance: Sendable, Equatable {
  public var route: Route
  /// Metres from the start.
  public private(set) var position = 0
  /// Metres a second.
  public var speed = 14
  /// Whether the position moves with time.
  public var isMoving = true
  public var state = RouteGuidanceState.routeSet
  /// Unix seconds, for the time of arrival.
  var time: UInt64 = 0
  /// What indexes of maneuvers begin with: they only grow, also over several routes (Features.md#route-maneuvers).
  let firstIndex: Int
  private var remainder = 0

  init(route: Route, firstIndex: Int) {
    self.route = route
    self.firstIndex = firstIndex
  }

  public var isArrived: Bool { position >= route.distance }

  /// The next maneuver, counted from 0; nil after the last.
  public var next: Int? {
    var end = 0
    for (index, maneuver) in route.maneuvers.enumerated() {
      end += maneuver.distance
      if position < end { return index }
    }
    return nil
  }

  public mutating func advance(milliseconds: Int) {
    // A route of no length is at its end when it begins.
    if isArrived { state = .arrived }
    guard isMoving, state == .routeSet || state == .proceedToRoute else { return }
    remainder += speed * milliseconds
    move(by: remainder / 1000)
    remainder %= 1000
  }

  public mutating func move(by metres: Int) {
    position = min(route.distance, position + max(0, metres))
    state = isArrived ? .arrived : .routeSet
  }

  private var distanceToNext: Int {
    let next = next ?? route.maneuvers.count
    return max(0, route.maneuvers.prefix(next + 1).reduce(0) { $0 + $1.distance } - position)
  }

  /// Maneuvers still to come, at most two at a time.
  var currentIndexes: [UInt16] {
    guard let next else { return [] }
    return (next..<min(next + 2, route.maneuvers.count)).map { UInt16(truncatingIfNeeded: firstIndex + $0) }
  }

  var update: RouteGuidanceUpdate {
    var update = RouteGuidanceUpdate()
    let left = route.distance - position
    let seconds = speed > 0 ? UInt64(left / speed) : 0
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
    update.routeGuidanceBeingShownInApp = true
    update.sourceName = route.source
    update.sourceSupportsRouteGuidance = true
    return update
  }

  /// The road one is on: the one after the last maneuver.
  private var road: String {
    let next = next ?? route.maneuvers.count
    return next == 0 ? route.start : route.maneuvers[next - 1].road
  }

  /// Metres as people read them.
  static func display(_ metres: Int) -> (String, DistanceUnits) {
    if metres < 1000 { return ("\(metres)", .meters) }
    let tenths = (metres + 50) / 100
    return ("\(tenths / 10).\(tenths % 10)", .kilometers)
  }

  /// A maneuver as the car caches it.
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

  /// The lanes before a maneuver; nil where there is nothing to say.
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
