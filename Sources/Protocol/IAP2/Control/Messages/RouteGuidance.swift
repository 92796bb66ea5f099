// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to route guidance for a display: 0x5200 (Features.md#route-start; high).
public struct StartRouteGuidanceUpdates: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer, repeated.
  public var routeGuidanceDisplayComponentID: [UInt16] = []
  /// Parameter 1: flag without a value.
  public var sourceName: Presence = false
  /// Parameter 2: flag without a value.
  public var sourceSupportsRouteGuidance: Presence = false
  /// Parameter 3: flag without a value.
  public var supportsExitInfo: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5200, "StartRouteGuidanceUpdates", from: .accessory, "Route Guidance", .high,
    ["Features.md#route-start", "LIVI", "MIB2Q", "UNMARKED"],
    subscription: MessageSubscription(
      stop: StopRouteGuidanceUpdates.id,
      updates: [RouteGuidanceUpdate.id, RouteGuidanceManeuverUpdate.id, LaneGuidanceInformation.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RouteGuidanceDisplayComponentID", &routeGuidanceDisplayComponentID)
    try pass(1, "SourceName", &sourceName)
    try pass(2, "SourceSupportsRouteGuidance", &sourceSupportsRouteGuidance)
    try pass(3, "SupportsExitInfo", &supportsExitInfo)
  }
}

/// The state of route guidance.
public struct RouteGuidanceState: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let noRouteSet = Self(rawValue: 0)
  /// Value 1.
  public static let routeSet = Self(rawValue: 1)
  /// Value 2.
  public static let arrived = Self(rawValue: 2)
  /// Value 3.
  public static let loading = Self(rawValue: 3)
  /// Value 4.
  public static let locating = Self(rawValue: 4)
  /// Value 5.
  public static let rerouting = Self(rawValue: 5)
  /// Value 6.
  public static let proceedToRoute = Self(rawValue: 6)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "NoRouteSet"), (1, "RouteSet"), (2, "Arrived"), (3, "Loading"), (4, "Locating"), (5, "Rerouting"),
      (6, "ProceedToRoute"),
    ]
  }
}

/// The state of the next maneuver; no value is described.
public struct ManeuverState: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static var names: [(UInt8, StaticString)] {
    []
  }
}

/// The unit of a displayed distance.
public struct DistanceUnits: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let kilometers = Self(rawValue: 0)
  /// Value 1.
  public static let miles = Self(rawValue: 1)
  /// Value 2.
  public static let meters = Self(rawValue: 2)
  /// Value 3.
  public static let yards = Self(rawValue: 3)
  /// Value 4.
  public static let feet = Self(rawValue: 4)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Kilometers"), (1, "Miles"), (2, "Meters"), (3, "Yards"), (4, "Feet")]
  }
}

/// A message of the device that reports changes of the route: 0x5201 (Features.md#route-updates; high).
///
/// Parameters 21 to 26 have no name in a source that this project uses (Features.md#route-charging).
public struct RouteGuidanceUpdate: ControlMessage {
  /// Parameter 0: packed unsigned 16-bit integers.
  public var routeGuidanceDisplayComponentIDs: Packed<UInt16>?
  /// Parameter 1: enumeration ``RouteGuidanceState``.
  public var routeGuidanceState: RouteGuidanceState?
  /// Parameter 2: enumeration ``ManeuverState``.
  /// No public source gives the meaning of the values.
  public var maneuverState: ManeuverState?
  /// Parameter 3: UTF-8 text with a final NUL.
  public var currentRoadName: String?
  /// Parameter 4: UTF-8 text with a final NUL.
  public var destinationName: String?
  /// Parameter 5: unsigned 64-bit integer, in Unix seconds.
  public var estimatedTimeOfArrival: UInt64?
  /// Parameter 6: unsigned 64-bit integer, in seconds.
  public var timeRemainingToDestination: UInt64?
  /// Parameter 7: unsigned 32-bit integer, in metres.
  public var distanceRemaining: UInt32?
  /// Parameter 8: UTF-8 text with a final NUL.
  public var distanceRemainingDisplayString: String?
  /// Parameter 9: enumeration ``DistanceUnits``.
  public var distanceRemainingDisplayUnits: DistanceUnits?
  /// Parameter 10: unsigned 32-bit integer, in metres.
  public var distanceToNextManeuver: UInt32?
  /// Parameter 11: UTF-8 text with a final NUL.
  public var distanceToNextManeuverDisplayString: String?
  /// Parameter 12: enumeration ``DistanceUnits``.
  public var distanceToNextManeuverDisplayUnits: DistanceUnits?
  /// Parameter 13: packed unsigned 16-bit integers.
  public var routeGuidanceManeuverCurrentList: Packed<UInt16>?
  /// Parameter 14: unsigned 16-bit integer.
  public var routeGuidanceManeuverCount: UInt16?
  /// Parameter 15: Boolean.
  public var routeGuidanceBeingShownInApp: Bool?
  /// Parameter 16: unsigned 16-bit integer.
  public var laneGuidanceCurrentIndex: UInt16?
  /// Parameter 17: unsigned 16-bit integer.
  public var laneGuidanceTotalCount: UInt16?
  /// Parameter 18: Boolean.
  public var laneGuidanceShowing: Bool?
  /// Parameter 19: UTF-8 text with a final NUL.
  public var sourceName: String?
  /// Parameter 20: Boolean.
  public var sourceSupportsRouteGuidance: Bool?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5201, "RouteGuidanceUpdate", from: .device, "Route Guidance", .high,
    ["Features.md#route-updates", "LIVI", "NOTES", "MIB2Q"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RouteGuidanceDisplayComponentIDs", &routeGuidanceDisplayComponentIDs)
    try pass(1, "RouteGuidanceState", &routeGuidanceState)
    try pass(2, "ManeuverState", &maneuverState)
    try pass(3, "CurrentRoadName", &currentRoadName)
    try pass(4, "DestinationName", &destinationName)
    try pass(5, "EstimatedTimeOfArrival", &estimatedTimeOfArrival, ParameterNote(unit: "Unix seconds"))
    try pass(6, "TimeRemainingToDestination", &timeRemainingToDestination, ParameterNote(unit: "seconds"))
    try pass(7, "DistanceRemaining", &distanceRemaining, ParameterNote(unit: "metres"))
    try pass(8, "DistanceRemainingDisplayString", &distanceRemainingDisplayString)
    try pass(9, "DistanceRemainingDisplayUnits", &distanceRemainingDisplayUnits)
    try pass(10, "DistanceToNextManeuver", &distanceToNextManeuver, ParameterNote(unit: "metres"))
    try pass(11, "DistanceToNextManeuverDisplayString", &distanceToNextManeuverDisplayString)
    try pass(12, "DistanceToNextManeuverDisplayUnits", &distanceToNextManeuverDisplayUnits)
    try pass(13, "RouteGuidanceManeuverCurrentList", &routeGuidanceManeuverCurrentList)
    try pass(14, "RouteGuidanceManeuverCount", &routeGuidanceManeuverCount)
    try pass(15, "RouteGuidanceBeingShownInApp", &routeGuidanceBeingShownInApp)
    try pass(16, "LaneGuidanceCurrentIndex", &laneGuidanceCurrentIndex)
    try pass(17, "LaneGuidanceTotalCount", &laneGuidanceTotalCount)
    try pass(18, "LaneGuidanceShowing", &laneGuidanceShowing)
    try pass(19, "SourceName", &sourceName)
    try pass(20, "SourceSupportsRouteGuidance", &sourceSupportsRouteGuidance)
  }
}

/// A message of the accessory that ends the subscription to route guidance: 0x5203 (Features.md#route-stop; high).
public struct StopRouteGuidanceUpdates: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer, repeated.
  public var routeGuidanceDisplayComponentID: [UInt16] = []
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5203, "StopRouteGuidanceUpdates", from: .accessory, "Route Guidance", .high,
    ["Features.md#route-stop", "LIVI", "MIB2Q", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RouteGuidanceDisplayComponentID", &routeGuidanceDisplayComponentID)
  }
}
