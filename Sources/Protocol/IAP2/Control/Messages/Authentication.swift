// swift-iap2 · Apache-2.0

/// RequestAuthenticationCertificate, sent by the device.
public struct RequestAuthenticationCertificate: ControlMessage {
  /// When present the accessory answers with 0xAA06.
  public var requestSerialNumber: Presence = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA00, "RequestAuthenticationCertificate", from: .device, "Authentication", .high,
    [
      "LiteEMF (BSD-2)", "PodBox (observed)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)",
      "wiomoc/iap2",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RequestSerialNumber", &requestSerialNumber)
  }
}

/// AuthenticationCertificate, sent by the accessory.
public struct AuthenticationCertificate: ControlMessage {
  /// PKCS#7/DER read from the co-processor, about 900 B for MFi 2.0 and about 600 B for 3.0.
  public var authenticationCertificate: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA01, "AuthenticationCertificate", from: .accessory, "Authentication", .high,
    ["LiteEMF (BSD-2)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationCertificate", &authenticationCertificate)
  }
}

/// RequestAuthenticationChallengeResponse, sent by the device.
public struct RequestAuthenticationChallengeResponse: ControlMessage {
  /// 20 bytes towards a 2.0 co-processor, 32 bytes towards 3.0.
  public var authenticationChallenge: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA02, "RequestAuthenticationChallengeResponse", from: .device, "Authentication", .high,
    ["LiteEMF (BSD-2)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationChallenge", &authenticationChallenge)
  }
}

/// AuthenticationResponse, sent by the accessory.
public struct AuthenticationResponse: ControlMessage {
  /// 128 bytes (2.0) or 64 bytes (3.0).
  public var authenticationChallengeResponse: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA03, "AuthenticationResponse", from: .accessory, "Authentication", .high,
    ["LiteEMF (BSD-2)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationChallengeResponse", &authenticationChallengeResponse)
  }
}

/// AuthenticationFailed, sent by the device.
public struct AuthenticationFailed: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA04, "AuthenticationFailed", from: .device, "Authentication", .high,
    ["bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// AuthenticationSucceeded, sent by the device.
public struct AuthenticationSucceeded: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA05, "AuthenticationSucceeded", from: .device, "Authentication", .high,
    [
      "LiteEMF (BSD-2)", "PodBox (observed)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)",
      "wiomoc/iap2",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// AccessoryAuthenticationSerialNumber, sent by the accessory.
public struct AccessoryAuthenticationSerialNumber: ControlMessage {
  /// Co-processor certificate serial, 31 bytes (LiteEMF, autoipod).
  public var serialNumber: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA06, "AccessoryAuthenticationSerialNumber", from: .accessory, "Authentication", .high,
    ["LiteEMF (BSD-2)", "catplay", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SerialNumber", &serialNumber, ParameterNote(.medium))
  }
}
