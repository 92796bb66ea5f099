// swift-iap2 · Apache-2.0

/// A message of the device that starts an EA session for a protocol: 0xEA00 (ExternalAccessory.md#ea-start; high).
public struct StartExternalAccessoryProtocolSession: ControlMessage {
  /// Parameter 0: unsigned 8-bit integer. Required.
  public var externalAccessoryProtocolIdentifier: UInt8 = 0
  /// Parameter 1: unsigned 16-bit integer. Required.
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xEA00, "StartExternalAccessoryProtocolSession", from: .device, "External Accessory", .high,
    ["ExternalAccessory.md#ea-start", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolIdentifier", &externalAccessoryProtocolIdentifier)
    try pass(1, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
  }
}

/// A message of the device that stops an EA session: 0xEA01 (ExternalAccessory.md#ea-stop; high).
public struct StopExternalAccessoryProtocolSession: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xEA01, "StopExternalAccessoryProtocolSession", from: .device, "External Accessory", .high,
    ["ExternalAccessory.md#ea-stop", "LITEEMF", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
  }
}

/// The accessory's answer to an EA session: accepted or closed.
public struct ExternalAccessoryProtocolSessionStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let ok = Self(rawValue: 0)
  /// Value 1.
  public static let close = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "OK"), (1, "Close")]
  }
}

/// A message of the accessory that accepts, refuses or closes an EA session: 0xEA03 (ExternalAccessory.md#ea-status;
/// high).
public struct StatusExternalAccessoryProtocolSession: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  /// Parameter 1: enumeration ``ExternalAccessoryProtocolSessionStatus``. Required.
  public var externalAccessoryProtocolSessionStatus: ExternalAccessoryProtocolSessionStatus =
    ExternalAccessoryProtocolSessionStatus(rawValue: 0)
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xEA03, "StatusExternalAccessoryProtocolSession", from: .accessory, "External Accessory", .high,
    ["ExternalAccessory.md#ea-status", "LITEEMF", "BRIDGE", "CAT", "WIO"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
    try pass(1, "ExternalAccessoryProtocolSessionStatus", &externalAccessoryProtocolSessionStatus)
  }
}
