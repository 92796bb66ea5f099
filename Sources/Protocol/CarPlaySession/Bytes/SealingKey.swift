// swift-iap2 · Apache-2.0

import Crypto

/// A key of ChaCha20-Poly1305, with which pairings, channels and streams seal their bytes.
///
/// A nonce has four zero bytes before the eight that are given. The tag is behind the text.
struct SealingKey: Sendable {
  /// The bytes of a tag.
  static let tagByteCount = 16

  private let key: SymmetricKey

  /// - Precondition: The key has 32 bytes.
  init(_ key: [UInt8]) {
    precondition(key.count == 32)
    self.key = SymmetricKey(data: key)
  }

  /// Returns the sealed text and its tag.
  ///
  /// - Precondition: The nonce has eight bytes.
  func seal(_ text: ArraySlice<UInt8>, nonce: [UInt8], authenticating header: [UInt8] = []) -> [UInt8] {
    do {
      let box = try ChaChaPoly.seal(
        text, using: key, nonce: try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce), authenticating: header)
      return Array(box.ciphertext) + box.tag
    } catch { preconditionFailure("a key of 32 bytes and a nonce of 8 seal every text: \(error)") }
  }

  /// Returns the text of what the other side sealed; nil for other bytes.
  func open(_ sealed: ArraySlice<UInt8>, nonce: [UInt8], authenticating header: ArraySlice<UInt8> = []) -> [UInt8]? {
    guard sealed.count >= Self.tagByteCount else { return nil }
    do {
      let box = try ChaChaPoly.SealedBox(
        nonce: try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + nonce), ciphertext: sealed.dropLast(Self.tagByteCount),
        tag: sealed.suffix(Self.tagByteCount))
      return Array(try ChaChaPoly.open(box, using: key, authenticating: header))
    } catch {
      // Another key, another nonce, or changed bytes: the caller says what follows.
      return nil
    }
  }
}
