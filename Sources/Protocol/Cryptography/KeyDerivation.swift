// swift-iap2 · Apache-2.0

import COpenSSL

/// The key derivation function HKDF (RFC 5869).
public enum HKDF {
  /// The longest output in bytes: 255 digests.
  public static func maximumByteCount(_ function: HashFunction) -> Int { 255 * function.byteCount }

  /// Returns key material of that size in bytes, at least one.
  ///
  /// - Precondition: `info` has at most 1024 bytes, which is libcrypto's limit.
  /// - Throws: ``CryptographyError/outputTooLong(byteCount:limit:)``.
  public static func derive(
    _ function: HashFunction, secret: Span<UInt8>, salt: Span<UInt8>, info: Span<UInt8>, byteCount: Int
  ) throws(CryptographyError) -> Secret {
    let limit = maximumByteCount(function)
    guard (1...limit).contains(byteCount) else { throw .outputTooLong(byteCount: byteCount, limit: limit) }
    guard let context = unsafe EVP_PKEY_CTX_new_from_name(Library.context, "HKDF", nil) else {
      preconditionFailure("libcrypto has no HKDF")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    let isSet =
      unsafe EVP_PKEY_derive_init(context) == 1
      && EVP_PKEY_CTX_set_hkdf_md(context, function.digest) == 1
      && secret.withAddress { unsafe EVP_PKEY_CTX_set1_hkdf_key(context, $0, CInt($1)) } == 1
      && salt.withAddress { unsafe EVP_PKEY_CTX_set1_hkdf_salt(context, $0, CInt($1)) } == 1
      && info.withAddress { unsafe EVP_PKEY_CTX_add1_hkdf_info(context, $0, CInt($1)) } == 1
    precondition(isSet, "libcrypto derives from every secret")
    return unsafe Secret(byteCount: byteCount) { output in
      var written = byteCount
      let isDone = unsafe EVP_PKEY_derive(context, output.baseAddress, &written)
      precondition(isDone == 1 && written == byteCount, "libcrypto derives from every secret")
    }
  }
}
