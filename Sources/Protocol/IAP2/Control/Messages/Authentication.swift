// swift-iap2 · Apache-2.0

/// A message of the device that asks for the accessory's certificate: 0xAA00 (Authentication.md#request-certificate;
/// high).
public struct RequestAuthenticationCertificate: ControlMessage {
  /// Parameter 0: flag without a value.
  /// If the flag is present, the accessory answers with 0xAA06.
  public var requestSerialNumber: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA00, "RequestAuthenticationCertificate", from: .device, "Authentication", .high,
    [
      "Authentication.md#request-certificate", "LITEEMF", "PODBOX", "BRIDGE", "CAT", "WIO", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RequestSerialNumber", &requestSerialNumber)
  }
}

/// A message of the accessory that carries the accessory's certificate: 0xAA01 (Authentication.md#certificate-message;
/// high).
public struct AuthenticationCertificate: ControlMessage {
  /// Parameter 0: raw bytes. Required.
  /// The value is the PKCS#7 structure in DER that the co-processor holds: about 900 bytes for MFi 2.0, 600 for 3.0.
  public var authenticationCertificate: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA01, "AuthenticationCertificate", from: .accessory, "Authentication", .high,
    ["Authentication.md#certificate-message", "LITEEMF", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationCertificate", &authenticationCertificate)
  }
}

/// A message of the device that carries a challenge for the accessory to sign: 0xAA02
/// (Authentication.md#challenge-message; high).
public struct RequestAuthenticationChallengeResponse: ControlMessage {
  /// Parameter 0: raw bytes. Required.
  /// The challenge has 20 bytes for a co-processor 2.0 and 32 bytes for 3.0.
  public var authenticationChallenge: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA02, "RequestAuthenticationChallengeResponse", from: .device, "Authentication", .high,
    ["Authentication.md#challenge-message", "LITEEMF", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationChallenge", &authenticationChallenge, ParameterNote(limit: .challenge))
  }
}

/// A message of the accessory that carries the signature over the challenge: 0xAA03
/// (Authentication.md#response-message; high).
public struct AuthenticationResponse: ControlMessage {
  /// Parameter 0: raw bytes. Required.
  /// The signature has 128 bytes from a co-processor 2.0 and 64 bytes from 3.0.
  public var authenticationChallengeResponse: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA03, "AuthenticationResponse", from: .accessory, "Authentication", .high,
    ["Authentication.md#response-message", "LITEEMF", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AuthenticationChallengeResponse", &authenticationChallengeResponse, ParameterNote(limit: .signature))
  }
}

/// A message of the device that ends authentication without success: 0xAA04 (Authentication.md#failed; high).
public struct AuthenticationFailed: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA04, "AuthenticationFailed", from: .device, "Authentication", .high,
    ["Authentication.md#failed", "BRIDGE", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the device that ends authentication with success: 0xAA05 (Authentication.md#succeeded; high).
public struct AuthenticationSucceeded: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA05, "AuthenticationSucceeded", from: .device, "Authentication", .high,
    [
      "Authentication.md#succeeded", "LITEEMF", "PODBOX", "BRIDGE", "CAT", "WIO", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that carries the serial number of the accessory's certificate: 0xAA06
/// (Authentication.md#serial-number; high).
public struct AccessoryAuthenticationSerialNumber: ControlMessage {
  /// Parameter 0: raw bytes. Required. Confidence: medium.
  /// The value is the serial number of the co-processor's certificate, 31 bytes
  /// (Authentication.md#serial-number-source).
  public var serialNumber: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAA06, "AccessoryAuthenticationSerialNumber", from: .accessory, "Authentication", .high,
    ["Authentication.md#serial-number", "LITEEMF", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SerialNumber", &serialNumber, ParameterNote(.medium))
  }
}
