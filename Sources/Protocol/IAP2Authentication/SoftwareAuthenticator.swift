// swift-iap2 · Apache-2.0

import Cryptography

/// An authenticator without a coprocessor: a P-256 key in memory and its certificate.
///
/// A challenge must have 32 bytes, which every phone sends to a P-256 accessory. Any other size throws
/// ``AuthenticationError/unusableChallenge(byteCount:)``.
public struct SoftwareAuthenticator: Authenticator {
  private let container: [UInt8]
  private let serial: [UInt8]
  private let key: P256PrivateKey

  /// The test accessory of the committed test material, which ``AuthenticationVerifier/test`` trusts.
  public static let test: SoftwareAuthenticator = {
    do throws(AuthenticationError) {
      return try SoftwareAuthenticator(
        certificatePEMOrDER: Array(TestMaterial.accessoryCertificate.utf8), privateKeyPEM: TestMaterial.accessoryKey)
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()

  /// Creates an accessory with its own certificate and key.
  ///
  /// - Parameters:
  ///   - certificatePEMOrDER: A bare X.509 certificate or a PKCS#7 container with one, in DER or PEM. A bare
  ///     certificate is put into a container; a container is sent unchanged.
  ///   - privateKeyPEM: The P-256 key of the certificate, in PKCS#8 or SEC 1 form.
  /// - Throws: ``AuthenticationError`` if the certificate or the key cannot be read, is not P-256, or they do not
  ///   belong together.
  public init(certificatePEMOrDER: [UInt8], privateKeyPEM: String) throws(AuthenticationError) {
    let given = try Self.derBytes(of: certificatePEMOrDER)
    let certificate = try CertificateContainer.certificate(in: given)
    let publicKey = try certificate.accessoryKey
    key = try Self.privateKey(in: privateKeyPEM)
    guard key.publicKey == publicKey else { throw .keyDoesNotMatchCertificate }
    let isBare = try CertificateContainer.der(in: given).count == given.count
    container = isBare ? try CertificateContainer.wrap(certificate) : given
    serial = Array(certificate.serialText.utf8)
  }

  /// Returns the certificate in its container.
  public func certificate() async throws(AuthenticationError) -> [UInt8] { container }

  /// Returns the signature over a challenge of 32 bytes: raw r‖s, 64 bytes.
  public func sign(challenge: [UInt8]) async throws(AuthenticationError) -> [UInt8] {
    try evidence(over: challenge).signature
  }

  /// Returns the certificate and the signature over a challenge at once, for sessions without tasks.
  package func evidence(
    over challenge: [UInt8]
  ) throws(AuthenticationError) -> (certificate: [UInt8], signature: [UInt8]) {
    do { return (container, try key.sign(digest: challenge.span)) } catch {
      throw .unusableChallenge(byteCount: challenge.count)
    }
  }

  /// Returns the X.509 serial number in upper-case hexadecimal digits (ASCII), without a terminating zero.
  public func serialNumber() async throws(AuthenticationError) -> [UInt8] { serial }

  static func derBytes(of bytes: [UInt8]) throws(AuthenticationError) -> [UInt8] {
    // DER of either form starts with a SEQUENCE (30, in ASCII the digit 0). PEM starts with dashes or text.
    if bytes.first == 0x30 { return bytes }
    let names: Set<String> = ["CERTIFICATE", "PKCS7", "CMS"]
    let blocks = try PEMText.blocks(named: names, in: bytes, else: .malformedCertificate)
    guard let block = blocks.first else { throw .malformedCertificate }
    return block.bytes
  }

  private static func privateKey(in text: String) throws(AuthenticationError) -> P256PrivateKey {
    // `openssl ecparam -genkey` writes a block with the curve's parameters before the key. It is skipped.
    let names: Set<String> = ["PRIVATE KEY", "EC PRIVATE KEY", "RSA PRIVATE KEY"]
    let blocks = try PEMText.blocks(named: names, in: Array(text.utf8), else: .malformedKey)
    guard let block = blocks.first else { throw .malformedKey }
    do { return try P256PrivateKey(der: block.bytes.span) } catch {
      throw error == .unsupportedKey ? .unsupportedKey : .malformedKey
    }
  }
}
