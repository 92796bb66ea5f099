// swift-iap2 · Apache-2.0

/// The recommendation for a lane.
public struct LaneStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let notGood = Self(rawValue: 0)
  /// Value 1.
  public static let good = Self(rawValue: 1)
  /// Value 2.
  public static let preferred = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "NotGood"), (1, "Good"), (2, "Preferred")]
  }
}

/// A message of the device that describes the lanes before a maneuver: 0x5204 (Features.md#route-lanes; medium).
public struct LaneGuidanceInformation: ControlMessage {
  /// A lane before a maneuver.
  public struct LaneInformation: ParameterGroup {
    /// Parameter 0: unsigned 16-bit integer. Confidence: medium.
    public var laneIndex: UInt16?
    /// Parameter 1: enumeration ``LaneStatus``. Confidence: medium.
    public var laneStatus: LaneStatus?
    /// Parameter 2: signed 16-bit integer, repeated. Confidence: medium.
    /// The unit is degrees. The reader accepts packed and repeated integers, as in parameter 10 of 0x5202.
    public var laneAngle: [Int16] = []
    /// Parameter 3: signed 16-bit integer. Confidence: medium.
    /// The value 1000 means none.
    public var laneAngleHighlight: Int16?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "LaneIndex", &laneIndex, ParameterNote(.medium))
      try pass(1, "LaneStatus", &laneStatus, ParameterNote(.medium))
      try pass(2, "LaneAngle", &laneAngle, ParameterNote(.medium))
      try pass(3, "LaneAngleHighlight", &laneAngleHighlight, ParameterNote(.medium))
    }
  }

  /// Parameter 0: packed unsigned 16-bit integers. Confidence: medium.
  public var routeGuidanceDisplayComponentIDs: Packed<UInt16>?
  /// Parameter 1: unsigned 16-bit integer. Required. Confidence: medium.
  public var index: UInt16 = 0
  /// Parameter 2: group ``LaneInformation``, repeated. Confidence: medium.
  public var laneInformation: [LaneInformation] = []
  /// Parameter 3: UTF-8 text with a final NUL. Confidence: medium.
  public var laneGuidanceDescription: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5204, "LaneGuidanceInformation", from: .device, "Route Guidance", .medium,
    ["Features.md#route-lanes", "MIB2Q", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RouteGuidanceDisplayComponentIDs", &routeGuidanceDisplayComponentIDs, ParameterNote(.medium))
    try pass(1, "Index", &index, ParameterNote(.medium))
    try pass(2, "LaneInformation", &laneInformation, ParameterNote(.medium))
    try pass(3, "LaneGuidanceDescription", &laneGuidanceDescription, ParameterNote(.medium))
  }
}
