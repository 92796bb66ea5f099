// swift-iap2 · Apache-2.0
import Crypto

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A challenge in place of a SHA-256 digest: it is signed as it is, without another hash.
struct ChallengeDigest: Digest {
  static let byteCount = 32

  private let bytes: [UInt8]

  /// Creates a digest from a challenge; nil if the challenge does not have the 32 bytes of a SHA-256 digest.
  init?(_ challenge: [UInt8]) {
    guard challenge.count == Self.byteCount else { return nil }
    bytes = challenge
  }

  func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try unsafe bytes.withUnsafeBytes(body)
  }

  func makeIterator() -> Array<UInt8>.Iterator { bytes.makeIterator() }

  var description: String { "challenge of \(bytes.count) bytes" }
}
