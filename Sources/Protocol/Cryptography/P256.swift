// swift-iap2 · Apache-2.0

import COpenSSL

/// Signatures of ECDSA on the curve P-256, as raw r‖s.
public enum P256 {
  /// The size of the digest that a key signs in bytes.
  public static let digestByteCount = 32
  /// The size of a signature in bytes: r and s, 32 each.
  public static let signatureByteCount = 64
}

/// A private key on the curve P-256.
public struct P256PrivateKey: Sendable {
  private let key: KeyHandle

  /// Reads a key in PKCS#8 or SEC 1 form (DER).
  ///
  /// - Throws: ``CryptographyError/malformedKey``, or ``CryptographyError/unsupportedKey`` for a readable key of another
  ///   kind.
  public init(der: Span<UInt8>) throws(CryptographyError) {
    key = try unsafe KeyHandle(der: der) { unsafe d2i_AutoPrivateKey_ex(nil, &$0, $1, Library.context, nil) }
    guard key.kind == .p256 else { throw .unsupportedKey }
  }

  /// The public key.
  public var publicKey: P256PublicKey { P256PublicKey(key) }

  /// Returns the signature of a digest.
  ///
  /// - Throws: ``CryptographyError/wrongDigestLength(found:needed:)``.
  public func sign(digest: Span<UInt8>) throws(CryptographyError) -> [UInt8] {
    guard digest.count == P256.digestByteCount else {
      throw .wrongDigestLength(found: digest.count, needed: P256.digestByteCount)
    }
    let context = KeyContext(key)
    var encoded = [UInt8](repeating: 0, count: Int(unsafe EVP_PKEY_get_size(key.pointer)))
    var count = encoded.count
    let isSigned = unsafe encoded.withUnsafeMutableBufferPointer { encoded in
      unsafe digest.withAddress {
        unsafe EVP_PKEY_sign_init(context.pointer) == 1
          && EVP_PKEY_sign(context.pointer, encoded.baseAddress, &count, $0, $1) == 1
      }
    }
    precondition(isSigned, "libcrypto signs every digest")
    return Self.raw(encoded.span.extracting(..<count))
  }

  /// Returns r‖s of a signature in DER.
  private static func raw(_ encoded: Span<UInt8>) -> [UInt8] {
    var raw = [UInt8](repeating: 0, count: P256.signatureByteCount)
    let half = CInt(P256.signatureByteCount / 2)
    let isWritten = unsafe encoded.withAddress { address, count in
      var next: UnsafePointer<UInt8>? = unsafe address
      guard let signature = unsafe d2i_ECDSA_SIG(nil, &next, count) else { return false }
      defer { unsafe ECDSA_SIG_free(signature) }
      return unsafe raw.withUnsafeMutableBufferPointer {
        unsafe BN_bn2binpad(ECDSA_SIG_get0_r(signature), $0.baseAddress, half) == half
          && BN_bn2binpad(ECDSA_SIG_get0_s(signature), $0.baseAddress.map { unsafe $0 + Int(half) }, half) == half
      }
    }
    precondition(isWritten, "libcrypto reads the signature that it has made")
    return raw
  }
}

/// A public key on the curve P-256.
public struct P256PublicKey: Sendable {
  private let key: KeyHandle

  init(_ key: KeyHandle) { self.key = key }

  /// Reads a key in the form SubjectPublicKeyInfo (DER).
  ///
  /// - Throws: ``CryptographyError/malformedKey``, or ``CryptographyError/unsupportedKey`` for a readable key of another
  ///   kind.
  public init(der: Span<UInt8>) throws(CryptographyError) {
    key = try unsafe KeyHandle(der: der) { unsafe d2i_PUBKEY_ex(nil, &$0, $1, Library.context, nil) }
    guard key.kind == .p256 else { throw .unsupportedKey }
  }

  /// Returns whether the private key of this key made the signature of a digest. It never did if one of them has a
  /// wrong length.
  public func isValid(_ signature: Span<UInt8>, digest: Span<UInt8>) -> Bool {
    guard signature.count == P256.signatureByteCount, digest.count == P256.digestByteCount else { return false }
    let encoded = Self.encoded(signature)
    let context = KeyContext(key)
    return Library.value {
      unsafe encoded.span.withAddress { encoded, encodedByteCount in
        unsafe digest.withAddress {
          unsafe EVP_PKEY_verify_init(context.pointer) == 1
            && EVP_PKEY_verify(context.pointer, encoded, encodedByteCount, $0, $1) == 1
        }
      }
    }
  }

  /// Returns a signature r‖s in DER.
  private static func encoded(_ signature: Span<UInt8>) -> [UInt8] {
    let half = P256.signatureByteCount / 2
    return unsafe signature.withAddress { bytes, _ in
      guard let value = unsafe ECDSA_SIG_new() else { preconditionFailure("libcrypto makes a signature") }
      defer { unsafe ECDSA_SIG_free(value) }
      let isSet = unsafe ECDSA_SIG_set0(
        value, BN_bin2bn(bytes, CInt(half), nil), BN_bin2bn(bytes + half, CInt(half), nil))
      precondition(isSet == 1, "libcrypto takes every number")
      return unsafe Library.bytes { unsafe Int(i2d_ECDSA_SIG(value, &$0)) }
    }
  }
}

extension P256PublicKey: Equatable {
  /// Compares the points.
  public static func == (left: Self, right: Self) -> Bool {
    unsafe EVP_PKEY_eq(left.key.pointer, right.key.pointer) == 1
  }
}

/// The context of one operation with a key.
@safe private struct KeyContext: ~Copyable {
  let pointer: OpaquePointer

  init(_ key: KeyHandle) {
    guard let pointer = unsafe EVP_PKEY_CTX_new_from_pkey(Library.context, key.pointer, nil) else {
      preconditionFailure("libcrypto makes a context")
    }
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_PKEY_CTX_free(pointer) }
}
