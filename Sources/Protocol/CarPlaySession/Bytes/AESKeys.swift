// swift-iap2 · Apache-2.0

/// A key of AES-128 in counter mode. Both directions are the same.
struct CounterKey: Sendable {
  private let key: CipherKey
  /// The counter of the first block.
  private let counter: UInt128

  /// - Precondition: The key and the counter have 16 bytes.
  init(_ bytes: [UInt8], counter: [UInt8]) {
    key = CipherKey(bytes, .counter)
    self.counter = AESBlock.number(counter)
  }

  /// Encrypts or decrypts the bytes from an index on, where they are. They begin at an offset of the key stream.
  func apply(_ bytes: inout [UInt8], from start: Int = 0, at offset: UInt64) {
    let (block, used) = offset.quotientAndRemainder(dividingBy: UInt64(AESBlock.byteCount))
    unsafe bytes.withUnsafeMutableBytes { bytes in
      key.text(.seal, vector: (counter &+ UInt128(block)).bigEndian) { text in
        var scratch: UInt128 = 0
        unsafe withUnsafeMutableBytes(of: &scratch) {
          unsafe text.update(UnsafeMutableRawBufferPointer(rebasing: $0[..<Int(used)]))
        }
        unsafe text.update(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
      }
    }
  }
}

/// A key of AES-128 in cipher block chaining mode, which leaves an incomplete last block clear.
struct BlockChainKey: Sendable {
  private let key: CipherKey
  private let initializationVector: UInt128

  /// - Precondition: The key and the initialization vector have 16 bytes.
  init(_ bytes: [UInt8], initializationVector: [UInt8]) {
    key = CipherKey(bytes, .blocks)
    self.initializationVector = AESBlock.number(initializationVector)
  }

  /// Encrypts the bytes from an index on, where they are.
  func seal(_ bytes: inout [UInt8], from start: Int = 0) { apply(.seal, &bytes, from: start) }

  /// Decrypts the bytes from an index on, where they are.
  func open(_ bytes: inout [UInt8], from start: Int = 0) { apply(.open, &bytes, from: start) }

  private func apply(_ direction: CipherContext.Direction, _ bytes: inout [UInt8], from start: Int) {
    let end = bytes.count - (bytes.count - start) % AESBlock.byteCount
    unsafe bytes.withUnsafeMutableBytes { bytes in
      key.text(direction, vector: initializationVector.bigEndian) { text in
        unsafe text.update(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]))
      }
    }
  }
}

private enum AESBlock {
  static let byteCount = 16

  /// - Precondition: There are 16 bytes.
  static func number(_ bytes: [UInt8]) -> UInt128 {
    precondition(bytes.count == byteCount)
    return bytes.reduce(0) { $0 << 8 | UInt128($1) }
  }
}
