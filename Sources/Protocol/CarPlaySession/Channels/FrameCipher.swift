// swift-iap2 · Apache-2.0

import Crypto

/// A nonce of four zero bytes and a count, little endian.
func countNonce(_ count: UInt64) throws -> ChaChaPoly.Nonce {
  try ChaChaPoly.Nonce(data: [0, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) })
}

/// The writing side of an encrypted channel: bytes become frames.
///
/// A frame is the length of its text (two bytes, little endian, also authenticated), the sealed text and a tag of 16
/// bytes. The nonce counts frames. Source: CarPlaySession.md#frame.
public struct FrameSealer: Sendable {
  private let key: SymmetricKey
  /// The number of frames that were made.
  public private(set) var count: UInt64 = 0

  /// The longest text that is sent: peers of HomeKit refuse more.
  public static let maximumTextByteCount = 1024

  /// Creates a side with a key of 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// Returns bytes as frames.
  public mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
    var frames: [UInt8] = []
    frames.reserveCapacity(bytes.count + 18 * (bytes.count / Self.maximumTextByteCount + 1))
    for start in stride(from: 0, to: bytes.count, by: Self.maximumTextByteCount) {
      let text = bytes[start..<min(start + Self.maximumTextByteCount, bytes.count)]
      let length = [UInt8(truncatingIfNeeded: text.count), UInt8(truncatingIfNeeded: text.count >> 8)]
      do {
        let box = try ChaChaPoly.seal(text, using: key, nonce: try countNonce(count), authenticating: length)
        frames += length
        frames += box.ciphertext
        frames += box.tag
      } catch { preconditionFailure("a key of 32 bytes and a nonce of 12 seal every text: \(error)") }
      count += 1
    }
    return frames
  }
}

/// The reading side of an encrypted channel: frames become bytes.
public struct FrameOpener: Sendable {
  private let key: SymmetricKey
  /// The number of frames that were opened.
  public private(set) var count: UInt64 = 0
  /// The bytes of a frame that is not complete: less than 64 KiB.
  private var rest: [UInt8] = []

  /// Creates a side with a key of 32 bytes.
  public init(key: [UInt8]) { self.key = SymmetricKey(data: key) }

  /// A frame that is not of the other side, or not the next one. The connection ends.
  public struct WrongFrame: Error, Sendable, Hashable {
    /// The number of the frame, from 0.
    public var number: UInt64
    /// The text of the frames before it in the same bytes.
    public var before: [UInt8]

    /// Creates an error.
    public init(number: UInt64, before: [UInt8]) { (self.number, self.before) = (number, before) }
  }

  /// Takes bytes and returns the text of the frames that are complete. A frame's end means nothing for the text.
  ///
  /// - Throws: ``WrongFrame``, after which nothing can be opened.
  public mutating func open(_ bytes: some Collection<UInt8>) throws(WrongFrame) -> [UInt8] {
    rest += bytes
    var text: [UInt8] = []
    var index = 0
    while rest.count - index >= 2 {
      let length = Int(rest[index]) | Int(rest[index + 1]) << 8
      let end = index + 2 + length + 16
      guard end <= rest.count else { break }
      do {
        let box = try ChaChaPoly.SealedBox(
          nonce: try countNonce(count), ciphertext: rest[index + 2..<index + 2 + length],
          tag: rest[index + 2 + length..<end])
        text += try ChaChaPoly.open(box, using: key, authenticating: rest[index..<index + 2])
      } catch {
        rest = []
        throw WrongFrame(number: count, before: text)
      }
      count += 1
      index = end
    }
    rest.removeFirst(index)
    return text
  }
}
