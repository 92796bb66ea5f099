// swift-iap2 · Apache-2.0

import COpenSSL

/// A key of libcrypto, which frees it and overwrites its secrets at the end.
///
/// Invariant for `@unchecked Sendable`: a key does not change after its creation, and libcrypto lets threads share such
/// keys.
@safe final class KeyHandle: @unchecked Sendable {
  let pointer: OpaquePointer

  /// Takes over the key that the body makes.
  ///
  /// - Throws: ``CryptographyError/malformedKey`` if the body makes none.
  init(_ body: () -> OpaquePointer?) throws(CryptographyError) {
    guard let pointer = unsafe Library.value(of: body) else { throw .malformedKey }
    unsafe self.pointer = pointer
  }

  /// Reads a key that fills bytes in DER.
  convenience init(
    der: Span<UInt8>, _ read: (_ next: inout UnsafePointer<UInt8>?, _ count: Int) -> OpaquePointer?
  ) throws(CryptographyError) {
    try unsafe self.init {
      unsafe der.withAddress { address, count in
        var next: UnsafePointer<UInt8>? = unsafe address
        let key = unsafe read(&next, count)
        if unsafe next == address + count { return unsafe key }
        unsafe EVP_PKEY_free(key)
        return nil
      }
    }
  }

  deinit { unsafe EVP_PKEY_free(pointer) }

  /// The kinds of keys that are plain bytes, by their names in libcrypto.
  enum RawKind: String {
    case x25519 = "X25519"
    case ed25519 = "ED25519"
  }

  /// The size of a raw key in bytes.
  static let rawByteCount = 32

  /// Reads a private key.
  convenience init(_ kind: RawKind, privateKey bytes: Span<UInt8>) throws(CryptographyError) {
    try Self.checkLength(bytes)
    try unsafe self.init {
      unsafe bytes.withAddress { unsafe EVP_PKEY_new_raw_private_key_ex(Library.context, kind.rawValue, nil, $0, $1) }
    }
  }

  /// Reads a public key.
  convenience init(_ kind: RawKind, publicKey bytes: Span<UInt8>) throws(CryptographyError) {
    try Self.checkLength(bytes)
    try unsafe self.init {
      unsafe bytes.withAddress { unsafe EVP_PKEY_new_raw_public_key_ex(Library.context, kind.rawValue, nil, $0, $1) }
    }
  }

  private static func checkLength(_ bytes: Span<UInt8>) throws(CryptographyError) {
    guard bytes.count == rawByteCount else { throw .wrongKeyLength(found: bytes.count, needed: rawByteCount) }
  }

  /// The bytes of a raw public key.
  var rawPublicKey: [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.rawByteCount)
    var count = bytes.count
    let isDone = unsafe bytes.withUnsafeMutableBufferPointer {
      unsafe EVP_PKEY_get_raw_public_key(pointer, $0.baseAddress, &count)
    }
    precondition(isDone == 1 && count == Self.rawByteCount, "libcrypto writes every raw key")
    return bytes
  }

  /// The kind of the key.
  var kind: KeyKind {
    if unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 { return .rsa(bitCount: Int(unsafe EVP_PKEY_get_bits(pointer))) }
    // A key may also give the numbers of its curve in place of the name. Only the name counts.
    let isNamedP256 =
      unsafe EVP_PKEY_is_a(pointer, "EC") == 1 && text("group") == "prime256v1"
      && text("encoding") != "explicit"
    return isNamedP256 ? .p256 : .other
  }

  private func text(_ name: String) -> String {
    var value = [CChar](repeating: 0, count: 64)
    var count = 0
    let isFound = Library.value {
      unsafe value.withUnsafeMutableBufferPointer {
        unsafe EVP_PKEY_get_utf8_string_param(pointer, name, $0.baseAddress, $0.count, &count) == 1
      }
    }
    return isFound ? String(decoding: value.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self) : ""
  }
}

/// The kind of a public key.
public enum KeyKind: Sendable, Hashable {
  /// A key on the curve P-256, which the key names.
  case p256
  /// An RSA key; the bits of its modulus.
  case rsa(bitCount: Int)
  /// Any other key.
  case other
}
