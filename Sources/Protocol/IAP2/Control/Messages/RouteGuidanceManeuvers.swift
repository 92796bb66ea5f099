// swift-iap2 · Apache-2.0

/// The kind of a maneuver.
public struct ManeuverType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let noTurn = Self(rawValue: 0)
  /// Value 1.
  public static let leftTurn = Self(rawValue: 1)
  /// Value 2.
  public static let rightTurn = Self(rawValue: 2)
  /// Value 3.
  public static let straightAhead = Self(rawValue: 3)
  /// Value 4.
  public static let uTurn = Self(rawValue: 4)
  /// Value 5.
  public static let followRoad = Self(rawValue: 5)
  /// Value 6.
  public static let enterRoundabout = Self(rawValue: 6)
  /// Value 7.
  public static let exitRoundabout = Self(rawValue: 7)
  /// Value 8.
  public static let offRamp = Self(rawValue: 8)
  /// Value 9.
  public static let onRamp = Self(rawValue: 9)
  /// Value 10.
  public static let arriveEndOfNavigation = Self(rawValue: 10)
  /// Value 11.
  public static let startRoute = Self(rawValue: 11)
  /// Value 12.
  public static let arriveAtDestination = Self(rawValue: 12)
  /// Value 13.
  public static let keepLeft = Self(rawValue: 13)
  /// Value 14.
  public static let keepRight = Self(rawValue: 14)
  /// Value 15.
  public static let enterFerry = Self(rawValue: 15)
  /// Value 16.
  public static let exitFerry = Self(rawValue: 16)
  /// Value 17.
  public static let changeFerry = Self(rawValue: 17)
  /// Value 18.
  public static let startRouteWithUTurn = Self(rawValue: 18)
  /// Value 19.
  public static let uTurnAtRoundabout = Self(rawValue: 19)
  /// Value 20.
  public static let leftTurnAtEnd = Self(rawValue: 20)
  /// Value 21.
  public static let rightTurnAtEnd = Self(rawValue: 21)
  /// Value 22.
  public static let highwayOffRampLeft = Self(rawValue: 22)
  /// Value 23.
  public static let highwayOffRampRight = Self(rawValue: 23)
  /// Value 24.
  public static let arriveAtDestinationLeft = Self(rawValue: 24)
  /// Value 25.
  public static let arriveAtDestinationRight = Self(rawValue: 25)
  /// Value 26.
  public static let uTurnWhenPossible = Self(rawValue: 26)
  /// Value 27.
  public static let arriveEndOfDirections = Self(rawValue: 27)
  /// Value 28.
  public static let roundaboutExit1 = Self(rawValue: 28)
  /// Value 29.
  public static let roundaboutExit2 = Self(rawValue: 29)
  /// Value 30.
  public static let roundaboutExit3 = Self(rawValue: 30)
  /// Value 31.
  public static let roundaboutExit4 = Self(rawValue: 31)
  /// Value 32.
  public static let roundaboutExit5 = Self(rawValue: 32)
  /// Value 33.
  public static let roundaboutExit6 = Self(rawValue: 33)
  /// Value 34.
  public static let roundaboutExit7 = Self(rawValue: 34)
  /// Value 35.
  public static let roundaboutExit8 = Self(rawValue: 35)
  /// Value 36.
  public static let roundaboutExit9 = Self(rawValue: 36)
  /// Value 37.
  public static let roundaboutExit10 = Self(rawValue: 37)
  /// Value 38.
  public static let roundaboutExit11 = Self(rawValue: 38)
  /// Value 39.
  public static let roundaboutExit12 = Self(rawValue: 39)
  /// Value 40.
  public static let roundaboutExit13 = Self(rawValue: 40)
  /// Value 41.
  public static let roundaboutExit14 = Self(rawValue: 41)
  /// Value 42.
  public static let roundaboutExit15 = Self(rawValue: 42)
  /// Value 43.
  public static let roundaboutExit16 = Self(rawValue: 43)
  /// Value 44.
  public static let roundaboutExit17 = Self(rawValue: 44)
  /// Value 45.
  public static let roundaboutExit18 = Self(rawValue: 45)
  /// Value 46.
  public static let roundaboutExit19 = Self(rawValue: 46)
  /// Value 47.
  public static let sharpLeftTurn = Self(rawValue: 47)
  /// Value 48.
  public static let sharpRightTurn = Self(rawValue: 48)
  /// Value 49.
  public static let slightLeftTurn = Self(rawValue: 49)
  /// Value 50.
  public static let slightRightTurn = Self(rawValue: 50)
  /// Value 51.
  public static let changeHighway = Self(rawValue: 51)
  /// Value 52.
  public static let changeHighwayLeft = Self(rawValue: 52)
  /// Value 53.
  public static let changeHighwayRight = Self(rawValue: 53)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "NoTurn"), (1, "LeftTurn"), (2, "RightTurn"), (3, "StraightAhead"), (4, "UTurn"), (5, "FollowRoad"),
      (6, "EnterRoundabout"), (7, "ExitRoundabout"), (8, "OffRamp"), (9, "OnRamp"), (10, "ArriveEndOfNavigation"),
      (11, "StartRoute"), (12, "ArriveAtDestination"), (13, "KeepLeft"), (14, "KeepRight"), (15, "EnterFerry"),
      (16, "ExitFerry"), (17, "ChangeFerry"), (18, "StartRouteWithUTurn"), (19, "UTurnAtRoundabout"),
      (20, "LeftTurnAtEnd"), (21, "RightTurnAtEnd"), (22, "HighwayOffRampLeft"), (23, "HighwayOffRampRight"),
      (24, "ArriveAtDestinationLeft"), (25, "ArriveAtDestinationRight"), (26, "UTurnWhenPossible"),
      (27, "ArriveEndOfDirections"), (28, "RoundaboutExit1"), (29, "RoundaboutExit2"), (30, "RoundaboutExit3"),
      (31, "RoundaboutExit4"), (32, "RoundaboutExit5"), (33, "RoundaboutExit6"), (34, "RoundaboutExit7"),
      (35, "RoundaboutExit8"), (36, "RoundaboutExit9"), (37, "RoundaboutExit10"), (38, "RoundaboutExit11"),
      (39, "RoundaboutExit12"), (40, "RoundaboutExit13"), (41, "RoundaboutExit14"), (42, "RoundaboutExit15"),
      (43, "RoundaboutExit16"), (44, "RoundaboutExit17"), (45, "RoundaboutExit18"), (46, "RoundaboutExit19"),
      (47, "SharpLeftTurn"), (48, "SharpRightTurn"), (49, "SlightLeftTurn"), (50, "SlightRightTurn"),
      (51, "ChangeHighway"), (52, "ChangeHighwayLeft"), (53, "ChangeHighwayRight"),
    ]
  }
}

/// The side of the road on which vehicles drive.
public struct DrivingSide: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let rightHandTraffic = Self(rawValue: 0)
  /// Value 1.
  public static let leftHandTraffic = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "RightHandTraffic"), (1, "LeftHandTraffic")]
  }
}

/// The kind of a junction.
public struct JunctionType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let singleIntersection = Self(rawValue: 0)
  /// Value 1.
  public static let roundabout = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "SingleIntersection"), (1, "Roundabout")]
  }
}

/// A message of the device that describes one maneuver of the route: 0x5202 (Features.md#route-maneuvers; high).
public struct RouteGuidanceManeuverUpdate: ControlMessage {
  /// Parameter 0: packed unsigned 16-bit integers.
  public var routeGuidanceDisplayComponentIDs: Packed<UInt16>?
  /// Parameter 1: unsigned 16-bit integer. Required.
  public var index: UInt16 = 0
  /// Parameter 2: UTF-8 text with a final NUL.
  public var maneuverDescription: String?
  /// Parameter 3: enumeration ``ManeuverType``.
  public var maneuverType: ManeuverType?
  /// Parameter 4: UTF-8 text with a final NUL.
  public var afterManeuverRoadName: String?
  /// Parameter 5: unsigned 32-bit integer, in metres.
  public var distanceBetweenManeuver: UInt32?
  /// Parameter 6: UTF-8 text with a final NUL.
  public var distanceBetweenManeuverDisplayString: String?
  /// Parameter 7: enumeration ``DistanceUnits``.
  public var distanceBetweenManeuverDisplayUnits: DistanceUnits?
  /// Parameter 8: enumeration ``DrivingSide``.
  public var drivingSide: DrivingSide?
  /// Parameter 9: enumeration ``JunctionType``.
  public var junctionType: JunctionType?
  /// Parameter 10: signed 16-bit integer, repeated.
  /// The unit is degrees. The parser of luka reads packed integers, so the reader accepts packed and repeated ones.
  public var junctionElementAngle: [Int16] = []
  /// Parameter 11: signed 16-bit integer.
  /// The unit is degrees. Negative angles are to the left.
  public var junctionElementExitAngle: Int16?
  /// Parameter 12: unsigned 16-bit integer.
  /// The value is the index of a ``LaneGuidanceInformation`` (0x5204).
  public var linkedLaneGuidanceInformation: UInt16?
  /// Parameter 13: UTF-8 text with a final NUL.
  public var exitInfo: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5202, "RouteGuidanceManeuverUpdate", from: .device, "Route Guidance", .high,
    ["Features.md#route-maneuvers", "LIVI", "NOTES", "MIB2Q"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RouteGuidanceDisplayComponentIDs", &routeGuidanceDisplayComponentIDs)
    try pass(1, "Index", &index)
    try pass(2, "ManeuverDescription", &maneuverDescription)
    try pass(3, "ManeuverType", &maneuverType)
    try pass(4, "AfterManeuverRoadName", &afterManeuverRoadName)
    try pass(5, "DistanceBetweenManeuver", &distanceBetweenManeuver, ParameterNote(unit: "metres"))
    try pass(6, "DistanceBetweenManeuverDisplayString", &distanceBetweenManeuverDisplayString)
    try pass(7, "DistanceBetweenManeuverDisplayUnits", &distanceBetweenManeuverDisplayUnits)
    try pass(8, "DrivingSide", &drivingSide)
    try pass(9, "JunctionType", &junctionType)
    try pass(10, "JunctionElementAngle", &junctionElementAngle)
    try pass(11, "JunctionElementExitAngle", &junctionElementExitAngle)
    try pass(12, "LinkedLaneGuidanceInformation", &linkedLaneGuidanceInformation)
    try pass(13, "ExitInfo", &exitInfo)
  }
}
