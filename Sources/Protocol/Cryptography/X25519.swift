// swift-iap2 · Apache-2.0

import COpenSSL

/// A private key for the agreement X25519 (RFC 7748).
public struct X25519PrivateKey: Sendable {
  /// The size of keys and secrets in bytes.
  public static let byteCount = KeyHandle.rawByteCount

  private let key: KeyHandle

  /// Reads a key of 32 bytes.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)``.
  public init(_ bytes: Span<UInt8>) throws(CryptographyError) { key = try KeyHandle(.x25519, privateKey: bytes) }

  /// The 32 bytes of the public key.
  public var publicKey: [UInt8] { key.rawPublicKey }

  /// Returns the secret that both sides share; nil for a public key that gives a secret of zeros.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)``.
  public func sharedSecret(with publicKey: Span<UInt8>) throws(CryptographyError) -> Secret? {
    let other = try KeyHandle(.x25519, publicKey: publicKey)
    guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(Library.context, key.pointer, nil) else {
      preconditionFailure("libcrypto agrees with every key")
    }
    defer { unsafe EVP_PKEY_CTX_free(context) }
    return Library.value {
      guard unsafe EVP_PKEY_derive_init(context) == 1, unsafe EVP_PKEY_derive_set_peer(context, other.pointer) == 1
      else {
        return nil
      }
      var isDerived = false
      let secret = unsafe Secret(byteCount: Self.byteCount) { output in
        var count = output.count
        isDerived = unsafe EVP_PKEY_derive(context, output.baseAddress, &count) == 1 && count == Self.byteCount
      }
      let zeros = [UInt8](repeating: 0, count: Self.byteCount)
      return isDerived && !ConstantTime.areEqual(secret.span, zeros.span) ? secret : nil
    }
  }
}
