// swift-iap2 · Apache-2.0

import COpenSSL

/// An X.509 certificate.
///
/// Invariant for `@unchecked Sendable`: a certificate does not change after its creation, and libcrypto lets threads
/// share it.
@safe public final class Certificate: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Reads a certificate in DER. Another encoding of the same values (BER) is refused.
  ///
  /// - Throws: ``CryptographyError/malformedDER``.
  public init(der: Span<UInt8>) throws(CryptographyError) {
    let pointer = unsafe Library.value { unsafe der.withAddress { unsafe Self.read($0, $1) } }
    guard let pointer = unsafe pointer else { throw .malformedDER }
    unsafe self.pointer = pointer
    let written = unsafe Library.bytes { unsafe Int(i2d_X509(pointer, &$0)) }
    guard ConstantTime.areEqual(written.span, der) else { throw .malformedDER }
  }

  deinit { unsafe X509_free(pointer) }

  private static func read(_ address: UnsafePointer<UInt8>, _ count: Int) -> OpaquePointer? {
    var certificate = unsafe X509_new_ex(Library.context, nil)
    var next: UnsafePointer<UInt8>? = unsafe address
    // libcrypto frees the certificate if it cannot be read.
    guard unsafe d2i_X509(&certificate, &next, count) != nil else { return nil }
    return unsafe certificate
  }

  /// The distinguished name of the subject, in the form of RFC 4514.
  public var subject: String { unsafe Self.text(X509_get_subject_name(pointer)) }

  /// The distinguished name of the issuer, in the form of RFC 4514.
  public var issuer: String { unsafe Self.text(X509_get_issuer_name(pointer)) }

  private static func text(_ name: OpaquePointer?) -> String {
    guard let output = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("libcrypto has memory for a name") }
    defer { unsafe BIO_free(output) }
    return Library.value {
      var address: UnsafePointer<UInt8>?
      guard unsafe X509_NAME_print_ex(output, name, 0, COpenSSL_nameForm) >= 0 else { return "" }
      let count = unsafe BIO_ctrl(output, BIO_CTRL_INFO, 0, &address)
      return unsafe String(decoding: UnsafeBufferPointer(start: address, count: count), as: UTF8.self)
    }
  }

  /// The bytes of the serial number as they stand in the certificate, the highest first.
  public var serialNumber: [UInt8] {
    let encoded = unsafe Library.bytes { unsafe Int(i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), &$0)) }
    do { return Array(encoded[try DERElement(encoded.span).contents]) } catch { return [] }
  }

  /// The kind of the key.
  ///
  /// - Throws: ``CryptographyError/malformedKey`` for a key of RSA or of an elliptic curve that cannot be read.
  public var keyKind: KeyKind {
    get throws(CryptographyError) {
      if let key { return key.kind }
      guard ![NID_rsaEncryption, NID_X9_62_id_ecPublicKey].contains(keyAlgorithm) else { throw .malformedKey }
      return .other
    }
  }

  /// The key on the curve P-256; nil for any other key.
  public var p256Key: P256PublicKey? { key.flatMap { $0.kind == .p256 ? P256PublicKey($0) : nil } }

  private var key: KeyHandle? {
    do { return try unsafe KeyHandle { unsafe X509_get_pubkey(pointer) } } catch { return nil }
  }

  private var keyAlgorithm: CInt {
    var algorithm: OpaquePointer?
    let isFound = unsafe X509_PUBKEY_get0_param(&algorithm, nil, nil, nil, X509_get_X509_PUBKEY(pointer))
    return unsafe isFound == 1 ? OBJ_obj2nid(algorithm) : NID_undef
  }

  /// Returns whether another certificate issued this one: its subject is this issuer, and its key, RSA or ECDSA, made
  /// this signature. Dates, extensions and revocation lists do not matter.
  public func isIssued(by authority: Certificate) -> Bool {
    guard unsafe X509_NAME_cmp(X509_get_issuer_name(pointer), X509_get_subject_name(authority.pointer)) == 0,
      let key = authority.key
    else { return false }
    return Library.value { unsafe X509_verify(pointer, key.pointer) == 1 }
  }
}
