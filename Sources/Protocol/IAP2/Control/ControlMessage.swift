// swift-iap2 · Apache-2.0

/// What is known of a message beside its parameters.
public struct MessageInfo: Sendable {
  public var id: UInt16
  public var name: StaticString
  public var sender: Side
  public var feature: StaticString
  public var confidence: Confidence
  /// Where it was seen.
  public var evidence: [StaticString]
  /// False when nothing but id, name and sender is known.
  public var parametersKnown: Bool

  public init(
    _ id: UInt16, _ name: StaticString, from sender: Side, _ feature: StaticString, _ confidence: Confidence,
    _ evidence: [StaticString], parametersKnown: Bool = true
  ) {
    self.id = id
    self.name = name
    self.sender = sender
    self.feature = feature
    self.confidence = confidence
    self.evidence = evidence
    self.parametersKnown = parametersKnown
  }
}

/// A message of the control session.
///
/// Wire form: `40 40`, length u16 with these six bytes, id u16, parameters (Sessions.md#control-session; high).
public protocol ControlMessage: ParameterSchema {
  static var info: MessageInfo { get }
  static var rows: [ParameterRow] { get }
  /// Reads one whole message; bytes after its length are not looked at.
  init(decoding bytes: RawSpan) throws(WireError)
  /// Appends the message, header included.
  func encode(into bytes: inout [UInt8]) throws(EncodeError)
}

/// The header all messages share.
public enum ControlHeader {
  public static let byteCount = 6

  /// Where the parameters lie; throws if the bytes are not one whole message.
  public static func body(_ bytes: RawSpan) throws(WireError) -> Range<Int> {
    guard bytes.byteCount >= byteCount else { throw WireError(.truncated, offset: bytes.byteCount) }
    guard bytes.bigEndian16(0) == 0x4040 else { throw WireError(.notAMessage, offset: 0) }
    let length = Int(bytes.bigEndian16(2))
    guard length >= byteCount, length <= bytes.byteCount else { throw WireError(.badLength(length), offset: 2) }
    return byteCount..<length
  }

  /// The id of a message whose header has been checked.
  package static func id(of message: [UInt8]) -> UInt16 { message.rawBytes.bigEndian16(4) }

  /// Authentication (AAxx) and identification (1Dxx) messages are part of the protocol itself: no identification lists
  /// them.
  package static func isImplied(_ id: UInt16) -> Bool { id >> 8 == 0xAA || id >> 8 == 0x1D }

  /// A message of an id and a body, which need not be parameters; what is longer than a message can be is cut.
  package static func message(_ id: UInt16, body: [UInt8] = []) -> [UInt8] {
    let body = body.prefix(0xFFFF - byteCount)
    return [0x40, 0x40] + UInt16(byteCount + body.count).bigEndianBytes + id.bigEndianBytes + body
  }
}

extension ControlMessage {
  public init(decoding bytes: RawSpan) throws(WireError) {
    let body = try ControlHeader.body(bytes)
    guard bytes.bigEndian16(4) == Self.info.id else { throw WireError(.notAMessage, offset: 4) }
    self = try Self(bytes, body)
  }

  public func encode(into bytes: inout [UInt8]) throws(EncodeError) {
    let byteCount = ControlHeader.byteCount &+ bodyByteCount
    guard byteCount <= 0xFFFF else { throw .messageTooLong(id: Self.info.id, byteCount: byteCount) }
    bytes.append(addingCapacity: byteCount) { (output: inout OutputSpan<UInt8>) in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        var writer = unsafe ParameterWriter(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
        writer.put(0x4040 as UInt16)
        writer.put(UInt16(byteCount))
        writer.put(Self.info.id)
        writer = writeBody(writer)
        count += writer.count
      }
    }
  }

  /// The whole message.
  public func encoded() throws(EncodeError) -> [UInt8] {
    var bytes: [UInt8] = []
    try encode(into: &bytes)
    return bytes
  }
}
