// swift-iap2 · Apache-2.0

import COpenSSL

/// The state in which libcrypto encrypts or decrypts one text after another, where their bytes are, without new memory.
///
/// Each text begins with key and vector, so none depends on the text before it.
///
/// Invariant for `@unchecked Sendable`: the pointer never leaves this value, which has one owner.
@safe struct CipherContext: ~Copyable, @unchecked Sendable {
  /// The ciphers by their names in libcrypto.
  enum Method: String {
    case chaCha20Poly1305 = "ChaCha20-Poly1305"
    case counter = "AES-128-CTR"
    case blocks = "AES-128-CBC"
  }

  enum Direction: CInt { case open, seal }

  private let pointer: OpaquePointer

  /// - Precondition: libcrypto has the method, as every version from 3.0 on has.
  init(_ method: Method) {
    guard let cipher = unsafe EVP_CIPHER_fetch(Library.context, method.rawValue, nil),
      let pointer = unsafe EVP_CIPHER_CTX_new(),
      unsafe EVP_CipherInit_ex(pointer, cipher, nil, nil, nil, Direction.seal.rawValue) == 1
    else { preconditionFailure("libcrypto has no \(method.rawValue)") }
    unsafe EVP_CIPHER_free(cipher)
    unsafe EVP_CIPHER_CTX_set_padding(pointer, 0)
    unsafe self.pointer = pointer
  }

  /// libcrypto overwrites the key.
  deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

  var keyByteCount: Int { Int(unsafe EVP_CIPHER_CTX_get_key_length(pointer)) }

  /// Begins a text.
  ///
  /// - Parameter vector: The nonce, counter or initialization vector, as it is in memory.
  mutating func begin(_ direction: Direction, key: Secret, vector: UInt128) {
    precondition(key.byteCount == keyByteCount)
    let hasBegun = unsafe key.span.withUnsafeBufferPointer { key in
      unsafe withUnsafeBytes(of: vector) { vector in
        unsafe EVP_CipherInit_ex(
          pointer, nil, nil, key.baseAddress, vector.bindMemory(to: UInt8.self).baseAddress, direction.rawValue) == 1
      }
    }
    precondition(hasBegun, "libcrypto begins with every key and vector")
  }

  /// Takes bytes before the text that the tag covers, too.
  mutating func authenticate(_ header: Span<UInt8>) {
    unsafe header.withUnsafeBufferPointer { unsafe pass($0, to: nil) }
  }

  /// Encrypts or decrypts bytes where they are; whole blocks of ``Method/blocks``.
  mutating func update(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) {
    unsafe bytes.withUnsafeMutableBufferPointer {
      let text = unsafe UnsafeMutableBufferPointer(rebasing: $0[range])
      unsafe pass(UnsafeBufferPointer(text), to: text.baseAddress)
    }
  }

  /// Passes bytes of the key stream by.
  ///
  /// - Precondition: There are at most 16.
  mutating func skip(_ count: Int) {
    var scratch: UInt128 = 0
    unsafe withUnsafeMutableBytes(of: &scratch) {
      let text = unsafe UnsafeMutableBufferPointer(rebasing: $0.bindMemory(to: UInt8.self)[..<count])
      unsafe pass(UnsafeBufferPointer(text), to: text.baseAddress)
    }
  }

  private func pass(_ bytes: UnsafeBufferPointer<UInt8>, to output: UnsafeMutablePointer<UInt8>?) {
    guard !bytes.isEmpty else { return }
    var written: CInt = 0
    let isDone = unsafe EVP_CipherUpdate(pointer, output, &written, bytes.baseAddress, CInt(bytes.count))
    precondition(isDone == 1 && Int(written) == bytes.count, "libcrypto passes every byte at once")
  }

  /// Ends a text that was sealed, and writes its tag.
  mutating func writeTag(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) {
    let isFinished = finish()
    let isWritten = unsafe bytes.withUnsafeMutableBufferPointer {
      let tag = unsafe UnsafeMutableBufferPointer(rebasing: $0[range])
      return unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, CInt(tag.count), tag.baseAddress) == 1
    }
    precondition(isFinished && isWritten, "libcrypto writes a tag behind every text")
  }

  /// Ends a text that was opened, and returns whether its tag is right.
  mutating func hasTag(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) -> Bool {
    let isTaken = unsafe bytes.withUnsafeMutableBufferPointer {
      let tag = unsafe UnsafeMutableBufferPointer(rebasing: $0[range])
      return unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), tag.baseAddress) == 1
    }
    precondition(isTaken, "libcrypto takes every tag of its size")
    return finish()
  }

  private func finish() -> Bool {
    var written: CInt = 0
    return unsafe EVP_CipherFinal_ex(pointer, nil, &written) == 1
  }
}
