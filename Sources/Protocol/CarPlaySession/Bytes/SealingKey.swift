// swift-iap2 · Apache-2.0

/// A key of ChaCha20-Poly1305, with which pairings, channels and streams seal their bytes.
///
/// Four zero bytes precede a nonce, whose number is little endian. The tag is behind the text.
struct SealingKey: Sendable {
  static let tagByteCount = 16

  private let key: CipherKey

  /// - Precondition: The key has 32 bytes.
  init(_ bytes: [UInt8]) { key = CipherKey(bytes, .chaCha20Poly1305) }

  /// Seals the bytes from an index on, where they are, and adds their tag.
  func seal(
    _ bytes: inout [UInt8], from start: Int = 0, nonce: UInt64, authenticating header: ArraySlice<UInt8> = []
  ) {
    let end = bytes.count
    for _ in 0..<Self.tagByteCount { bytes.append(0) }
    unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe header.withUnsafeBytes { header in
        key.text(.seal, vector: Self.vector(nonce)) { text in
          unsafe text.authenticate(header)
          unsafe text.update(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]))
          unsafe text.writeTag(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
        }
      }
    }
  }

  /// Opens the bytes from an index on, where they are, removes their tag, and returns whether the other side sealed
  /// them. All of them are removed if it did not.
  func open(
    _ bytes: inout [UInt8], from start: Int = 0, nonce: UInt64, authenticating header: ArraySlice<UInt8> = []
  ) -> Bool {
    let end = bytes.count - Self.tagByteCount
    guard end >= start else {
      bytes.removeLast(bytes.count - start)
      return false
    }
    let isRight = unsafe bytes.withUnsafeMutableBytes { bytes in
      unsafe header.withUnsafeBytes { header in
        key.text(.open, vector: Self.vector(nonce)) { text in
          unsafe text.authenticate(header)
          unsafe text.update(UnsafeMutableRawBufferPointer(rebasing: bytes[start..<end]))
          return unsafe text.hasTag(UnsafeMutableRawBufferPointer(rebasing: bytes[end...]))
        }
      }
    }
    bytes.removeLast(bytes.count - (isRight ? end : start))
    return isRight
  }

  private static func vector(_ nonce: UInt64) -> UInt128 { (UInt128(nonce) << 32).littleEndian }
}
