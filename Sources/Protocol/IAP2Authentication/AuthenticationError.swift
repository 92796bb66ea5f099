// swift-iap2 · Apache-2.0

/// The reason why an authentication failed.
public enum AuthenticationError: Error, Equatable, Sendable {
  /// The bytes are neither a degenerate PKCS#7 signedData with certificates nor a bare X.509 certificate, in DER.
  case malformedCertificate
  /// The PKCS#7 container holds this many certificates; it must hold exactly one.
  case wrongCertificateCount(found: Int)
  /// The certificate is longer than one message may carry; its size in bytes.
  case certificateTooLong(byteCount: Int)
  /// No trusted certificate authority issued the certificate.
  case untrustedCertificate
  /// The key of the certificate, or the given private key, is not on the curve P-256.
  case unsupportedKey
  /// The signature has the right form but is not this key's signature over the challenge.
  case wrongSignature
  /// The response does not have the 64 bytes of a P-256 signature; its size in bytes.
  case wrongResponseLength(found: Int)
  /// The private key cannot be read.
  case malformedKey
  /// The given private key does not belong to the certificate.
  case keyDoesNotMatchCertificate
  /// The text of a certificate authority has no certificate, or one that cannot be read.
  case malformedCertificateAuthority
  /// The challenge does not have the 32 bytes that a P-256 key signs; its size in bytes.
  case unusableChallenge(byteCount: Int)
  /// The key could not sign, for the given reason.
  case signingFailed(reason: String)
  /// The coprocessor did not return the requested data, for the given reason.
  case coprocessorFailed(reason: String)
}

extension AuthenticationError: CustomStringConvertible {
  /// The error as text for people.
  public var description: String {
    switch self {
    case .malformedCertificate: "the certificate is neither PKCS#7 signedData nor X.509 in DER"
    case .wrongCertificateCount(let found): "the PKCS#7 container holds \(found) certificates instead of one"
    case .certificateTooLong(let count): "the certificate has \(count) bytes, more than a message may carry"
    case .untrustedCertificate: "the certificate was not issued by a trusted certificate authority"
    case .unsupportedKey: "the key is not of the curve P-256"
    case .wrongSignature: "the signature over the challenge is wrong"
    case .wrongResponseLength(let found): "the response has \(found) bytes instead of 64"
    case .malformedKey: "the private key cannot be read"
    case .keyDoesNotMatchCertificate: "the private key does not belong to the certificate"
    case .malformedCertificateAuthority: "the certificate authority cannot be read"
    case .unusableChallenge(let count): "the challenge has \(count) bytes instead of 32"
    case .signingFailed(let reason): "signing failed: \(reason)"
    case .coprocessorFailed(let reason): "the coprocessor: \(reason)"
    }
  }
}
