// swift-iap2 · Apache-2.0

import Cryptography

/// A key of ChaCha20-Poly1305, with which pairings, channels and streams seal their bytes.
///
/// A nonce is four zero bytes and a little-endian number. The tag follows the text.
struct SealingKey: Sendable {
  static let tagByteCount = ChaCha20Poly1305.tagByteCount

  private let key: ChaCha20Poly1305

  /// - Precondition: The key has 32 bytes.
  init(_ key: Secret) {
    do { self.key = try ChaCha20Poly1305(key) } catch { preconditionFailure("\(error)") }
  }

  /// Seals the bytes from an index on in place, and adds their tag.
  func seal(
    _ bytes: inout [UInt8], from start: Int = 0, nonce: UInt64, authenticating header: ArraySlice<UInt8> = []
  ) {
    let end = bytes.count
    for _ in 0..<Self.tagByteCount { bytes.append(0) }
    var span = bytes.mutableSpan
    key.seal(&span, in: start..<end, nonce: .init(nonce), authenticating: header.span)
  }

  /// Opens the bytes from an index on in place, removes their tag, and returns whether the tag is valid. If it is not,
  /// all of these bytes are removed.
  func open(
    _ bytes: inout [UInt8], from start: Int = 0, nonce: UInt64, authenticating header: ArraySlice<UInt8> = []
  ) -> Bool {
    let end = bytes.count - Self.tagByteCount
    var isRight = false
    if end >= start {
      var span = bytes.mutableSpan
      isRight = key.open(&span, in: start..<end, nonce: .init(nonce), authenticating: header.span)
    }
    bytes.removeLast(bytes.count - (isRight ? end : start))
    return isRight
  }
}
