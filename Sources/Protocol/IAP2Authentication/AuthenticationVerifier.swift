// swift-iap2 · Apache-2.0
import Crypto
import SwiftASN1
import X509

/// The phone's judgement of an accessory's certificate and of its response to the challenge.
///
/// With certificate authorities, a certificate is trusted when one of them issued it directly: its issuer is the
/// authority's subject, and the authority's key made its signature. Dates of validity are not looked at, since clocks
/// and test certificates of a laboratory are often wrong; neither are extensions nor revocation lists.
public struct AuthenticationVerifier: Sendable {
  /// Nothing when whatever comes is accepted.
  private let authorities: [Certificate]?

  /// Trusts what the committed test CA issued.
  public static let test: AuthenticationVerifier = {
    do throws(AuthenticationError) {
      return try AuthenticationVerifier(certificateAuthorityPEM: TestMaterial.certificateAuthority)
    } catch {
      preconditionFailure("the committed test material is unusable: \(error)")
    }
  }()

  /// Accepts everything: looks at neither form nor content of certificate and response.
  public static let any = AuthenticationVerifier(authorities: nil)

  private init(authorities: [Certificate]?) { self.authorities = authorities }

  /// Trusts what any of the certificate authorities in this text issued directly.
  public init(certificateAuthorityPEM: String) throws(AuthenticationError) {
    let blocks = try PEMText.blocks(
      named: ["CERTIFICATE"], in: certificateAuthorityPEM, else: .malformedCertificateAuthority)
    guard !blocks.isEmpty else { throw .malformedCertificateAuthority }
    authorities = try reading(.malformedCertificateAuthority) {
      try blocks.map { try Certificate(derEncoded: $0.derBytes) }
    }
  }

  /// Judges the certificate before the challenge; returns how many bytes the challenge has.
  ///
  /// That is 20 for the RSA-1024 form of old chips, which only ``any`` accepts, and 32 for all others.
  public func challengeByteCount(for certificate: [UInt8]) throws(AuthenticationError) -> Int {
    guard authorities != nil else { return Self.isRSA1024(certificate) ? 20 : ChallengeDigest.byteCount }
    _ = try trustedKey(of: certificate)
    return ChallengeDigest.byteCount
  }

  /// Judges the response to the challenge, and the certificate again; returns if both are right.
  public func verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8]) throws(AuthenticationError) {
    guard authorities != nil else { return }
    try trustedKey(of: certificate).verify(response: response, challenge: challenge)
  }

  private static func isRSA1024(_ certificate: [UInt8]) -> Bool {
    // What is no certificate at all is taken like those of today.
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
