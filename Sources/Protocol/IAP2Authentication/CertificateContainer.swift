// swift-iap2 · Apache-2.0

import Cryptography

/// The certificate in the forms in which accessories send it: bare, or in the degenerate PKCS#7 signedData of real
/// chips.
enum CertificateContainer {
  /// The largest size in bytes of a certificate in its container.
  static let byteLimit = 65_000

  /// Returns the only X.509 certificate (DER) inside a PKCS#7 container, or the bytes themselves if they are a bare
  /// certificate.
  static func der(in bytes: [UInt8]) throws(AuthenticationError) -> ArraySlice<UInt8> {
    guard bytes.count <= byteLimit else { throw .certificateTooLong(byteCount: bytes.count) }
    let found: [Range<Int>]?
    do { found = try PKCS7.certificates(in: bytes.span) } catch { throw .malformedCertificate }
    guard let found else { return bytes[...] }
    guard found.count == 1 else { throw .wrongCertificateCount(found: found.count) }
    return bytes[found[0]]
  }

  /// Reads the certificate of either form.
  static func certificate(in bytes: [UInt8]) throws(AuthenticationError) -> Certificate {
    let der = try der(in: bytes)
    do { return try Certificate(der: der.span) } catch { throw .malformedCertificate }
  }

  /// Returns a container with this certificate.
  static func wrap(_ certificate: Certificate) throws(AuthenticationError) -> [UInt8] {
    let bytes = PKCS7.container(of: certificate)
    guard bytes.count <= byteLimit else { throw .certificateTooLong(byteCount: bytes.count) }
    return bytes
  }
}

extension Certificate {
  /// The P-256 key.
  ///
  /// - Throws: ``AuthenticationError/unsupportedKey`` for any other key, or
  ///   ``AuthenticationError/malformedCertificate``.
  var accessoryKey: P256PublicKey {
    get throws(AuthenticationError) {
      let kind: KeyKind
      do { kind = try keyKind } catch { throw .malformedCertificate }
      guard kind == .p256, let key = p256Key else { throw .unsupportedKey }
      return key
    }
  }

  /// Whether the key is the RSA-1024 key of 2.0 chips, which sign a challenge of 20 bytes with 128 bytes.
  var hasOldChipKey: Bool {
    get throws(AuthenticationError) {
      do { return try keyKind == .rsa(bitCount: 1024) } catch { throw .malformedCertificate }
    }
  }

  /// The serial number in upper-case hexadecimal digits.
  var serialText: String {
    let digits = Array("0123456789ABCDEF".utf8)
    return String(
      decoding: serialNumber.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }
}

extension P256PublicKey {
  /// Verifies that this key made the response, raw r‖s, over the challenge; throws if it did not.
  ///
  /// The challenge is signed as it is, in place of a SHA-256 digest.
  func verify(response: [UInt8], challenge: [UInt8]) throws(AuthenticationError) {
    guard challenge.count == P256.digestByteCount else { throw .unusableChallenge(byteCount: challenge.count) }
    guard response.count == P256.signatureByteCount else { throw .wrongResponseLength(found: response.count) }
    guard isValid(response.span, digest: challenge.span) else { throw .wrongSignature }
  }
}
