// swift-iap2 · Apache-2.0

/// The value of a lane for the route.
@available(iOS 17.4, *)
public enum CPLaneStatus: Int, Sendable {
  /// The lane leads elsewhere.
  case notGood = 0
  /// The lane leads along the route.
  case good = 1
  /// The lane is the best one.
  case preferred = 2
}

/// One lane and its arrows. An angle of 0° is straight ahead.
@available(iOS 17.4, *)
@preconcurrency @MainActor
open class CPLane: NSObject {
  /// The value of the lane.
  public var status: CPLaneStatus { didSet { noteChange() } }

  /// The angles of all arrows.
  @available(iOS 18.0, *)
  public private(set) var angles: [Measurement<UnitAngle>]

  /// The angle of the highlighted arrow.
  @available(iOS 18.0, *)
  public private(set) var highlightedAngle: Measurement<UnitAngle>?

  /// Creates a lane without arrows.
  @available(iOS, introduced: 17.4, deprecated: 18.0)
  public override convenience init() { self.init(angles: []) }

  /// Creates a lane that leads elsewhere.
  @available(iOS 18.0, *)
  public init(angles: [Measurement<UnitAngle>]) {
    status = .notGood
    self.angles = angles
    super.init()
    noteCreation()
  }

  /// Creates a lane that leads along the route.
  @available(iOS 18.0, *)
  public init(angles: [Measurement<UnitAngle>], highlightedAngle: Measurement<UnitAngle>, isPreferred preferred: Bool) {
    status = preferred ? .preferred : .good
    self.angles = angles
    self.highlightedAngle = highlightedAngle
    super.init()
    noteCreation()
  }

  init(copying other: CPLane) {
    status = other.status
    angles = other.angles
    highlightedAngle = other.highlightedAngle
    super.init()
    noteCreation()
  }

  /// The angle of the highlighted arrow, and 0° without one.
  // Unverified: the value before the first assignment.
  @available(iOS, introduced: 17.4, deprecated: 18.0)
  public var primaryAngle: Measurement<UnitAngle> {
    get { highlightedAngle ?? Measurement(value: 0, unit: .degrees) }
    set {
      highlightedAngle = newValue
      noteChange()
    }
  }

  /// The angles of the other arrows.
  @available(iOS, introduced: 17.4, deprecated: 18.0)
  public var secondaryAngles: [Measurement<UnitAngle>] {
    get { angles.filter { $0 != highlightedAngle } }
    set {
      angles = newValue
      noteChange()
    }
  }
}

extension CPLane: @MainActor NSCopying {
  /// Returns a new lane with the same values.
  public func copy(with zone: NSZone? = nil) -> Any { CPLane(copying: self) }
}

/// The lanes at a maneuver.
@available(iOS 17.4, *)
@preconcurrency @MainActor
open class CPLaneGuidance: NSObject {
  /// Creates an empty guidance.
  public override init() { super.init() }

  /// The lanes from the left to the right.
  public var lanes: [CPLane] = [] { didSet { noteChange() } }

  /// The instructions, the longest first.
  public var instructionVariants: [String] = [] { didSet { noteChange() } }

  init(copying other: CPLaneGuidance) {
    lanes = other.lanes
    instructionVariants = other.instructionVariants
    super.init()
    noteCreation()
  }
}

extension CPLaneGuidance: @MainActor NSCopying {
  /// Returns a new guidance with the same lanes and instructions.
  public func copy(with zone: NSZone? = nil) -> Any { CPLaneGuidance(copying: self) }
}
