// swift-iap2 · Apache-2.0

import COpenSSL

/// The degenerate PKCS#7 signedData: certificates in a container without signatures (RFC 2315, section 9).
public enum PKCS7 {
  /// The contents of the object identifier 1.2.840.113549.1.7.2.
  private static let signedData: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]

  /// Returns the places of the certificates in a container, or nil if the bytes are another DER structure.
  ///
  /// A container is a ContentInfo: a SEQUENCE that begins with an OBJECT IDENTIFIER. What follows the certificates does
  /// not matter.
  ///
  /// - Throws: ``CryptographyError/malformedDER``, also for a ContentInfo of another kind.
  public static func certificates(in bytes: Span<UInt8>) throws(CryptographyError) -> [Range<Int>]? {
    let root = try DERElement(bytes)
    guard let parts = try root.children(.sequence, in: bytes), let kind = parts.first else { throw .malformedDER }
    guard kind.tag == .objectIdentifier else { return nil }
    guard ConstantTime.areEqual(bytes.extracting(kind.contents), signedData.span), parts.count == 2,
      let content = try parts[1].children(.context(0), in: bytes), content.count == 1,
      let fields = try content[0].children(.sequence, in: bytes), fields.count >= 4, fields[0].tag == .integer,
      fields[1].tag == .set, fields[2].tag == .sequence
    else { throw .malformedDER }
    return try fields[3].children(.context(0), in: bytes)?.map(\.range) ?? []
  }

  /// Returns a container with a certificate. The bytes equal those of `openssl crl2pkcs7 -nocrl`.
  public static func container(of certificate: Certificate) -> [UInt8] {
    guard let container = unsafe PKCS7_new_ex(Library.context, nil) else {
      preconditionFailure("libcrypto makes a container")
    }
    defer { unsafe PKCS7_free(container) }
    let isMade =
      unsafe PKCS7_set_type(container, NID_pkcs7_signed) == 1
      && PKCS7_content_new(container, NID_pkcs7_data) == 1
      // A detached signature has no content.
      && PKCS7_ctrl(container, PKCS7_OP_SET_DETACHED_SIGNATURE, 1, nil) == 1
      && PKCS7_add_certificate(container, certificate.pointer) == 1
    precondition(isMade, "libcrypto takes every certificate")
    return unsafe Library.bytes { unsafe Int(i2d_PKCS7(container, &$0)) }
  }
}
