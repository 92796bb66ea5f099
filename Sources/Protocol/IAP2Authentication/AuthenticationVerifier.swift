// swift-iap2 · Apache-2.0

import Cryptography

/// A verifier with which a phone checks an accessory's certificate and its response to the challenge.
///
/// With certificate authorities, a certificate is trusted if one of them issued it directly: its issuer is the
/// authority's subject, and the authority's key made its signature. Validity dates are not checked, because clocks and
/// test certificates of a laboratory are often wrong. Extensions and revocation lists are not checked either.
public struct AuthenticationVerifier: Sendable {
  /// The trusted authorities; nil accepts everything.
  private let authorities: [Certificate]?

  /// A verifier that trusts certificates issued by the committed test CA.
  public static let test: AuthenticationVerifier = {
    do throws(AuthenticationError) {
      return try AuthenticationVerifier(certificateAuthorityPEM: TestMaterial.certificateAuthority)
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()

  /// A verifier that accepts everything: it checks neither the certificate nor the response.
  public static let any = AuthenticationVerifier(authorities: nil)

  private init(authorities: [Certificate]?) { self.authorities = authorities }

  /// Creates a verifier that trusts certificates issued directly by one of the certificate authorities in a PEM text.
  ///
  /// - Throws: ``AuthenticationError/malformedCertificateAuthority`` if the text has no readable certificate.
  public init(certificateAuthorityPEM: String) throws(AuthenticationError) {
    let blocks = try PEMText.blocks(
      named: ["CERTIFICATE"], in: Array(certificateAuthorityPEM.utf8), else: .malformedCertificateAuthority)
    guard !blocks.isEmpty else { throw .malformedCertificateAuthority }
    var authorities: [Certificate] = []
    for block in blocks {
      do { authorities.append(try Certificate(der: block.bytes.span)) } catch { throw .malformedCertificateAuthority }
    }
    self.authorities = authorities
  }

  /// Checks the certificate before the challenge and returns the size of the challenge in bytes.
  ///
  /// The size is 20 for the RSA-1024 key of old chips, which only ``any`` accepts, and 32 for all others.
  ///
  /// - Throws: ``AuthenticationError`` if the certificate cannot be read, is not trusted, or has another key than
  ///   P-256.
  public func challengeByteCount(for certificate: [UInt8]) throws(AuthenticationError) -> Int {
    guard authorities != nil else { return Self.isRSA1024(certificate) ? 20 : P256.digestByteCount }
    _ = try trustedKey(of: certificate)
    return P256.digestByteCount
  }

  /// Checks the response to the challenge, and the certificate again; throws if one of them is wrong. ``any`` accepts
  /// both.
  public func verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8]) throws(AuthenticationError) {
    guard authorities != nil else { return }
    try trustedKey(of: certificate).verify(response: response, challenge: challenge)
  }

  private static func isRSA1024(_ certificate: [UInt8]) -> Bool {
    // Bytes that are not a certificate get the challenge size of current chips.
    do { return try CertificateContainer.certificate(in: certificate).hasOldChipKey } catch {
      return false
    }
  }

  private func trustedKey(of bytes: [UInt8]) throws(AuthenticationError) -> P256PublicKey {
    let certificate = try CertificateContainer.certificate(in: bytes)
    let key = try certificate.accessoryKey
    guard (authorities ?? []).contains(where: { certificate.isIssued(by: $0) }) else { throw .untrustedCertificate }
    return key
  }
}
