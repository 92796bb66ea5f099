// swift-iap2 · Apache-2.0

/// Where the bytes of an event lie until the next call.
public struct LentPayload: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    /// In the bytes given to `receive`.
    case input
    /// In the packet that was split between reads.
    case carry
    /// In the reorder buffer's packet that is being delivered.
    case reordered
    /// In the message that was put together from several packets.
    case assembled
  }
  var place: Place
  public var range: Range<Int>

  public var byteCount: Int { range.count }
}

/// Why a link ended.
public enum LinkEnd: Sendable, Hashable {
  /// We closed it: everything was acknowledged, or the time for that had passed.
  case closed
  /// The peer sent RST, or a SYN that starts over.
  case reset
  /// A packet was sent as often as agreed and never acknowledged.
  case retransmissionLimit
  /// No echo to any detect sequence; `legacyOnly` if the peer answered in iAP1.
  case notDetected(legacyOnly: Bool)
  /// The peer did not answer our SYN, or the two could not agree.
  case notNegotiated
}

/// Something a peer did that no rule allows; each is survived by ignoring what carried it.
public enum ProtocolViolation: Sendable, Equatable {
  /// Bytes that are no packet, passed over.
  case garbage(byteCount: Int)
  case badHeader(LinkScan.HeaderDamage)
  case badPayloadChecksum(sequence: SequenceNumber)
  /// A packet larger than we declared, dropped whole; where its header may lie, one byte of it is passed over.
  case packetTooLong(byteCount: Int, limit: Int)
  /// A packet began and its rest did not come: one byte of it is passed over.
  case partialPacket(byteCount: Int)
  /// A packet further ahead than our window: dropped.
  case outsideWindow(sequence: SequenceNumber)
  /// An acknowledgement of something never sent: ignored.
  case acknowledgementOutOfRange(SequenceNumber)
  case badSynchronization(LinkSynchronizationError)
  /// The two could not agree on the link's values, or one of them cannot work.
  case notNegotiated
  /// Data before the link was agreed: ignored.
  case dataBeforeLinkUp
  /// Data on a session that was not agreed: acknowledged and dropped.
  case unknownSession(UInt8)
  /// Bytes on the control session that are no message: the rest of that packet is dropped.
  case badMessage(WireError)
  /// A message whose parameters are not what its schema says: ignored.
  case malformedMessage(UInt16, WireError)
  /// A message that nothing has led to: ignored.
  case outOfTurn(UInt16)
  /// A Stop of something that was not started: ignored.
  case notStarted(UInt16)
  /// A message about something that is not there, such as a library or a component: ignored.
  case unknownTarget(message: UInt16)
  /// A message the peer did not list in its identification, or that we did not list as one we take.
  case undeclaredMessage(UInt16)
  /// A subscription to attributes nobody has described; it counts for the others.
  case unknownAttributes(message: UInt16, [UInt16])
  /// A report descriptor that cannot be read: the device does not count as started.
  case badReportDescriptor(component: UInt16)
  /// A report of a device that was not started.
  case unknownDevice(component: UInt16)
  /// A datagram shorter than its prefix.
  case shortDatagram(session: UInt8, byteCount: Int)
  /// An EA session that the link has no room for.
  case externalAccessoryNotPossible(session: UInt16)
  /// The endpoints beside the link that carry an EA session have failed.
  case externalAccessoryEndpointsFailed(session: UInt16)
  /// EA data for a session that is not open.
  case unknownExternalAccessorySession(UInt16)
  /// A file-transfer datagram that does not fit the transfer's state.
  case badFileTransfer(file: UInt8, operation: UInt8)
  /// A file that was announced cannot be sent: there is no session for it, or the transfer is over.
  case fileTransferNotPossible
  /// More messages than a quirk of ours takes: the link was reset.
  case messagesTooFast
  /// A limit of ours was crossed; its name is the `Limits` property.
  case limit(StaticName, Int)
}

/// The name of a limit.
public struct StaticName: Sendable, Hashable, CustomStringConvertible {
  let text: StaticString
  public init(_ text: StaticString) { self.text = text }
  public var description: String { "\(text)" }
  public static func == (a: Self, b: Self) -> Bool { a.description == b.description }
  public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// What the link tells its owner.
enum LinkEvent: Sendable, Equatable {
  case detected
  case legacyPeer
  /// A SYN of the peer: the first, an answer or a counter-offer.
  case proposal(LinkSynchronization)
  case up(local: LinkSynchronization, remote: LinkSynchronization)
  case data(session: UInt8, LentPayload)
  case down(LinkEnd)
  case violation(ProtocolViolation)
}

extension ProtocolViolation {
  /// The violations without their values; the raw value is the name in JSON and scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case garbage, badHeader, badPayloadChecksum, packetTooLong, partialPacket, outsideWindow,
      acknowledgementOutOfRange, badSynchronization, notNegotiated, dataBeforeLinkUp, unknownSession, badMessage,
      malformedMessage, outOfTurn, notStarted, unknownTarget, undeclaredMessage, unknownAttributes,
      badReportDescriptor, unknownDevice, shortDatagram, externalAccessoryNotPossible, externalAccessoryEndpointsFailed,
      unknownExternalAccessorySession, badFileTransfer, fileTransferNotPossible, messagesTooFast, limit
  }

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

  /// The message it is about.
  public var message: UInt16? {
    switch self {
    case .malformedMessage(let id, _), .outOfTurn(let id), .notStarted(let id), .unknownTarget(let id),
      .undeclaredMessage(let id), .unknownAttributes(let id, _):
      id
    default: nil
    }
  }
}
