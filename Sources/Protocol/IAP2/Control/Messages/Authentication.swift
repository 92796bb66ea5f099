// swift-iap2 · Apache-2.0

/// A message of the device that asks for the accessory's certificate: 0xAA00 (Authentication.md#request-certificate;
/// high).
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

/// A message of the accessory that carries the accessory's certificate: 0xAA01 (Authentication.md#certificate-message;
/// high).
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

/// A message of the device that carries a challenge for the accessory to sign: 0xAA02
/// (Authentication.md#challenge-message; high).
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

/// A message of the accessory that carries the signature over the challenge: 0xAA03
/// (Authentication.md#response-message; high).
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

/// A message of the device that ends authentication without success: 0xAA04 (Authentication.md#failed; high).
public struct AuthenticationFailed: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0xAA04, "AuthenticationFailed", from: .device, "Authentication", .high,
    ["bridgething (MIT)", "catplay", "unmarked vendor code (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the device that ends authentication with success: 0xAA05 (Authentication.md#succeeded; high).
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

/// A message of the accessory that carries the serial number of the accessory's certificate: 0xAA06
/// (Authentication.md#serial-number; high).
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
