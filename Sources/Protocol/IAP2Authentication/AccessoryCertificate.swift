// swift-iap2 · Apache-2.0
import Crypto
import SwiftASN1
import X509

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
  private let container: [UInt8]

  /// Reads a PKCS#7 container with one certificate, or a bare X.509 certificate, in DER.
  public init(_ bytes: [UInt8]) throws(AuthenticationError) {
    let der = try CertificateContainer.certificate(in: bytes)
    isOldForm = try CertificateKind(of: der) == .rsa1024
    byteCount = bytes.count
    container = bytes
    let root = try reading(.malformedCertificate) { try DER.parse(der) }
    guard let outer = root.children(.sequence), var fields = outer.first?.children(.sequence) else {
      throw .malformedCertificate
    }
    // The version is optional. The fields after it are serial number, algorithm, issuer, validity, subject and key.
    if fields.first?.identifier.tagClass == .contextSpecific { fields.removeFirst() }
    guard fields.count >= 6, fields[0].identifier == .integer, case .primitive(let serial) = fields[0].content else {
      throw .malformedCertificate
    }
    serialNumber = String(decoding: SoftwareAuthenticator.serialText(Array(serial)), as: UTF8.self)
    issuer = try Self.name(fields[2])
    subject = try Self.name(fields[4])
  }

  private static func name(_ node: ASN1Node) throws(AuthenticationError) -> String {
    try reading(.malformedCertificate) { try DistinguishedName(derEncoded: node).description }
  }

  /// The size of a challenge to this key in bytes: 20 for the RSA-1024 key of 2.0 chips, 32 for any other.
  public var challengeByteCount: Int { isOldForm ? 20 : ChallengeDigest.byteCount }

  /// Verifies that this certificate's key made the response; throws if it did not.
  ///
  /// - Throws: ``AuthenticationError/unsupportedKey`` for any key but P-256,
  ///   ``AuthenticationError/unusableChallenge(byteCount:)``, ``AuthenticationError/wrongResponseLength(found:)`` or
  ///   ``AuthenticationError/wrongSignature``.
  public func verify(response: [UInt8], challenge: [UInt8]) throws(AuthenticationError) {
    let der = try CertificateContainer.certificate(in: container)
    guard try CertificateKind(of: der) == .p256 else { throw .unsupportedKey }
    let certificate = try reading(.malformedCertificate) { try Certificate(derEncoded: der) }
    guard let key = P256.Signing.PublicKey(certificate.publicKey) else { throw .unsupportedKey }
    try key.verify(response: response, challenge: challenge)
  }

  /// The certificate of the emulated 2.0C chip in its container.
  package static let oldTestChip: [UInt8] = {
    do throws(AuthenticationError) {
      return try CertificateContainer.wrap(
        SoftwareAuthenticator.derBytes(of: Array(TestMaterial.oldChipCertificate.utf8))[...])
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()
}

extension P256.Signing.PublicKey {
  /// Verifies that this key made the response, raw r‖s, over the challenge; throws if it did not.
  func verify(response: [UInt8], challenge: [UInt8]) throws(AuthenticationError) {
    guard let digest = ChallengeDigest(challenge) else { throw .unusableChallenge(byteCount: challenge.count) }
    guard response.count == 64 else { throw .wrongResponseLength(found: response.count) }
    let signature = try reading(.wrongSignature) { try P256.Signing.ECDSASignature(rawRepresentation: response) }
    guard isValidSignature(signature, for: digest) else { throw .wrongSignature }
  }
}
