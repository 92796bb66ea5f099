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

  /// Creates a side whose next frame has a number.
  init(key: SealingKey, count: UInt64) { (self.key, self.count) = (key, count) }

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
  private var next: ArraySlice<UInt8>? { Self.frame(at: arrived.unread) }

  /// Returns the frame that bytes begin with, if it is complete.
  static func frame(at bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard bytes.count >= 2 else { return nil }
    let count = 2 + Int(UInt16(littleEndianBytes: bytes.prefix(2))) + SealingKey.tagByteCount
    return bytes.count >= count ? bytes.prefix(count) : nil
  }
}

// The frames one by one, for a reader of a capture.
extension FrameOpener {
  /// A complete frame.
  package enum Frame {
    /// The text, and the size of the frame in bytes.
    case text([UInt8], byteCount: Int)
    /// The tag is wrong. The frame remains, for ``search``.
    case wrong(number: UInt64, byteCount: Int)
  }

  /// Adds received bytes.
  package mutating func add(_ bytes: [UInt8]) { arrived.add(bytes) }

  /// Opens the next frame; nil until it is complete.
  package mutating func nextFrame() -> Frame? {
    guard let frame = next else { return nil }
    var text = Array(frame.dropFirst(2))
    guard key.open(&text, nonce: count, authenticating: frame.prefix(2)) else {
      return .wrong(number: count, byteCount: frame.count)
    }
    count += 1
    openedByteCount += frame.count
    arrived.skip(frame.count)
    return .text(text, byteCount: frame.count)
  }

  /// Returns the search for a frame behind bytes that the capture lacks.
  package var search: FrameSearch { FrameSearch(key: key, from: count) }

  /// Returns the frame that a piece begins with if it is one behind the present, incomplete frame: the length of that
  /// one is damaged.
  ///
  /// - Parameter budget: Bounds the work.
  package func frameBehindDamage(_ piece: [UInt8], _ budget: inout SearchBudget) -> FrameSearch.Found? {
    guard Self.frame(at: piece[...]) != nil else { return nil }
    var search = FrameSearch(key: key, from: count + 1)
    return search.takeAligned(piece, &budget)
  }

  /// Returns the search for a frame behind a wrong one.
  ///
  /// - Parameter budget: Bounds the work.
  package func searchBehindWrongFrame(_ budget: inout SearchBudget) -> (search: FrameSearch, found: FrameSearch.Found?)
  {
    var search = FrameSearch(key: key, from: count, hint: next?.count)
    let found = search.take(Array(arrived.unread), &budget)
    return (search, found)
  }
}
