// swift-iap2 · Apache-2.0

/// StartExternalAccessoryProtocolSession, sent by the device.
public struct StartExternalAccessoryProtocolSession: ControlMessage {
  public var externalAccessoryProtocolIdentifier: UInt8 = 0
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  public var residue = Residue()

  public static let info = MessageInfo(
    0xEA00, "StartExternalAccessoryProtocolSession", from: .device, "External Accessory", .high,
    ["bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolIdentifier", &externalAccessoryProtocolIdentifier)
    try pass(1, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
  }
}

/// StopExternalAccessoryProtocolSession, sent by the device.
public struct StopExternalAccessoryProtocolSession: ControlMessage {
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  public var residue = Residue()

  public static let info = MessageInfo(
    0xEA01, "StopExternalAccessoryProtocolSession", from: .device, "External Accessory", .high,
    ["LiteEMF (BSD-2)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
  }
}

/// Open: values without a name survive.
public struct ExternalAccessoryProtocolSessionStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let ok = Self(rawValue: 0)
  public static let close = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "OK"), (1, "Close")]
  }
}

/// StatusExternalAccessoryProtocolSession, sent by the accessory.
public struct StatusExternalAccessoryProtocolSession: ControlMessage {
  public var externalAccessoryProtocolSessionIdentifier: UInt16 = 0
  public var externalAccessoryProtocolSessionStatus: ExternalAccessoryProtocolSessionStatus =
    ExternalAccessoryProtocolSessionStatus(rawValue: 0)
  public var residue = Residue()

  public static let info = MessageInfo(
    0xEA03, "StatusExternalAccessoryProtocolSession", from: .accessory, "External Accessory", .high,
    ["LiteEMF (BSD-2)", "bridgething (MIT)", "catplay", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolSessionIdentifier", &externalAccessoryProtocolSessionIdentifier)
    try pass(1, "ExternalAccessoryProtocolSessionStatus", &externalAccessoryProtocolSessionStatus)
  }
}
