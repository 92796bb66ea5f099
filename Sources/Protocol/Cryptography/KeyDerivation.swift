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
    guard let context = unsafe EVP_KDF_CTX_new(Self.method) else { preconditionFailure("libcrypto has HKDF") }
    defer { unsafe EVP_KDF_CTX_free(context) }
    return unsafe Secret(byteCount: byteCount) { output in
      let isDone = unsafe function.name.withCString { name in
        unsafe secret.withAddress { secret, secretByteCount in
          unsafe salt.withAddress { salt, saltByteCount in
            unsafe info.withAddress { info, infoByteCount in
              let parameters = unsafe [
                OSSL_PARAM_construct_utf8_string(key("digest"), UnsafeMutablePointer(mutating: name), 0),
                octets("key", secret, secretByteCount), octets("salt", salt, saltByteCount),
                octets("info", info, infoByteCount), OSSL_PARAM_construct_end(),
              ]
              return unsafe EVP_KDF_derive(context, output.baseAddress, byteCount, parameters) == 1
            }
          }
        }
      }
      precondition(isDone, "libcrypto derives from every secret")
    }
  }

  /// The function, which libcrypto searches for once: a search costs as much as a derivation.
  private nonisolated(unsafe) static let method = unsafe EVP_KDF_fetch(Library.context, "HKDF", nil)

  /// Returns a parameter with bytes, which libcrypto only reads.
  private static func octets(_ name: StaticString, _ bytes: UnsafePointer<UInt8>, _ count: Int) -> OSSL_PARAM {
    unsafe OSSL_PARAM_construct_octet_string(key(name), UnsafeMutableRawPointer(mutating: bytes), count)
  }

  /// Returns the name of a parameter, which is kept by its address.
  private static func key(_ name: StaticString) -> UnsafePointer<CChar> {
    unsafe UnsafeRawPointer(name.utf8Start).assumingMemoryBound(to: CChar.self)
  }
}
