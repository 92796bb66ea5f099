// swift-iap2 · Apache-2.0

/// A message of a screen stream: a header of 128 bytes and a body.
///
/// Source: CarPlaySession.md#screen-header.
public struct ScreenMessage: Sendable, Hashable {
  /// What a body is. Another number is kept and ignored.
  public enum Kind: UInt8, Sendable, Hashable, CaseIterable {
    /// NAL units, each behind its length; the only body that is encrypted.
    case frame = 0
    /// The parameters of the video, an `avcC` or `hvcC` record.
    case configuration
    /// Nothing, once a second.
    case heartbeat
    /// The wish for a frame that needs no other.
    case forceKeyFrame
    /// Nothing that counts.
    case ignored
    /// A property list.
    case statistics
  }

  /// A place in pixels.
  public struct Rectangle: Sendable, Hashable {
    /// The corner and the size.
    public var x, y, width, height: Float

    /// Creates a place.
    public init(x: Float = 0, y: Float = 0, width: Float = 0, height: Float = 0) {
      (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }
  }

  /// The bytes of a header.
  public static let headerByteCount = 128
  /// The bytes of a body, with its tag. Ours; a picture of 4096 x 2304 pixels without losses has less.
  public static let maximumBodyByteCount = 8 << 20

  /// The number of the kind.
  public var type: UInt8
  /// Whether a frame needs no other one.
  public var isKeyFrame: Bool
  /// Flags; 0x0116 stands for H.264, 0x011E for HEVC.
  public var flags: UInt16
  /// The time of presentation in NTP's form, 32 bits of seconds of the sender's uptime and 32 of their fraction.
  public var time: UInt64
  /// The size of the source and the place of the picture in it, in pixels; zero but in a configuration.
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

  /// The bytes of the header for a body of a length.
  func header(bodyByteCount: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: Self.headerByteCount)
    bytes.put(UInt64(bodyByteCount), 4, at: 0)
    (bytes[4], bytes[5]) = (type, isKeyFrame ? 0x10 : 0)
    bytes.put(UInt64(flags), 2, at: 6)
    bytes.put(time, 8, at: 8)
    let numbers: [(Int, Float)] = [
      (16, width), (20, height), (40, width), (44, height), (48, picture.x), (52, picture.y), (56, picture.width),
      (60, picture.height),
    ]
    for (offset, number) in numbers { bytes.put(UInt64(number.bitPattern), 4, at: offset) }
    return bytes
  }

  /// Reads a header. The body is empty.
  init(header bytes: ArraySlice<UInt8>) {
    func number(_ offset: Int, _ size: Int) -> UInt64 { bytes.little(bytes.startIndex + offset, size) }
    func float(_ offset: Int) -> Float { Float(bitPattern: UInt32(number(offset, 4))) }
    type = UInt8(number(4, 1))
    isKeyFrame = number(5, 1) & 0x10 != 0
    flags = UInt16(number(6, 2))
    time = number(8, 8)
    (width, height) = (float(16), float(20))
    picture = Rectangle(x: float(48), y: float(52), width: float(56), height: float(60))
    body = []
  }
}

extension [UInt8] {
  /// Writes a number, its lowest byte first.
  fileprivate mutating func put(_ value: UInt64, _ size: Int, at offset: Int) {
    for index in 0..<size { self[offset + index] = UInt8(truncatingIfNeeded: value >> (8 * UInt64(index))) }
  }
}

extension ArraySlice<UInt8> {
  /// A number whose lowest byte comes first.
  func little(_ offset: Int, _ size: Int) -> UInt64 {
    self[offset..<offset + size].reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
