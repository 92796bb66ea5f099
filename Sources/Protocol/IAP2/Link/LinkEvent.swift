// swift-iap2 · Apache-2.0

/// The place of an event's bytes, which are valid until the next mutating call.
public struct LentPayload: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    /// The bytes given to `receive`.
    case input
    /// A packet that was split between reads.
    case carry
    /// The packet of the reorder buffer that is being delivered.
    case reordered
    /// A message that was assembled from several packets.
    case assembled
  }
  var place: Place
  /// The range of the payload inside its buffer.
  public var range: Range<Int>

  /// The size of the payload in bytes.
  public var byteCount: Int { range.count }
}

/// The reason why a link ended.
public enum LinkEnd: Sendable, Hashable {
  /// This side closed the link: after all packets were acknowledged, after the time limit for that, or at once with
  /// RST.
  case closed
  /// The peer sent RST or restarted the link with a SYN, or this side reset it because of
  /// ``ProtocolViolation/messagesTooFast``.
  case reset
  /// A packet was retransmitted as often as agreed and not acknowledged.
  case retransmissionLimit
  /// The device echoed no detect sequence. `legacyOnly` is true if it answered in iAP1.
  case notDetected(legacyOnly: Bool)
  /// The peer did not answer a SYN, or the two sides could not agree on the values.
  case notNegotiated
}

/// A breach of the protocol by the peer, or a limit that the peer exceeded. Unless the case says otherwise, the bytes
/// or the message are ignored and the link goes on.
public enum ProtocolViolation: Sendable, Equatable {
  /// Bytes that are not a packet were skipped.
  case garbage(byteCount: Int)
  /// A packet has a damaged header. One byte of it was skipped.
  case badHeader(LinkScan.HeaderDamage)
  /// A packet has a wrong payload checksum and was dropped without an acknowledgement.
  case badPayloadChecksum(sequence: SequenceNumber)
  /// A packet is longer than this side declared. A complete one was dropped. If only its header was received, its
  /// length may be wrong, so one byte was skipped.
  case packetTooLong(byteCount: Int, limit: Int)
  /// The rest of a packet did not arrive in time. One byte of it was skipped.
  case partialPacket(byteCount: Int)
  /// A packet is further ahead than this side's window and was dropped.
  case outsideWindow(sequence: SequenceNumber)
  /// An acknowledgement of a packet that was not sent was ignored.
  case acknowledgementOutOfRange(SequenceNumber)
  /// A SYN has a malformed payload and was ignored.
  case badSynchronization(LinkSynchronizationError)
  /// The two sides could not agree on the link's values, or a proposed value cannot work. The link ends.
  case notNegotiated
  /// Data before the link was up was ignored.
  case dataBeforeLinkUp
  /// Data on a session that was not agreed was acknowledged and dropped.
  case unknownSession(UInt8)
  /// Bytes on the control session are not a message. The rest of the packet was dropped.
  case badMessage(WireError)
  /// A message breaks its schema and was ignored.
  case malformedMessage(UInt16, WireError)
  /// A message does not follow from the messages before it and was ignored.
  case outOfTurn(UInt16)
  /// A Stop of a feature that was not started was ignored.
  case notStarted(UInt16)
  /// A message about an unknown object, such as a library or a component, was ignored.
  case unknownTarget(message: UInt16)
  /// A message is not in the peer's list of sent messages, or not in this side's list of received ones.
  case undeclaredMessage(UInt16)
  /// A subscription names unknown attributes. It is valid for the others.
  case unknownAttributes(message: UInt16, [UInt16])
  /// A report descriptor cannot be read. The device does not count as started.
  case badReportDescriptor(component: UInt16)
  /// A report came from an HID device that was not started.
  case unknownDevice(component: UInt16)
  /// A datagram is shorter than its two-byte prefix.
  case shortDatagram(session: UInt8, byteCount: Int)
  /// An EA session cannot be opened: the link has no session for EA, or the id is already open.
  case externalAccessoryNotPossible(session: UInt16)
  /// The endpoints that carry an EA session outside the link have failed.
  case externalAccessoryEndpointsFailed(session: UInt16)
  /// EA data has the id of a session that is not open.
  case unknownExternalAccessorySession(UInt16)
  /// A file-transfer datagram does not fit the state of its transfer.
  case badFileTransfer(file: UInt8, operation: UInt8)
  /// A file that was announced cannot be sent, because the link has no session for it or the transfer has ended.
  case fileTransferNotPossible
  /// Messages arrived faster than ``EndpointQuirks/resetsAbove`` allows. The link was reset.
  case messagesTooFast
  /// A limit of this side was exceeded: the name of the property that holds it, and its value.
  case limit(StaticName, Int)
}

/// The name of a limit, compared by its text.
public struct StaticName: Sendable, Hashable, CustomStringConvertible {
  let text: StaticString
  /// Creates a name.
  public init(_ text: StaticString) { self.text = text }
  /// The name as text.
  public var description: String { "\(text)" }
  /// Compares the texts.
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  /// Hashes the text.
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// An event that the link reports to its endpoint.
enum LinkEvent: Sendable, Equatable {
  case detected
  case legacyPeer
  /// The values of a SYN or SYN+ACK of the peer: the first offer, an answer or a counter-offer.
  case proposal(LinkSynchronization)
  case up(local: LinkSynchronization, remote: LinkSynchronization)
  case data(session: UInt8, LentPayload)
  case down(LinkEnd)
  case violation(ProtocolViolation)
}

extension ProtocolViolation {
  /// The violations without their values. The raw value is the name in JSON and in scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One case for each violation.
    case garbage, badHeader, badPayloadChecksum, packetTooLong, partialPacket, outsideWindow,
      acknowledgementOutOfRange, badSynchronization, notNegotiated, dataBeforeLinkUp, unknownSession, badMessage,
      malformedMessage, outOfTurn, notStarted, unknownTarget, undeclaredMessage, unknownAttributes,
      badReportDescriptor, unknownDevice, shortDatagram, externalAccessoryNotPossible, externalAccessoryEndpointsFailed,
      unknownExternalAccessorySession, badFileTransfer, fileTransferNotPossible, messagesTooFast, limit
  }

  /// The kind of the violation.
  public var kind: Kind {
    switch self {
    case .garbage: .garbage
    case .badHeader: .badHeader
    case .badPayloadChecksum: .badPayloadChecksum
    case .packetTooLong: .packetTooLong
    case .partialPacket: .partialPacket
    case .outsideWindow: .outsideWindow
    case .acknowledgementOutOfRange: .acknowledgementOutOfRange
    case .badSynchronization: .badSynchronization
    case .notNegotiated: .notNegotiated
    case .dataBeforeLinkUp: .dataBeforeLinkUp
    case .unknownSession: .unknownSession
    case .badMessage: .badMessage
    case .malformedMessage: .malformedMessage
    case .outOfTurn: .outOfTurn
    case .notStarted: .notStarted
    case .unknownTarget: .unknownTarget
    case .undeclaredMessage: .undeclaredMessage
    case .unknownAttributes: .unknownAttributes
    case .badReportDescriptor: .badReportDescriptor
    case .unknownDevice: .unknownDevice
    case .shortDatagram: .shortDatagram
    case .externalAccessoryNotPossible: .externalAccessoryNotPossible
    case .externalAccessoryEndpointsFailed: .externalAccessoryEndpointsFailed
    case .unknownExternalAccessorySession: .unknownExternalAccessorySession
    case .badFileTransfer: .badFileTransfer
    case .fileTransferNotPossible: .fileTransferNotPossible
    case .messagesTooFast: .messagesTooFast
    case .limit: .limit
    }
  }

  /// The id of the message that the violation is about; nil if it is not about a message.
  public var message: UInt16? {
    switch self {
    case .malformedMessage(let id, _), .outOfTurn(let id), .notStarted(let id), .unknownTarget(let id),
      .undeclaredMessage(let id), .unknownAttributes(let id, _):
      id
    default: nil
    }
  }
}
