// swift-iap2 · Apache-2.0
import Crypto
import SwiftASN1
import X509

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
      named: ["CERTIFICATE"], in: certificateAuthorityPEM, else: .malformedCertificateAuthority)
    guard !blocks.isEmpty else { throw .malformedCertificateAuthority }
    authorities = try reading(.malformedCertificateAuthority) {
      try blocks.map { try Certificate(derEncoded: $0.derBytes) }
    }
  }

  /// Checks the certificate before the challenge and returns the size of the challenge in bytes.
  ///
  /// The size is 20 for the RSA-1024 key of old chips, which only ``any`` accepts, and 32 for all others.
  ///
  /// - Throws: ``AuthenticationError`` if the certificate cannot be read, is not trusted, or has another key than
  ///   P-256.
  public func challengeByteCount(for certificate: [UInt8]) throws(AuthenticationError) -> Int {
    guard authorities != nil else { return Self.isRSA1024(certificate) ? 20 : ChallengeDigest.byteCount }
    _ = try trustedKey(of: certificate)
    return ChallengeDigest.byteCount
  }

  /// Checks the response to the challenge, and the certificate again; throws if one of them is wrong. ``any`` accepts
  /// both.
  public func verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8]) throws(AuthenticationError) {
    guard authorities != nil else { return }
    try trustedKey(of: certificate).verify(response: response, challenge: challenge)
  }

  private static func isRSA1024(_ certificate: [UInt8]) -> Bool {
    // Bytes that are not a certificate get the challenge size of current chips.
    do { return try CertificateKind(of: CertificateContainer.certificate(in: certificate)) == .rsa1024 } catch {
      return false
    }
  }

  private func trustedKey(of bytes: [UInt8]) throws(AuthenticationError) -> P256.Signing.PublicKey {
    let der = try CertificateContainer.certificate(in: bytes)
    guard try CertificateKind(of: der) == .p256 else { throw .unsupportedKey }
    let certificate = try reading(.malformedCertificate) { try Certificate(derEncoded: der) }
    guard let key = P256.Signing.PublicKey(certificate.publicKey) else { throw .unsupportedKey }
    let isTrusted = (authorities ?? []).contains { authority in
      authority.subject == certificate.issuer
        && authority.publicKey.isValidSignature(certificate.signature, for: certificate)
    }
    guard isTrusted else { throw .untrustedCertificate }
    return key
  }
}
