// swift-iap2 · Apache-2.0

/// The distance and the time that remain until a maneuver or a destination.
///
/// A negative value is unknown, and the car shows `--` for it: CarPlay/Frameworks.md#estimates-negative.
public final class CPTravelEstimates: NSObject, NSCopying, Sendable {
  /// The remaining distance.
  public let distanceRemaining: Measurement<UnitLength>

  /// The remaining distance as the car shows it, in the unit that the app chose.
  @available(iOS 17.4, *)
  public let distanceRemainingToDisplay: Measurement<UnitLength>

  /// The remaining time in seconds.
  public let timeRemaining: TimeInterval

  /// Creates estimates. The car shows `distance`.
  public init(distanceRemaining distance: Measurement<UnitLength>, timeRemaining time: TimeInterval) {
    distanceRemaining = distance
    distanceRemainingToDisplay = distance
    timeRemaining = time
    super.init()
  }

  /// Creates estimates with a distance of their own for the screen.
  @available(iOS 17.4, *)
  public init(
    distanceRemaining distance: Measurement<UnitLength>,
    distanceRemainingToDisplay distanceToDisplay: Measurement<UnitLength>, timeRemaining time: TimeInterval
  ) {
    distanceRemaining = distance
    distanceRemainingToDisplay = distanceToDisplay
    timeRemaining = time
    super.init()
  }

  /// Returns the object itself, which cannot change.
  public func copy(with zone: NSZone? = nil) -> Any { self }

  /// The distance to show, or nil if it is unknown.
  package var shownDistance: Measurement<UnitLength>? {
    let distance = distanceRemainingToDisplay
    return distance.value.isFinite && distance.value >= 0 ? distance : nil
  }

  /// The time to show in seconds, or nil if it is unknown.
  package var shownTime: TimeInterval? { timeRemaining.isFinite && timeRemaining >= 0 ? timeRemaining : nil }
}

/// The color of the remaining time.
public enum CPTimeRemainingColor: UInt, Sendable {
  /// The color of the template.
  case `default` = 0
  /// Green: the traffic is light.
  case green = 1
  /// Orange: the traffic is dense.
  case orange = 2
  /// Red: the traffic is heavy.
  case red = 3
}

/// The style of the estimates of a trip.
public enum CPTripEstimateStyle: UInt, Sendable {
  /// Dark text on a light background.
  case light = 0
  /// Light text on a dark background.
  case dark = 1
}
