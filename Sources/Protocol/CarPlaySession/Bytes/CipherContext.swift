// swift-iap2 · Apache-2.0

import COpenSSL

/// The state in which OpenSSL encrypts or decrypts one text after another, where their bytes are, without new memory.
///
/// Each text begins with key and vector, so none depends on the text before it.
///
/// Invariant for `@unchecked Sendable`: the pointer never leaves this value, which has one owner.
@safe struct CipherContext: ~Copyable, @unchecked Sendable {
  /// The ciphers by their names in OpenSSL.
  enum Method: String {
    case chaCha20Poly1305 = "ChaCha20-Poly1305"
    case counter = "AES-128-CTR"
    case blocks = "AES-128-CBC"
  }

  enum Direction: CInt { case open, seal }

  /// OpenSSL without the settings of the machine and of the program, which can take no cipher away.
  private nonisolated(unsafe) static let library = unsafe OSSL_LIB_CTX_new()

  private let pointer: OpaquePointer

  /// - Precondition: OpenSSL has the method, as every version from 3.0 on has.
  init(_ method: Method) {
    guard let cipher = unsafe EVP_CIPHER_fetch(Self.library, method.rawValue, nil),
      let pointer = unsafe EVP_CIPHER_CTX_new(),
      unsafe EVP_CipherInit_ex(pointer, cipher, nil, nil, nil, Direction.seal.rawValue) == 1
    else { preconditionFailure("OpenSSL has no \(method.rawValue)") }
    unsafe EVP_CIPHER_free(cipher)
    unsafe EVP_CIPHER_CTX_set_padding(pointer, 0)
    unsafe self.pointer = pointer
  }

  deinit { unsafe EVP_CIPHER_CTX_free(pointer) }

  var keyByteCount: Int { Int(unsafe EVP_CIPHER_CTX_get_key_length(pointer)) }

  /// Begins a text.
  ///
  /// - Parameter vector: The nonce, counter or initialization vector, as it is in memory.
  mutating func begin(_ direction: Direction, key: [UInt8], vector: UInt128) {
    let hasBegun = unsafe withUnsafeBytes(of: vector) { vector in
      unsafe EVP_CipherInit_ex(
        pointer, nil, nil, key, vector.bindMemory(to: UInt8.self).baseAddress, direction.rawValue) == 1
    }
    precondition(hasBegun, "OpenSSL begins with every key and vector")
  }

  /// Takes bytes before the text that the tag covers, too.
  mutating func authenticate(_ header: UnsafeRawBufferPointer) {
    unsafe pass(header, to: nil)
  }

  /// Encrypts or decrypts bytes where they are; whole blocks of ``Method/blocks``.
  mutating func update(_ text: UnsafeMutableRawBufferPointer) {
    unsafe pass(UnsafeRawBufferPointer(text), to: text.baseAddress)
  }

  private func pass(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer?) {
    guard unsafe !bytes.isEmpty else { return }
    var written: CInt = 0
    let isDone = unsafe EVP_CipherUpdate(
      pointer, output?.assumingMemoryBound(to: UInt8.self), &written,
      bytes.bindMemory(to: UInt8.self).baseAddress, CInt(bytes.count))
    precondition(isDone == 1 && Int(written) == bytes.count, "OpenSSL passes every byte at once")
  }

  /// Ends a text that was sealed, and writes its tag.
  mutating func writeTag(_ tag: UnsafeMutableRawBufferPointer) {
    let isWritten =
      unsafe finish() && EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_GET_TAG, CInt(tag.count), tag.baseAddress) == 1
    precondition(isWritten, "OpenSSL writes a tag behind every text")
  }

  /// Ends a text that was opened, and returns whether its tag is right.
  mutating func hasTag(_ tag: UnsafeMutableRawBufferPointer) -> Bool {
    let isTaken = unsafe EVP_CIPHER_CTX_ctrl(pointer, EVP_CTRL_AEAD_SET_TAG, CInt(tag.count), tag.baseAddress) == 1
    precondition(isTaken, "OpenSSL takes every tag of its size")
    return finish()
  }

  private func finish() -> Bool {
    var written: CInt = 0
    return unsafe EVP_CipherFinal_ex(pointer, nil, &written) == 1
  }
}
