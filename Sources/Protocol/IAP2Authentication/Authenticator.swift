// swift-iap2 · Apache-2.0

/// A signer for the accessory: in software, or a coprocessor.
public protocol Authenticator: Sendable {
  /// Returns the certificate in PKCS#7 form (DER), at most 65 000 bytes.
  func certificate() async throws(AuthenticationError) -> [UInt8]

  /// Returns the signature over the challenge.
  ///
  /// With a P-256 key the challenge has 32 bytes and is used directly as the SHA-256 digest. The signature is the raw
  /// r‖s, 64 bytes.
  func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8]

  /// Returns the certificate's serial number in the form of the message AccessoryAuthenticationSerialNumber.
  func serialNumber() async throws(AuthenticationError) -> [UInt8]
}
