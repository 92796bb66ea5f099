// swift-iap2 · Apache-2.0

import Cryptography

/// The content of an accessory's certificate. Its issuer is not verified.
public struct AccessoryCertificate: Sendable {
  /// The distinguished name of the subject, in the form of RFC 4514.
  public let subject: String
  /// The distinguished name of the issuer, in the form of RFC 4514.
  public let issuer: String
  /// The serial number in upper-case hexadecimal digits.
  public let serialNumber: String
  /// The size in bytes of the container or bare certificate that was read.
  public let byteCount: Int
  /// Whether the key is the RSA-1024 key of 2.0 chips. Responses of such keys are not verified, because their padding
  /// is not public.
  public let isOldForm: Bool
  private let certificate: Certificate

  /// Reads a PKCS#7 container with one certificate, or a bare X.509 certificate, in DER.
  public init(_ bytes: [UInt8]) throws(AuthenticationError) {
    certificate = try CertificateContainer.certificate(in: bytes)
    isOldForm = try certificate.hasOldChipKey
    byteCount = bytes.count
    serialNumber = certificate.serialText
    issuer = certificate.issuer
    subject = certificate.subject
  }

  /// The size of a challenge to this key in bytes: 20 for the RSA-1024 key of 2.0 chips, 32 for any other.
  public var challengeByteCount: Int { isOldForm ? 20 : P256.digestByteCount }

  /// Verifies that this certificate's key made the response; throws if it did not.
  ///
  /// - Throws: ``AuthenticationError/unsupportedKey`` for any key but P-256,
  ///   ``AuthenticationError/unusableChallenge(byteCount:)``, ``AuthenticationError/wrongResponseLength(found:)`` or
  ///   ``AuthenticationError/wrongSignature``.
  public func verify(response: [UInt8], challenge: [UInt8]) throws(AuthenticationError) {
    try certificate.accessoryKey.verify(response: response, challenge: challenge)
  }

  /// The certificate of the emulated 2.0C chip in its container.
  package static let oldTestChip: [UInt8] = {
    do throws(AuthenticationError) {
      let der = try SoftwareAuthenticator.derBytes(of: Array(TestMaterial.oldChipCertificate.utf8))
      return try CertificateContainer.wrap(CertificateContainer.certificate(in: der))
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()
}
