// swift-iap2 · Apache-2.0

/// The kinds of maneuvers for the car's cluster and head-up display: CarPlay/Frameworks.md#value-maneuver-type.
@available(iOS 17.4, *)
public enum CPManeuverType: UInt, Sendable {
  /// No turn.
  case noTurn = 0
  /// A turn to the left.
  case leftTurn = 1
  /// A turn to the right.
  case rightTurn = 2
  /// Straight ahead.
  case straightAhead = 3
  /// A turn back.
  case uTurn = 4
  /// Along the road.
  case followRoad = 5
  /// Into a roundabout.
  case enterRoundabout = 6
  /// Out of a roundabout.
  case exitRoundabout = 7
  /// Off a highway.
  case offRamp = 8
  /// Onto a highway.
  case onRamp = 9
  /// The end of the navigation.
  case arriveEndOfNavigation = 10
  /// The start of the route.
  case startRoute = 11
  /// At the destination.
  case arriveAtDestination = 12
  /// On the left side.
  case keepLeft = 13
  /// On the right side.
  case keepRight = 14
  // swift-format-ignore: AlwaysUseLowerCamelCase
  /// Onto a ferry. The underscore is part of the real name.
  case enter_Ferry = 15
  /// Off a ferry.
  case exitFerry = 16
  /// From one ferry to another.
  case changeFerry = 17
  /// The start of the route with a turn back.
  case startRouteWithUTurn = 18
  /// A turn back in a roundabout.
  case uTurnAtRoundabout = 19
  /// To the left at the end of the road.
  case leftTurnAtEnd = 20
  /// To the right at the end of the road.
  case rightTurnAtEnd = 21
  /// Off the highway to the left.
  case highwayOffRampLeft = 22
  /// Off the highway to the right.
  case highwayOffRampRight = 23
  /// At the destination, which is on the left.
  case arriveAtDestinationLeft = 24
  /// At the destination, which is on the right.
  case arriveAtDestinationRight = 25
  /// A turn back as soon as possible.
  case uTurnWhenPossible = 26
  /// The end of the directions.
  case arriveEndOfDirections = 27
  /// Out of a roundabout at exit 1.
  case roundaboutExit1 = 28
  /// Out of a roundabout at exit 2.
  case roundaboutExit2 = 29
  /// Out of a roundabout at exit 3.
  case roundaboutExit3 = 30
  /// Out of a roundabout at exit 4.
  case roundaboutExit4 = 31
  /// Out of a roundabout at exit 5.
  case roundaboutExit5 = 32
  /// Out of a roundabout at exit 6.
  case roundaboutExit6 = 33
  /// Out of a roundabout at exit 7.
  case roundaboutExit7 = 34
  /// Out of a roundabout at exit 8.
  case roundaboutExit8 = 35
  /// Out of a roundabout at exit 9.
  case roundaboutExit9 = 36
  /// Out of a roundabout at exit 10.
  case roundaboutExit10 = 37
  /// Out of a roundabout at exit 11.
  case roundaboutExit11 = 38
  /// Out of a roundabout at exit 12.
  case roundaboutExit12 = 39
  /// Out of a roundabout at exit 13.
  case roundaboutExit13 = 40
  /// Out of a roundabout at exit 14.
  case roundaboutExit14 = 41
  /// Out of a roundabout at exit 15.
  case roundaboutExit15 = 42
  /// Out of a roundabout at exit 16.
  case roundaboutExit16 = 43
  /// Out of a roundabout at exit 17.
  case roundaboutExit17 = 44
  /// Out of a roundabout at exit 18.
  case roundaboutExit18 = 45
  /// Out of a roundabout at exit 19.
  case roundaboutExit19 = 46
  /// A sharp turn to the left.
  case sharpLeftTurn = 47
  /// A sharp turn to the right.
  case sharpRightTurn = 48
  /// A slight turn to the left.
  case slightLeftTurn = 49
  /// A slight turn to the right.
  case slightRightTurn = 50
  /// Onto another highway.
  case changeHighway = 51
  /// Onto another highway on the left.
  case changeHighwayLeft = 52
  /// Onto another highway on the right.
  case changeHighwayRight = 53
}

/// The kind of a junction.
@available(iOS 17.4, *)
public enum CPJunctionType: UInt, Sendable {
  /// A crossing of roads.
  case intersection = 0
  /// A roundabout.
  case roundabout = 1
}

/// The side of the road on which the traffic drives.
@available(iOS 17.4, *)
public enum CPTrafficSide: UInt, Sendable {
  /// The right side.
  case right = 0
  /// The left side.
  case left = 1
}

/// The distance of a maneuver as a state.
@available(iOS 17.4, *)
public enum CPManeuverState: Int, Sendable {
  /// The maneuver is far away.
  case `continue` = 0
  /// The maneuver became the next one.
  case initial = 1
  /// The driver prepares the maneuver.
  case prepare = 2
  /// The driver is at the maneuver.
  case execute = 3
}

/// The layout of a maneuver in the guidance card.
public struct CPManeuverDisplayStyle: OptionSet, Sendable {
  public let rawValue: Int

  /// Creates a style from its number.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// The car's choice.
  public static let `default` = CPManeuverDisplayStyle([])
  /// The symbol before the instruction.
  public static let leadingSymbol = CPManeuverDisplayStyle(rawValue: 1)
  /// The symbol after the instruction.
  public static let trailingSymbol = CPManeuverDisplayStyle(rawValue: 2)
  /// The symbol alone, as for lanes before iOS 17.4.
  public static let symbolOnly = CPManeuverDisplayStyle(rawValue: 3)
  /// The instruction alone.
  public static let instructionOnly = CPManeuverDisplayStyle(rawValue: 4)
}
