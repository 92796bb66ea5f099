// swift-iap2 · Apache-2.0

import COpenSSL

/// A private key for signatures of Ed25519 (RFC 8032).
public struct Ed25519PrivateKey: Sendable {
  /// The size of a key in bytes.
  public static let byteCount = KeyHandle.rawByteCount

  private let key: KeyHandle

  /// Reads a key of 32 bytes.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)``.
  public init(_ bytes: Span<UInt8>) throws(CryptographyError) { key = try KeyHandle(.ed25519, privateKey: bytes) }

  /// The 32 bytes of the public key.
  public var publicKey: [UInt8] { key.rawPublicKey }

  /// Returns the signature of a message, 64 bytes.
  public func sign(_ message: Span<UInt8>) -> [UInt8] {
    let context = SignatureContext(key)
    var signature = [UInt8](repeating: 0, count: Ed25519.signatureByteCount)
    var count = signature.count
    let isDone = unsafe signature.withUnsafeMutableBufferPointer { signature in
      unsafe message.withAddress { message, messageByteCount in
        unsafe EVP_DigestSignInit_ex(context.pointer, nil, nil, Library.context, nil, key.pointer, nil) == 1
          && EVP_DigestSign(context.pointer, signature.baseAddress, &count, message, messageByteCount) == 1
      }
    }
    precondition(isDone && count == signature.count, "libcrypto signs every message")
    return signature
  }
}

/// Signatures of Ed25519 (RFC 8032).
public enum Ed25519 {
  /// The size of a signature in bytes.
  public static let signatureByteCount = 64

  /// Returns whether the signature of a message was made with the private key of a public key. It never was if the key
  /// or the signature has a wrong length or value.
  public static func isValid(
    _ signature: Span<UInt8>, of message: Span<UInt8>, publicKey: Span<UInt8>
  ) -> Bool {
    let key: KeyHandle
    do { key = try KeyHandle(.ed25519, publicKey: publicKey) } catch { return false }
    let context = SignatureContext(key)
    return Library.value {
      unsafe signature.withAddress { signature, signatureByteCount in
        unsafe message.withAddress { message, messageByteCount in
          unsafe EVP_DigestVerifyInit_ex(context.pointer, nil, nil, Library.context, nil, key.pointer, nil) == 1
            && EVP_DigestVerify(context.pointer, signature, signatureByteCount, message, messageByteCount) == 1
        }
      }
    }
  }
}

/// The context of one signature.
@safe private struct SignatureContext: ~Copyable {
  let pointer: OpaquePointer

  init(_ key: KeyHandle) {
    guard let pointer = unsafe EVP_MD_CTX_new() else { preconditionFailure("libcrypto makes a context") }
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_MD_CTX_free(pointer) }
}
