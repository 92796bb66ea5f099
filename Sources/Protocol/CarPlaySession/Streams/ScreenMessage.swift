// swift-iap2 · Apache-2.0

import Basics

/// A message of a screen stream: a header of 128 bytes and a body.
///
/// Source: CarPlaySession.md#screen-header.
public struct ScreenMessage: Sendable, Hashable {
  /// The kind of a body. A message with an unknown number is kept and ignored.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// NAL units, each behind its length; the only body that is encrypted.
    case frame = 0
    /// The parameters of the video, an `avcC` or `hvcC` record.
    case configuration
    /// An empty body, which is sent once a second.
    case heartbeat
    /// A request for a key frame.
    case forceKeyFrame
    /// A body without a meaning.
    case ignored
    /// A property list.
    case statistics
  }

  /// A rectangle in pixels.
  public struct Rectangle: Sendable, Hashable {
    /// The corner and the size.
    public var x, y, width, height: Float

    /// Creates a rectangle.
    public init(x: Float = 0, y: Float = 0, width: Float = 0, height: Float = 0) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
  }

  /// The size of a header in bytes.
  public static let headerByteCount = 128
  /// The largest size of a body with its tag, in bytes. Ours: a picture of 4096 x 2304 pixels that is coded without
  /// losses is smaller.
  public static let maximumBodyByteCount = 8 << 20

  /// The flags of a configuration of H.264.
  public static let h264Flags: UInt16 = 0x0116

  /// The number of the kind.
  public var type: UInt8
  /// Whether a frame is a key frame, which needs no other frame.
  public var isKeyFrame: Bool
  /// Flags; ``h264Flags`` stands for H.264, 0x011E for HEVC.
  public var flags: UInt16
  /// The time of presentation in NTP's form, 32 bits of seconds of the sender's uptime and 32 of their fraction.
  public var time: UInt64
  /// The rectangle of the picture in the source, in pixels; zero except in a configuration.
  public var picture: Rectangle
  /// The size of the source in pixels.
  public var width, height: Float
  /// The body without encryption.
  public var body: [UInt8]

  /// Creates a message.
  public init(
    _ kind: Kind, isKeyFrame: Bool = false, flags: UInt16 = 0, time: UInt64 = 0, width: Float = 0, height: Float = 0,
    picture: Rectangle = Rectangle(), body: [UInt8] = []
  ) {
    (type, self.isKeyFrame, self.flags, self.time) = (kind.rawValue, isKeyFrame, flags, time)
    (self.width, self.height, self.picture, self.body) = (width, height, picture, body)
  }

  /// The kind; nil for an unknown number.
  public var kind: Kind? { Kind(rawValue: type) }

  /// Returns the bytes of the header for a body of a length.
  func header(bodyByteCount: Int) -> [UInt8] {
    func bytes(_ numbers: [Float]) -> [UInt8] { numbers.flatMap { $0.bitPattern.littleEndianBytes } }
    var header = UInt32(bodyByteCount).littleEndianBytes + [type, isKeyFrame ? 0x10 : 0]
    header += flags.littleEndianBytes + time.littleEndianBytes
    header += bytes([width, height]) + [UInt8](repeating: 0, count: 16)
    header += bytes([width, height, picture.x, picture.y, picture.width, picture.height])
    return header + [UInt8](repeating: 0, count: Self.headerByteCount - header.count)
  }

  /// Reads a header. The body is empty.
  package init(header bytes: ArraySlice<UInt8>) {
    func part(_ offset: Int, _ size: Int) -> ArraySlice<UInt8> { bytes.dropFirst(offset).prefix(size) }
    func float(_ offset: Int) -> Float { Float(bitPattern: UInt32(littleEndianBytes: part(offset, 4))) }
    type = bytes[bytes.startIndex + 4]
    isKeyFrame = bytes[bytes.startIndex + 5] & 0x10 != 0
    flags = UInt16(littleEndianBytes: part(6, 2))
    time = UInt64(littleEndianBytes: part(8, 8))
    (width, height) = (float(16), float(20))
    picture = Rectangle(x: float(48), y: float(52), width: float(56), height: float(60))
    body = []
  }
}
