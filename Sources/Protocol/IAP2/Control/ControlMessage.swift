// swift-iap2 · Apache-2.0

import Basics

/// The facts about a control message apart from its parameters.
public struct MessageInfo: Sendable {
  /// The message id.
  public var id: UInt16
  /// The name of the message.
  public var name: StaticString
  /// The side that sends the message.
  public var sender: Side
  /// The feature that the message belongs to; the message reference groups messages by it.
  package var feature: StaticString
  /// The confidence that the message and its parameters are as declared.
  package var confidence: Confidence
  /// The fact in `Documentation/Protocol`, as page and anchor, then the labels of its sources (`Sources.md` there).
  package var evidence: [StaticString]
  /// Whether the parameters are known; false when only id, name and sender are.
  package var parametersKnown: Bool
  /// The subscription that the message starts; nil if it starts none.
  package var subscription: MessageSubscription?

  /// Creates the facts about a message.
  public init(
    _ id: UInt16, _ name: StaticString, from sender: Side, _ feature: StaticString, _ confidence: Confidence,
    _ evidence: [StaticString], parametersKnown: Bool = true, subscription: MessageSubscription? = nil
  ) {
    self.id = id
    self.name = name
    self.sender = sender
    self.feature = feature
    self.confidence = confidence
    self.evidence = evidence
    self.parametersKnown = parametersKnown
    self.subscription = subscription
  }
}

/// A message of the control session.
///
/// Wire form: `40 40`, length u16 of the whole message, id u16, parameters (Sessions.md#control-session; high).
public protocol ControlMessage: ParameterSchema {
  /// The facts about the message.
  static var info: MessageInfo { get }
  /// The parameters of the message, as its schema declares them.
  static var rows: [ParameterRow] { get }
  /// Reads one whole message for `init(decoding:)`, which is the one to call.
  init(reading bytes: RawSpan) throws(WireError)
  /// Appends the message with its header for `encode(into:)`, which is the one to call.
  func write(into bytes: inout [UInt8]) throws(EncodeError)
}

extension ControlMessage {
  /// The message id.
  public static var id: UInt16 { info.id }
}

/// The six header bytes that all control messages share.
package enum ControlHeader {
  /// The size of the header in bytes.
  package static let byteCount = 6
  /// The size of the longest message in bytes, its header included. The length field has 16 bits.
  package static let maximumMessageByteCount = 0xFFFF
  /// The first two bytes of every message, as a big-endian number.
  package static let start: UInt16 = 0x4040

  /// Returns the range of the parameters; throws if the bytes do not start with one whole message.
  package static func body(_ bytes: RawSpan) throws(WireError) -> Range<Int> {
    guard bytes.byteCount >= byteCount else { throw WireError(.truncated, offset: bytes.byteCount) }
    guard bytes.bigEndian16(0) == start else { throw WireError(.notAMessage, offset: 0) }
    let length = Int(bytes.bigEndian16(2))
    guard length >= byteCount, length <= bytes.byteCount else { throw WireError(.badLength(length), offset: 2) }
    return byteCount..<length
  }

  /// Returns the id of a message whose header was checked before.
  package static func id(of message: [UInt8]) -> UInt16 { message.rawBytes.bigEndian16(4) }

  /// Returns whether a message belongs to authentication (AAxx) or identification (1Dxx). These are part of the
  /// protocol itself, and no identification lists them.
  package static func isImplied(_ id: UInt16) -> Bool { id >> 8 == 0xAA || id >> 8 == 0x1D }

  /// Returns a message with an id and a body, which need not be parameters. A body of more than 65 529 bytes is cut to
  /// that size.
  package static func message(_ id: UInt16, body: [UInt8] = []) -> [UInt8] {
    let body = body.prefix(maximumMessageByteCount - byteCount)
    return start.bigEndianBytes + UInt16(byteCount + body.count).bigEndianBytes + id.bigEndianBytes + body
  }
}

// The compiler makes fast code for each message only behind the requirements of the protocol. A call of their default
// implementations on a type that is known in another module would run the generic code: six times slower.
extension ControlMessage {
  /// Reads one whole message. Bytes after its length are ignored.
  ///
  /// - Throws: ``WireError`` if the bytes are not a whole message with this id, or break its schema.
  public init(decoding bytes: RawSpan) throws(WireError) { try self.init(reading: bytes) }

  /// Appends the message with its header.
  ///
  /// - Throws: ``EncodeError`` if the message is longer than 65 535 bytes.
  public func encode(into bytes: inout [UInt8]) throws(EncodeError) { try write(into: &bytes) }

  /// Returns the whole message with its header.
  ///
  /// - Throws: ``EncodeError`` if the message is longer than 65 535 bytes.
  public func encoded() throws(EncodeError) -> [UInt8] {
    var bytes: [UInt8] = []
    try write(into: &bytes)
    return bytes
  }
}

extension ControlMessage {
  /// Reads one whole message with the quick walk, and with the careful walk if that fails.
  public init(reading bytes: RawSpan) throws(WireError) {
    let body = try ControlHeader.body(bytes)
    guard bytes.bigEndian16(4) == Self.id else { throw WireError(.notAMessage, offset: 4) }
    self = try Self(bytes, body)
  }

  /// Appends the message with its header.
  public func write(into bytes: inout [UInt8]) throws(EncodeError) {
    let byteCount = ControlHeader.byteCount &+ bodyByteCount
    guard byteCount <= ControlHeader.maximumMessageByteCount else {
      throw .messageTooLong(id: Self.id, byteCount: byteCount)
    }
    bytes.append(addingCapacity: byteCount) { (output: inout OutputSpan<UInt8>) in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        var writer = unsafe ParameterWriter(
          UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...]))
        writer.put(ControlHeader.start)
        writer.put(UInt16(byteCount))
        writer.put(Self.id)
        writer = writeBody(writer)
        count += writer.count
      }
    }
  }
}
