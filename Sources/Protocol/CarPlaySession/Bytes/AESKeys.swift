// swift-iap2 · Apache-2.0

import Cryptography

/// A key of AES-128 in counter mode. Encryption and decryption are the same operation.
struct CounterKey: Sendable {
  private let key: AES128Counter

  /// - Precondition: The key and the counter have 16 bytes.
  init(_ key: Secret, counter: Span<UInt8>) {
    do { self.key = try AES128Counter(key, counter: counter) } catch { preconditionFailure("\(error)") }
  }

  /// Encrypts or decrypts the bytes from an index on in place. They begin at an offset of the key stream.
  func apply(_ bytes: inout [UInt8], from start: Int = 0, at offset: UInt64) {
    let end = bytes.count
    var span = bytes.mutableSpan
    key.apply(&span, in: start..<end, at: offset)
  }
}

/// A key of AES-128 in cipher block chaining mode, which leaves an incomplete last block clear.
struct BlockChainKey: Sendable {
  private let key: AES128BlockChain

  /// - Precondition: The key and the initialization vector have 16 bytes.
  init(_ key: Secret, initializationVector: [UInt8]) {
    do { self.key = try AES128BlockChain(key, initializationVector: initializationVector.span) } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Encrypts the bytes from an index on in place.
  func seal(_ bytes: inout [UInt8], from start: Int = 0) {
    let blocks = Self.blocks(of: bytes, from: start)
    var span = bytes.mutableSpan
    key.seal(&span, in: blocks)
  }

  /// Decrypts the bytes from an index on in place.
  func open(_ bytes: inout [UInt8], from start: Int = 0) {
    let blocks = Self.blocks(of: bytes, from: start)
    var span = bytes.mutableSpan
    key.open(&span, in: blocks)
  }

  private static func blocks(of bytes: [UInt8], from start: Int) -> Range<Int> {
    start..<bytes.count - (bytes.count - start) % AES128.blockByteCount
  }
}
