// swift-iap2 · Apache-2.0

import COpenSSL

/// A hash function.
public enum HashFunction: Sendable, Hashable, CaseIterable {
  /// SHA-1, which protects nothing. auth-setup of CarPlay derives its key with it.
  case sha1
  /// SHA-256.
  case sha256
  /// SHA-512.
  case sha512

  /// The size of a digest in bytes.
  public var byteCount: Int {
    switch self {
    case .sha1: 20
    case .sha256: 32
    case .sha512: 64
    }
  }

  var name: String {
    switch self {
    case .sha1: "SHA1"
    case .sha256: "SHA256"
    case .sha512: "SHA512"
    }
  }

  private nonisolated(unsafe) static let digests = unsafe allCases.map { unsafe Library.digest($0.name) }

  var digest: OpaquePointer {
    switch self {
    case .sha1: unsafe Self.digests[0]
    case .sha256: unsafe Self.digests[1]
    case .sha512: unsafe Self.digests[2]
    }
  }

  /// Returns the digest of bytes.
  public func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    var hash = Hash(self)
    hash.update(bytes)
    return hash.finish()
  }

  /// Returns the digest of byte strings, one behind the other.
  public func hash(_ parts: [UInt8]...) -> [UInt8] {
    var hash = Hash(self)
    for part in parts { hash.update(part.span) }
    return hash.finish()
  }

  /// Returns the HMAC of a message (RFC 2104).
  public func authenticationCode(of message: Span<UInt8>, key: Span<UInt8>) -> [UInt8] {
    var code = [UInt8](repeating: 0, count: byteCount)
    var written = 0
    let isDone = unsafe code.withUnsafeMutableBufferPointer { code in
      unsafe key.withAddress { key, keyByteCount in
        unsafe message.withAddress { message, messageByteCount in
          unsafe EVP_Q_mac(
            Library.context, "HMAC", nil, name, nil, key, keyByteCount, message, messageByteCount, code.baseAddress,
            code.count, &written) != nil
        }
      }
    }
    precondition(isDone && written == byteCount, "libcrypto makes an HMAC of every message")
    return code
  }
}

/// A digest that is computed of one part after the other.
///
/// Invariant for `@unchecked Sendable`: the pointer never leaves this value, which has one owner.
@safe public struct Hash: ~Copyable, @unchecked Sendable {
  private let function: HashFunction
  private let context: OpaquePointer

  /// Begins a digest.
  public init(_ function: HashFunction) {
    guard let context = unsafe EVP_MD_CTX_new(), unsafe EVP_DigestInit_ex2(context, function.digest, nil) == 1 else {
      preconditionFailure("libcrypto begins every digest")
    }
    self.function = function
    unsafe self.context = context
  }

  deinit { unsafe EVP_MD_CTX_free(context) }

  /// Adds bytes.
  public mutating func update(_ bytes: Span<UInt8>) {
    let isDone = unsafe bytes.withUnsafeBytes { unsafe EVP_DigestUpdate(context, $0.baseAddress, $0.count) }
    precondition(isDone == 1, "libcrypto takes all bytes")
  }

  /// Returns the digest, and ends it.
  public consuming func finish() -> [UInt8] {
    var digest = [UInt8](repeating: 0, count: function.byteCount)
    unsafe digest.withUnsafeMutableBufferPointer { unsafe write(to: $0) }
    return digest
  }

  /// Returns the digest of a secret, and ends it.
  public consuming func finishSecret() -> Secret {
    unsafe Secret(byteCount: function.byteCount) { unsafe write(to: $0) }
  }

  private func write(to digest: UnsafeMutableBufferPointer<UInt8>) {
    let isDone = unsafe EVP_DigestFinal_ex(context, digest.baseAddress, nil)
    precondition(isDone == 1, "libcrypto ends every digest")
  }
}
