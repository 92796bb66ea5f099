// swift-iap2 · Apache-2.0

/// Signs for the accessory: the software one here, or a coprocessor.
public protocol Authenticator: Sendable {
  /// The certificate in PKCS#7 form (DER), at most 65 000 bytes.
  func certificate() async throws(AuthenticationError) -> [UInt8]

  /// The signature over the challenge.
  ///
  /// With a P-256 key the challenge has 32 bytes and is used directly as the SHA-256 digest; the result is the raw
  /// r‖s, 64 bytes.
  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8]

  /// The certificate's serial number, as the message AccessoryAuthenticationSerialNumber carries it.
  func serialNumber() async throws(AuthenticationError) -> [UInt8]
}
