// swift-iap2 · Apache-2.0
import Crypto
import SwiftASN1
import X509

/// An accessory's authentication without a coprocessor: a P-256 key in memory and its certificate.
///
/// A challenge must have 32 bytes, as every phone sends it to a P-256 accessory; any other throws
/// ``AuthenticationError/unusableChallenge(byteCount:)``.
public struct SoftwareAuthenticator: Authenticator {
  private let container: [UInt8]
  private let serial: [UInt8]
  private let key: P256.Signing.PrivateKey

  /// The accessory of the committed test material, which ``AuthenticationVerifier/test`` trusts.
  public static let test: SoftwareAuthenticator = {
    do throws(AuthenticationError) {
      return try SoftwareAuthenticator(
        certificatePEMOrDER: Array(TestMaterial.accessoryCertificate.utf8), privateKeyPEM: TestMaterial.accessoryKey)
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()

  /// An accessory with its own certificate and key.
  ///
  /// - Parameters:
  ///   - certificatePEMOrDER: A bare X.509 certificate or a PKCS#7 container holding one, as DER or as PEM. A bare
  ///     one is put into a container; a container is sent as it is given.
  ///   - privateKeyPEM: The P-256 key of the certificate, in PKCS#8 or SEC 1 form.
  public init(certificatePEMOrDER: [UInt8], privateKeyPEM: String) throws(AuthenticationError) {
    let given = try Self.derBytes(of: certificatePEMOrDER)
    let der = try CertificateContainer.certificate(in: given)
    guard try CertificateKind(of: der) == .p256 else { throw .unsupportedKey }
    let certificate = try reading(.malformedCertificate) { try Certificate(derEncoded: der) }
    guard let publicKey = P256.Signing.PublicKey(certificate.publicKey) else { throw .unsupportedKey }
    key = try Self.privateKey(in: privateKeyPEM)
    guard key.publicKey.rawRepresentation == publicKey.rawRepresentation else { throw .keyDoesNotMatchCertificate }
    container = der.count == given.count ? try CertificateContainer.wrap(der) : given
    serial = Self.serialText(Array(certificate.serialNumber.bytes))
  }

  public func certificate() async throws(AuthenticationError) -> [UInt8] { container }

  public func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    guard let digest = ChallengeDigest(challenge) else { throw .unusableChallenge(byteCount: challenge.count) }
    do {
      return Array(try key.signature(for: digest).rawRepresentation)
    } catch {
      throw .signingFailed(reason: "\(error)")
    }
  }

  /// The X.509 serial number in upper-case hexadecimal digits (ASCII), without a terminating zero.
  public func serialNumber() async throws(AuthenticationError) -> [UInt8] { serial }

  static func derBytes(of bytes: [UInt8]) throws(AuthenticationError) -> [UInt8] {
    // DER of either form starts with a SEQUENCE (hexadecimal 30, in ASCII a zero), PEM with dashes or with text.
    if bytes.first == 0x30 { return bytes }
    let names: Set<String> = ["CERTIFICATE", "PKCS7", "CMS"]
    guard let text = String(validating: bytes, as: UTF8.self) else { throw .malformedCertificate }
    let blocks = try PEMText.blocks(named: names, in: text, else: .malformedCertificate)
    guard let block = blocks.first else { throw .malformedCertificate }
    return block.derBytes
  }

  private static func privateKey(in text: String) throws(AuthenticationError) -> P256.Signing.PrivateKey {
    // `openssl ecparam -genkey` puts a block with the curve's parameters before the key: skip it.
    let names: Set<String> = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]
    guard let block = try PEMText.blocks(named: names, in: text, else: .malformedKey).first else { throw .malformedKey }
    do { return try P256.Signing.PrivateKey(derRepresentation: block.derBytes) } catch {
      // A key of another kind is none that is broken.
      _ = try reading(.malformedKey) { try Certificate.PrivateKey(pemDocument: block) }
      throw .unsupportedKey
    }
  }

  static func serialText(_ bytes: [UInt8]) -> [UInt8] {
    let digits = Array("0123456789ABCDEF".utf8)
    return bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
  }
}
