// swift-iap2 · Apache-2.0

/// One instruction of the guidance: CarPlay/Frameworks.md#guidance.
@preconcurrency @MainActor
open class CPManeuver: NSObject {
  /// Creates an empty maneuver.
  public override init() { super.init() }

  /// The symbol.
  public var symbolImage: UIImage? { didSet { noteChange() } }

  /// The symbol in a light and a dark variant, which `symbolImage` replaces.
  @available(iOS, introduced: 12.0, deprecated: 13.0)
  public var symbolSet: CPImageSet? { didSet { noteChange() } }

  /// The picture of the junction, at most 140 by 100 points.
  public var junctionImage: UIImage? { didSet { noteChange() } }

  /// The instructions, the longest first.
  public var instructionVariants: [String] = [] { didSet { noteChange() } }

  /// The instructions with images in the text, the longest first. Attachments have at most 64 by 25 points, 64 by 16
  /// in apps that were built before iOS 16.
  public var attributedInstructionVariants: [NSAttributedString] = [] { didSet { noteChange() } }

  /// The estimates until the app updates them through the session.
  public var initialTravelEstimates: CPTravelEstimates? { didSet { noteChange() } }

  /// A value of the app.
  public var userInfo: Any? { didSet { noteChange() } }

  /// The symbol on the dashboard.
  @available(iOS 14.0, *)
  public var dashboardSymbolImage: UIImage? { didSet { noteChange() } }

  /// The picture of the junction on the dashboard.
  @available(iOS 14.0, *)
  public var dashboardJunctionImage: UIImage? { didSet { noteChange() } }

  /// The instructions on the dashboard, the longest first.
  @available(iOS 14.0, *)
  public var dashboardInstructionVariants: [String] = [] { didSet { noteChange() } }

  /// The instructions with images on the dashboard, the longest first.
  @available(iOS 14.0, *)
  public var dashboardAttributedInstructionVariants: [NSAttributedString] = [] { didSet { noteChange() } }

  /// The symbol in a banner.
  @available(iOS 14.0, *)
  public var notificationSymbolImage: UIImage? { didSet { noteChange() } }

  /// The instructions in a banner, the longest first.
  @available(iOS 14.0, *)
  public var notificationInstructionVariants: [String] = [] { didSet { noteChange() } }

  /// The instructions with images in a banner, the longest first.
  @available(iOS 14.0, *)
  public var notificationAttributedInstructionVariants: [NSAttributedString] = [] { didSet { noteChange() } }

  /// The background of the guidance card. Without it the template's color is used.
  @available(iOS 15.4, *)
  public var cardBackgroundColor: UIColor? { didSet { noteChange() } }

  /// The kind of the maneuver, for the cluster and the head-up display.
  @available(iOS 17.4, *)
  public var maneuverType: CPManeuverType = .noTurn { didSet { noteChange() } }

  /// The side on which the traffic drives.
  @available(iOS 17.4, *)
  public var trafficSide: CPTrafficSide = .right { didSet { noteChange() } }

  /// The kind of the junction.
  @available(iOS 17.4, *)
  public var junctionType: CPJunctionType = .intersection { didSet { noteChange() } }

  /// The angle of the road that leaves the junction.
  @available(iOS 17.4, *)
  public var junctionExitAngle: Measurement<UnitAngle>? { didSet { noteChange() } }

  /// The angles of the other roads of the junction.
  @available(iOS 17.4, *)
  public var junctionElementAngles: Set<Measurement<UnitAngle>>? { didSet { noteChange() } }

  /// The name of the exit of a highway.
  @available(iOS 17.4, *)
  public var highwayExitLabel: String = "" { didSet { noteChange() } }

  /// The names of the road after the maneuver, the longest first.
  @available(iOS 17.4, *)
  public var roadFollowingManeuverVariants: [String]? { didSet { noteChange() } }

  /// The lanes of the maneuver. They are not retained.
  @available(iOS 17.4, *)
  public weak var linkedLaneGuidance: CPLaneGuidance! { didSet { noteChange() } }

  /// The estimates that the app set through the session.
  var updatedTravelEstimates: CPTravelEstimates?

  /// The latest estimates.
  package var travelEstimates: CPTravelEstimates? { updatedTravelEstimates ?? initialTravelEstimates }

  /// Creates a maneuver with the values of another one.
  init(copying other: CPManeuver) {
    symbolImage = other.symbolImage
    symbolSet = other.symbolSet
    junctionImage = other.junctionImage
    instructionVariants = other.instructionVariants
    attributedInstructionVariants = other.attributedInstructionVariants
    initialTravelEstimates = other.initialTravelEstimates
    userInfo = other.userInfo
    dashboardSymbolImage = other.dashboardSymbolImage
    dashboardJunctionImage = other.dashboardJunctionImage
    dashboardInstructionVariants = other.dashboardInstructionVariants
    dashboardAttributedInstructionVariants = other.dashboardAttributedInstructionVariants
    notificationSymbolImage = other.notificationSymbolImage
    notificationInstructionVariants = other.notificationInstructionVariants
    notificationAttributedInstructionVariants = other.notificationAttributedInstructionVariants
    cardBackgroundColor = other.cardBackgroundColor
    maneuverType = other.maneuverType
    trafficSide = other.trafficSide
    junctionType = other.junctionType
    junctionExitAngle = other.junctionExitAngle
    junctionElementAngles = other.junctionElementAngles
    highwayExitLabel = other.highwayExitLabel
    roadFollowingManeuverVariants = other.roadFollowingManeuverVariants
    linkedLaneGuidance = other.linkedLaneGuidance
    super.init()
    noteCreation()
  }
}

extension CPManeuver: @MainActor NSCopying {
  /// Returns a new maneuver with the same values. Estimates that came through a session stay with the first maneuver.
  public func copy(with zone: NSZone? = nil) -> Any { CPManeuver(copying: self) }
}
