// swift-iap2 · Apache-2.0

/// A key of the authenticated cipher ChaCha20-Poly1305 (RFC 8439), which works where the bytes are.
///
/// Copies share the state of the cipher, and one text at a time uses it. A text costs no memory.
public struct ChaCha20Poly1305: Sendable {
  /// The size of a key in bytes.
  public static let keyByteCount = 32
  /// The size of a tag in bytes.
  public static let tagByteCount = 16

  /// The 12 bytes that no two texts of a key may share.
  public struct Nonce: Sendable, Hashable {
    /// The size in bytes.
    public static let byteCount = 12

    /// The bytes as they are in memory, the last four of 16 unused.
    fileprivate let vector: UInt128

    /// Four zero bytes and a number, little endian.
    public init(_ number: UInt64) { vector = (UInt128(number) << 32).littleEndian }

    /// Reads 12 bytes; nil for another number of bytes.
    public init?(_ bytes: Span<UInt8>) {
      guard bytes.count == Self.byteCount else { return nil }
      var vector: UInt128 = 0
      for index in bytes.indices.reversed() { vector = vector << 8 | UInt128(bytes[index]) }
      self.vector = vector.littleEndian
    }
  }

  private let key: CipherKey

  /// Creates a key of 32 bytes.
  ///
  /// - Throws: ``CryptographyError/wrongKeyLength(found:needed:)``.
  public init(_ key: Secret) throws(CryptographyError) { self.key = try CipherKey(key, .chaCha20Poly1305) }

  /// Encrypts the text in a range, and writes its tag into the 16 bytes behind it.
  ///
  /// - Precondition: The range and the tag lie within the bytes.
  public func seal(
    _ bytes: inout MutableSpan<UInt8>, in range: Range<Int>, nonce: Nonce, authenticating header: Span<UInt8>
  ) {
    key.text(.seal, vector: nonce.vector) { text in
      text.authenticate(header)
      text.update(&bytes, in: range)
      text.writeTag(&bytes, in: Self.tag(behind: range))
    }
  }

  /// Decrypts the text in a range, and returns whether the 16 bytes behind it are its tag.
  ///
  /// If they are not, the bytes in the range are of no use.
  ///
  /// - Precondition: The range and the tag lie within the bytes.
  public func open(
    _ bytes: inout MutableSpan<UInt8>, in range: Range<Int>, nonce: Nonce, authenticating header: Span<UInt8>
  ) -> Bool {
    key.text(.open, vector: nonce.vector) { text in
      text.authenticate(header)
      text.update(&bytes, in: range)
      return text.hasTag(&bytes, in: Self.tag(behind: range))
    }
  }

  private static func tag(behind range: Range<Int>) -> Range<Int> {
    range.upperBound..<range.upperBound + tagByteCount
  }
}
