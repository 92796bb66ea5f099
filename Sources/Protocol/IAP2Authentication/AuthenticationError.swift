// swift-iap2 · Apache-2.0

/// Why an authentication ended, as a value with a name.
public enum AuthenticationError: Error, Equatable, Sendable {
  /// Neither a degenerate PKCS#7 signedData holding certificates nor a bare X.509 certificate, in DER.
  case malformedCertificate
  /// The PKCS#7 container holds this many certificates; it must hold exactly one.
  case wrongCertificateCount(found: Int)
  /// The certificate has more bytes than one message may carry.
  case certificateTooLong(byteCount: Int)
  /// The certificate was not issued by one of the certificate authorities trusted here.
  case untrustedCertificate
  /// The certificate's key, or the private key given, is not of the curve P-256.
  case unsupportedKey
  /// The signature has the right form, but is not this key's signature over the challenge.
  case wrongSignature
  /// The response of a P-256 accessory has 64 bytes; this one has another number.
  case wrongResponseLength(found: Int)
  /// The private key cannot be read.
  case malformedKey
  /// The private key given does not belong to the certificate.
  case keyDoesNotMatchCertificate
  /// The text given as certificate authority holds no certificate, or one that cannot be read.
  case malformedCertificateAuthority
  /// The challenge does not have the 32 bytes that a P-256 key signs.
  case unusableChallenge(byteCount: Int)
  /// The key could not be used to sign, for the reason given.
  case signingFailed(reason: String)
  /// The coprocessor could not give what it was asked for.
  case coprocessorFailed(reason: String)
}

extension AuthenticationError: CustomStringConvertible {
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
