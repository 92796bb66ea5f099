// swift-iap2 · Apache-2.0

import Crypto

/// A key of ChaCha20-Poly1305, with which pairings, channels and streams seal their bytes.
///
/// A nonce has four zero bytes before the eight that are given. The tag is behind the text.
struct SealingKey: Sendable {
  /// The bytes of a tag, and of a nonce with its zeros.
  static let tagByteCount = 16, nonceByteCount = 12

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
    var text: [UInt8] = []
    return open([0, 0, 0, 0] + nonce + sealed, authenticating: header, into: &text) ? text : nil
  }

  /// Begins a box with its nonce, in memory that is used again.
  static func begin(_ box: inout [UInt8], nonce: UInt64) {
    box.removeAll(keepingCapacity: true)
    for _ in 0..<4 { box.append(0) }
    nonce.appendLittleEndian(to: &box)
  }

  /// Adds the text of a box to others, and returns whether the other side sealed it.
  ///
  /// The box is one array of nonce, sealed text and tag, because this form costs the fewest allocations: two for its
  /// copy in `SealedBox`, three in `ChaChaPoly.open`.
  func open(_ box: [UInt8], authenticating header: ArraySlice<UInt8>, into text: inout [UInt8]) -> Bool {
    do {
      text += try ChaChaPoly.open(ChaChaPoly.SealedBox(combined: box), using: key, authenticating: header)
      return true
    } catch {
      // Another key, another nonce, or changed bytes: the caller says what follows.
      return false
    }
  }
}
