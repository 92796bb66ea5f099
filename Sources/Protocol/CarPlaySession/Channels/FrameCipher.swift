// swift-iap2 · Apache-2.0

import Basics
public import Cryptography

/// The writing side of an encrypted channel: bytes become frames.
///
/// A frame is the length of its text (two bytes, little endian, also authenticated), the sealed text and a tag of 16
/// bytes. The nonce counts frames. Source: CarPlaySession.md#frame.
public struct FrameSealer: Sendable {
  private let key: SealingKey
  /// The number of frames that were sealed.
  public private(set) var count: UInt64 = 0

  /// The largest size of a sent frame's text in bytes. Peers of HomeKit refuse more.
  public static let maximumTextByteCount = 1024

  /// Creates a side with a key of 32 bytes.
  public init(key: Secret) { self.key = SealingKey(key) }

  /// Seals bytes and returns them as frames.
  public mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
    var frames: [UInt8] = []
    frames.reserveCapacity(
      bytes.count + (2 + SealingKey.tagByteCount) * (bytes.count / Self.maximumTextByteCount + 1))
    for start in stride(from: 0, to: bytes.count, by: Self.maximumTextByteCount) {
      let text = bytes[start..<min(start + Self.maximumTextByteCount, bytes.count)]
      let length = UInt16(text.count).littleEndianBytes
      frames += length
      let start = frames.count
      frames += text
      key.seal(&frames, from: start, nonce: count, authenticating: length[...])
      count += 1
    }
    return frames
  }
}

/// The reading side of an encrypted channel: frames become bytes.
public struct FrameOpener: Sendable {
  private let key: SealingKey
  /// The number of frames that were opened.
  public private(set) var count: UInt64 = 0
  /// The number of bytes of these frames.
  package private(set) var openedByteCount = 0
  /// The bytes of a frame that is not complete: less than 64 KiB and its tag.
  private var arrived = ReceiveBuffer()

  /// Creates a side with a key of 32 bytes.
  public init(key: Secret) { self.key = SealingKey(key) }

  /// The number of bytes of an incomplete frame.
  package var unreadByteCount: Int { arrived.unread.count }

  /// A frame that the other side did not seal, or that is out of order. The connection ends.
  public struct WrongFrame: Error, Sendable, Hashable {
    /// The number of the frame, from 0.
    public var number: UInt64
    /// The text of the frames before it in the same bytes.
    public var before: [UInt8]

    /// Creates an error.
    public init(number: UInt64, before: [UInt8]) { (self.number, self.before) = (number, before) }
  }

  /// Processes received bytes and returns the text of the complete frames. Frame boundaries have no meaning for the
  /// text.
  ///
  /// - Throws: ``WrongFrame``, after which nothing can be opened.
  public mutating func open(_ bytes: some Collection<UInt8>) throws(WrongFrame) -> [UInt8] {
    arrived.add(bytes)
    var text: [UInt8] = []
    while let frame = next {
      let start = text.count
      text += frame.dropFirst(2)
      guard key.open(&text, from: start, nonce: count, authenticating: frame.prefix(2)) else {
        throw WrongFrame(number: count, before: text)
      }
      count += 1
      openedByteCount += frame.count
      arrived.skip(frame.count)
    }
    return text
  }

  /// The next frame, if it is complete.
  private var next: ArraySlice<UInt8>? {
    let bytes = arrived.unread
    guard bytes.count >= 2 else { return nil }
    let count = 2 + Int(UInt16(littleEndianBytes: bytes.prefix(2))) + SealingKey.tagByteCount
    return bytes.count >= count ? bytes.prefix(count) : nil
  }
}
