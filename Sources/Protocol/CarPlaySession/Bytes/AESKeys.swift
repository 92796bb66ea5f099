// swift-iap2 · Apache-2.0

import Crypto
import CryptoExtras

/// A key of AES-128 in counter mode. Both directions are the same.
struct CounterKey: Sendable {
  private let key: SymmetricKey
  /// The counter of the first block.
  private let counter: UInt128

  /// - Precondition: The key and the counter have 16 bytes.
  init(_ key: [UInt8], counter: [UInt8]) {
    precondition(key.count == AESBlock.byteCount && counter.count == AESBlock.byteCount)
    self.key = SymmetricKey(data: key)
    self.counter = counter.reduce(0) { $0 << 8 | UInt128($1) }
  }

  /// Encrypts or decrypts bytes that begin at an offset of the key stream.
  func apply(_ bytes: some Collection<UInt8>, at offset: UInt64) -> [UInt8] {
    let (block, used) = offset.quotientAndRemainder(dividingBy: UInt64(AESBlock.byteCount))
    let nonce = (counter &+ UInt128(block)).bigEndianBytes
    let padded = [UInt8](repeating: 0, count: Int(used)) + bytes
    do {
      let nonce = try AES._CTR.Nonce(nonceBytes: nonce)
      return Array(try AES._CTR.encrypt(padded, using: key, nonce: nonce).dropFirst(Int(used)))
    } catch { preconditionFailure("a key and a counter of 16 bytes encrypt every text: \(error)") }
  }
}

/// A key of AES-128 in cipher block chaining mode, which leaves an incomplete last block clear.
struct BlockChainKey: Sendable {
  private let key: SymmetricKey
  private let initializationVector: [UInt8]

  /// - Precondition: The key and the initialization vector have 16 bytes.
  init(_ key: [UInt8], initializationVector: [UInt8]) {
    precondition(key.count == AESBlock.byteCount && initializationVector.count == AESBlock.byteCount)
    (self.key, self.initializationVector) = (SymmetricKey(data: key), initializationVector)
  }

  /// Returns the encrypted text.
  func seal(_ text: ArraySlice<UInt8>) -> [UInt8] {
    apply(text) { blocks, iv in Array(try AES._CBC.encrypt(blocks, using: key, iv: iv, noPadding: true)) }
  }

  /// Returns the text of encrypted bytes.
  func open(_ sealed: ArraySlice<UInt8>) -> [UInt8] {
    apply(sealed) { blocks, iv in Array(try AES._CBC.decrypt(blocks, using: key, iv: iv, noPadding: true)) }
  }

  private func apply(
    _ bytes: ArraySlice<UInt8>, _ body: (ArraySlice<UInt8>, AES._CBC.IV) throws -> [UInt8]
  ) -> [UInt8] {
    let blocks = bytes.prefix(bytes.count / AESBlock.byteCount * AESBlock.byteCount)
    guard !blocks.isEmpty else { return Array(bytes) }
    do {
      return try body(blocks, AES._CBC.IV(ivBytes: initializationVector)) + bytes.dropFirst(blocks.count)
    } catch { preconditionFailure("a key of 16 bytes encrypts and decrypts every block: \(error)") }
  }
}

private enum AESBlock {
  static let byteCount = 16
}
