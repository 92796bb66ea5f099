// swift-iap2 · Apache-2.0

/// Sizes of the block cipher AES-128.
public enum AES128 {
  /// The size of a key in bytes.
  public static let keyByteCount = 16
  /// The size of a block, a counter and an initialization vector in bytes.
  public static let blockByteCount = 16

  fileprivate static func block(_ bytes: Span<UInt8>) throws(CryptographyError) -> UInt128 {
    guard bytes.count == blockByteCount else { throw .wrongKeyLength(found: bytes.count, needed: blockByteCount) }
    var number: UInt128 = 0
    for index in bytes.indices { number = number << 8 | UInt128(bytes[index]) }
    return number
  }
}

/// A key of AES-128 in counter mode. Encryption and decryption are the same.
public struct AES128Counter: Sendable {
  private let key: CipherKey
  /// The counter of the first block.
  private let counter: UInt128

  /// Creates a key of 16 bytes with the counter of the first block, 16 bytes.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)`` for one of them.
  public init(_ key: Secret, counter: Span<UInt8>) throws(CryptographyError) {
    self.key = try CipherKey(key, .counter)
    self.counter = try AES128.block(counter)
  }

  /// Encrypts or decrypts the bytes in a range. They begin at an offset of the key stream.
  ///
  /// - Precondition: The range lies within the bytes.
  public func apply(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>, at offset: UInt64) {
    let (block, used) = offset.quotientAndRemainder(dividingBy: UInt64(AES128.blockByteCount))
    key.text(.seal, vector: (counter &+ UInt128(block)).bigEndian) { text in
      text.skip(Int(used))
      text.update(&bytes, in: range)
    }
  }
}

/// A key of AES-128 in cipher block chaining mode, without padding.
public struct AES128BlockChain: Sendable {
  private let key: CipherKey
  private let initializationVector: UInt128

  /// Creates a key of 16 bytes with an initialization vector of 16 bytes, from which each text begins.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)`` for one of them.
  public init(_ key: Secret, initializationVector: Span<UInt8>) throws(CryptographyError) {
    self.key = try CipherKey(key, .blocks)
    self.initializationVector = try AES128.block(initializationVector)
  }

  /// Encrypts the bytes in a range.
  ///
  /// - Precondition: The range lies within the bytes and is of whole blocks.
  public func seal(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) { apply(.seal, &bytes, in: range) }

  /// Decrypts the bytes in a range.
  ///
  /// - Precondition: The range lies within the bytes and is of whole blocks.
  public func open(_ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) { apply(.open, &bytes, in: range) }

  private func apply(_ direction: CipherContext.Direction, _ bytes: inout MutableSpan<UInt8>, in range: Range<Int>) {
    precondition(range.count.isMultiple(of: AES128.blockByteCount))
    key.text(direction, vector: initializationVector.bigEndian) { $0.update(&bytes, in: range) }
  }
}
