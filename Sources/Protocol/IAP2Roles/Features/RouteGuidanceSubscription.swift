// swift-iap2 · Apache-2.0

import IAP2

/// A subscription to route guidance. The state is sent as changes, each maneuver and each set of lanes once.
struct RouteGuidanceSubscription: Sendable {
  private var components: [UInt16] = []
  private var state = Subscription<RouteGuidanceUpdate>()
  private var wantsLanes = false
  private var wantsExits = false
  /// The maneuvers that were sent: the first index of their route, and their number.
  private var reported: (first: Int, count: Int) = (-1, 0)
  private var hadRoute = false

  /// The maneuvers that are sent ahead, as a burst at the start of a route (Features.md#route-maneuvers; high).
  private static let ahead = 20
  /// The attributes that a Start need not name: all except the source's name, its support and the exits.
  private static let always = Set(UInt16(0)...UInt16(18))

  var isActive: Bool { state.isActive }

  mutating func start(
    _ start: StartRouteGuidanceUpdates, component: RouteGuidanceDisplayComponent?
  ) throws(WireError) {
    components =
      start.routeGuidanceDisplayComponentID.isEmpty
      ? component.map { [$0.componentIdentifier] } ?? [] : start.routeGuidanceDisplayComponentID
    wantsLanes = component?.maximumLaneGuidanceStorageCapacity != nil
    var wanted = Self.always
    if start.sourceName.isSet { wanted.insert(19) }
    if start.sourceSupportsRouteGuidance.isSet { wanted.insert(20) }
    let nothing = ControlHeader.message(StartRouteGuidanceUpdates.id)
    try state.start(nothing.rawBytes, always: wanted)
    wantsExits = start.supportsExitInfo.isSet
    reported = (-1, 0)
    hadRoute = false
  }

  mutating func stop() {
    state.stop()
    reported = (-1, 0)
    hadRoute = false
  }

  /// Returns the messages that bring the car up to date.
  mutating func messages(for guidance: Guidance?) throws(WireError) -> [[UInt8]] {
    guard state.isActive else { return [] }
    var update = guidance?.update ?? Self.noRoute
    update.routeGuidanceDisplayComponentIDs = Packed(components)
    if wantsLanes, let guidance, let next = guidance.next {
      update.laneGuidanceCurrentIndex = UInt16(truncatingIfNeeded: guidance.firstIndex + next)
      update.laneGuidanceTotalCount = UInt16(clamping: guidance.route.maneuvers.count { !$0.lanes.isEmpty })
      update.laneGuidanceShowing = !guidance.route.maneuvers[next].lanes.isEmpty
    }
    // There was no route before, so there is nothing to clear.
    if guidance == nil, !hadRoute { return [] }
    hadRoute = guidance != nil
    let state = try state.update(to: update, with: AttributeTable.Key(id: 0)).map { [$0] } ?? []
    return state + (try guidance.map { guidance throws(WireError) in try maneuvers(of: guidance) } ?? [])
  }

  private mutating func maneuvers(of guidance: Guidance) throws(WireError) -> [[UInt8]] {
    if reported.first != guidance.firstIndex { reported = (guidance.firstIndex, 0) }
    let end = min(guidance.route.maneuvers.count, (guidance.next ?? 0) + Self.ahead)
    guard reported.count < end else { return [] }
    var messages: [[UInt8]] = []
    do {
      for position in reported.count..<end {
        if wantsLanes, let lanes = guidance.lanes(position, components: components) {
          messages.append(try lanes.encoded())
        }
        var maneuver = guidance.maneuver(position, components: components)
        if !wantsExits { maneuver.exitInfo = nil }
        messages.append(try maneuver.encoded())
      }
    } catch { throw WireError(.badLength(0), offset: 2) }
    reported.count = end
    return messages
  }

  private static var noRoute: RouteGuidanceUpdate {
    var update = RouteGuidanceUpdate()
    update.routeGuidanceState = .noRouteSet
    update.currentRoadName = ""
    update.destinationName = ""
    update.distanceRemaining = 0
    update.distanceToNextManeuver = 0
    (update.distanceRemainingDisplayString, update.distanceRemainingDisplayUnits) = ("", .meters)
    (update.distanceToNextManeuverDisplayString, update.distanceToNextManeuverDisplayUnits) = ("", .meters)
    update.timeRemainingToDestination = 0
    update.routeGuidanceManeuverCurrentList = []
    update.routeGuidanceManeuverCount = 0
    update.routeGuidanceBeingShownInApp = false
    return update
  }
}
