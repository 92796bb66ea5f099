// swift-iap2 · Apache-2.0

/// The type of a link session. Evidence: Link.md#session-types (high).
public struct LinkSessionType: Sendable, Hashable {
  /// The type byte in the session list.
  public var rawValue: UInt8
  /// Creates a type from the byte in the session list.
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Control messages.
  public static let control = LinkSessionType(rawValue: 0)
  /// File-transfer datagrams.
  public static let fileTransfer = LinkSessionType(rawValue: 1)
  /// External-accessory (EA) datagrams.
  public static let externalAccessory = LinkSessionType(rawValue: 2)

  /// The name of the type; nil for a type that is not described.
  package var name: String? {
    switch self {
    case .control: "control"
    case .fileTransfer: "fileTransfer"
    case .externalAccessory: "externalAccessory"
    default: nil
    }
  }
}

/// One entry of the session list in a synchronization payload.
public struct LinkSession: Sendable, Hashable {
  /// The id in the packets of the session, 1 to 255.
  public var id: UInt8
  /// The type of the session.
  public var type: LinkSessionType
  /// The version of the session; its effect is not known (Link.md#session-version).
  public var version: UInt8

  /// Creates an entry.
  public init(id: UInt8, type: LinkSessionType, version: UInt8) {
    self.id = id
    self.type = type
    self.version = version
  }
}

/// The payload of SYN and SYN+ACK: the declarations of its sender, and the values to agree on.
///
/// Layout: Link.md#synchronization (high). `maxOutstandingPackets` and `maxPacketLength` are declarations of the
/// sender, which its peer obeys. The other values must be equal on both sides in the end.
public struct LinkSynchronization: Sendable, Hashable {
  /// The link version; only 1 is known.
  public var version: UInt8 = 1
  /// The unacknowledged packets that the sender receives at most, 1 to 127; 0 only in zero-acknowledgement mode.
  public var maxOutstandingPackets: UInt8
  /// The largest packet that the sender accepts, in bytes, header and checksums included.
  public var maxPacketLength: UInt16
  /// The time in milliseconds after which an unacknowledged packet is retransmitted.
  public var retransmissionTimeout: UInt16
  /// The time in milliseconds after which received packets are acknowledged at the latest.
  public var cumulativeAckTimeout: UInt16
  /// The retransmissions of a packet before its sender gives up.
  public var maxRetransmissions: UInt8
  /// The received packets after which an acknowledgement is sent at once.
  public var maxCumulativeAcks: UInt8
  /// The sessions of the link.
  public var sessions: [LinkSession]

  /// The largest valid `maxOutstandingPackets`: sequence numbers have 8 bits, so one half of them may be under way.
  package static var largestWindow: UInt8 { 127 }
  /// The size of the sender's window in packets: `maxOutstandingPackets`, brought into its valid range.
  package var windowPacketCount: Int { max(1, Int(min(Self.largestWindow, maxOutstandingPackets))) }

  /// The layout of the fixed part, in order. The entries of the sessions follow.
  package static let fields = LinkField.allCases.map { WireField($0.rawValue, $0.byteCount) }
  /// The layout of one entry of the session list.
  package static let sessionFields = [
    WireField("session id", 1), WireField("session type", 1), WireField("session version", 1),
  ]

  /// The size of the fixed part in bytes.
  package static let fixedByteCount = 10
  /// The size of one entry of the session list in bytes.
  package static let sessionByteCount = 3

  /// Creates a payload with link version 1.
  public init(
    maxOutstandingPackets: UInt8, maxPacketLength: UInt16, retransmissionTimeout: UInt16,
    cumulativeAckTimeout: UInt16, maxRetransmissions: UInt8, maxCumulativeAcks: UInt8, sessions: [LinkSession]
  ) {
    self.maxOutstandingPackets = maxOutstandingPackets
    self.maxPacketLength = maxPacketLength
    self.retransmissionTimeout = retransmissionTimeout
    self.cumulativeAckTimeout = cumulativeAckTimeout
    self.maxRetransmissions = maxRetransmissions
    self.maxCumulativeAcks = maxCumulativeAcks
    self.sessions = sessions
  }

  /// Reads a payload: ten bytes and whole session entries.
  ///
  /// - Throws: ``LinkSynchronizationError`` if the length is another or there are more than 255 sessions.
  package init(_ payload: RawSpan) throws(LinkSynchronizationError) {
    let rest = payload.byteCount - Self.fixedByteCount
    guard rest >= 0, rest % Self.sessionByteCount == 0 else { throw .length(payload.byteCount) }
    version = payload.byte(0)
    maxOutstandingPackets = payload.byte(1)
    maxPacketLength = payload.bigEndian16(2)
    retransmissionTimeout = payload.bigEndian16(4)
    cumulativeAckTimeout = payload.bigEndian16(6)
    maxRetransmissions = payload.byte(8)
    maxCumulativeAcks = payload.byte(9)
    // An id is one byte and not 0, so more than 255 entries would repeat an id.
    guard rest / Self.sessionByteCount <= 255 else { throw .tooManySessions(rest / Self.sessionByteCount) }
    sessions = []
    for offset in stride(from: Self.fixedByteCount, to: payload.byteCount, by: Self.sessionByteCount) {
      sessions.append(
        LinkSession(
          id: payload.byte(offset), type: LinkSessionType(rawValue: payload.byte(offset + 1)),
          version: payload.byte(offset + 2)))
    }
  }

  /// The payload in wire form.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = [version, maxOutstandingPackets]
    for number in [maxPacketLength, retransmissionTimeout, cumulativeAckTimeout] {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
    bytes += [maxRetransmissions, maxCumulativeAcks]
    for session in sessions { bytes += [session.id, session.type.rawValue, session.version] }
    return bytes
  }

  /// Whether the values stand for zero-acknowledgement mode, which has no retransmission and no timed acknowledgement:
  /// both timeouts and both counts are zero (Link.md#zero-ack-values; medium).
  package var isZeroAcknowledgement: Bool {
    retransmissionTimeout == 0 && cumulativeAckTimeout == 0 && maxRetransmissions == 0 && maxCumulativeAcks == 0
  }

  /// Returns the id of the first session of a type; nil if there is none. Ids are free, so sessions are found by type.
  package func sessionID(of type: LinkSessionType) -> UInt8? { sessions.first { $0.type == type }?.id }
}

/// An error in the payload of a SYN or SYN+ACK.
public enum LinkSynchronizationError: Error, Equatable, Sendable {
  /// The payload is not ten bytes and whole session entries; its size in bytes.
  case length(Int)
  /// The payload has more entries than there are ids; their number.
  case tooManySessions(Int)
}

extension LinkSynchronization {
  /// The default offer: values often seen on USB and sockets, all inside the recommended ranges. CAT uses 4096 bytes
  /// and 2000/22 ms on USB, with a window of 5 (Link.md#values-cat-usb; medium).
  public static let standard = LinkSynchronization(
    maxOutstandingPackets: 32, maxPacketLength: 4096, retransmissionTimeout: 2000, cumulativeAckTimeout: 22,
    maxRetransmissions: 30, maxCumulativeAcks: 3,
    sessions: [
      LinkSession(id: 1, type: .control, version: 2), LinkSession(id: 2, type: .fileTransfer, version: 2),
      LinkSession(id: 3, type: .externalAccessory, version: 1),
    ])

  /// The names of the values that this project would not offer: its own offers stay inside the recommended ranges
  /// (Link.md#lsp-ranges; medium: CAT's validator). The values of a peer are not checked against them.
  package var outOfRange: [String] {
    if isZeroAcknowledgement { return sessions.isEmpty ? ["sessions"] : [] }
    let fields = LinkField.allCases.filter { field in
      let isOutside = !field.offered.contains(self[field])
      return switch field {
      case .cumulativeAckTimeout:
        cumulativeAckTimeout != 0 && (isOutside || cumulativeAckTimeout > retransmissionTimeout / 2)
      case .maxCumulativeAcks: isOutside || maxCumulativeAcks > maxOutstandingPackets
      default: isOutside
      }
    }
    let areSessionsBad =
      sessionID(of: .control) == nil || Set(sessions.map(\.id)).count != sessions.count
      || sessions.contains { $0.id == 0 }
    return fields.map(\.rawValue) + (areSessionsBad ? ["sessions"] : [])
  }
}

/// The values that one side offers and accepts in the negotiation.
public struct LinkPreferences: Sendable, Hashable {
  /// The values that this side declares about itself, and the agreed values that it prefers.
  public var offer: LinkSynchronization
  /// The retransmission timeouts in milliseconds that this side accepts. It counters other values with the nearest one.
  ///
  /// The default accepts everything, because real accessories leave the recommended ranges (IVY: a cumulative timeout
  /// of 4169 ms beside 1500 ms; Link.md#lsp-ranges-broken; medium).
  package var retransmissionTimeouts: ClosedRange<UInt16> = 0...65_535
  /// The cumulative acknowledgement timeouts in milliseconds that this side accepts.
  package var cumulativeAckTimeouts: ClosedRange<UInt16> = 0...65_535
  /// The session types that this side can serve. Others are removed from the peer's list.
  package var sessionTypes: Set<UInt8> = [0, 1, 2]
  /// Whether an offer of zero-acknowledgement mode is accepted.
  package var acceptsZeroAcknowledgement = true

  /// Creates preferences that accept every value.
  public init(offer: LinkSynchronization = .standard) { self.offer = offer }

  /// Returns the answer to a proposal: the values that this side agrees to. Their agreed part equals that of the
  /// proposal if this side accepts it.
  ///
  /// The answer declares this side's own window and packet length. Its session list is the peer's, possibly shortened.
  func answer(to proposal: LinkSynchronization) -> LinkSynchronization {
    var answer = proposal
    answer.version = offer.version
    answer.maxOutstandingPackets = offer.maxOutstandingPackets
    answer.maxPacketLength = offer.maxPacketLength
    if proposal.isZeroAcknowledgement, !acceptsZeroAcknowledgement {
      answer.retransmissionTimeout = offer.retransmissionTimeout
      answer.cumulativeAckTimeout = offer.cumulativeAckTimeout
      answer.maxRetransmissions = offer.maxRetransmissions
      answer.maxCumulativeAcks = offer.maxCumulativeAcks
    } else if !proposal.isZeroAcknowledgement {
      answer.retransmissionTimeout = proposal.retransmissionTimeout.clamped(to: retransmissionTimeouts)
      answer.cumulativeAckTimeout = proposal.cumulativeAckTimeout.clamped(to: cumulativeAckTimeouts)
    }
    var seen: Set<UInt8> = []
    var types: Set<UInt8> = []
    answer.sessions = proposal.sessions.filter {
      $0.id != 0 && sessionTypes.contains($0.type.rawValue) && seen.insert($0.id).inserted
        && types.insert($0.type.rawValue).inserted
    }
    return answer
  }
}

extension LinkSynchronization {
  /// Returns whether the values that both sides must share are equal.
  package func agrees(with other: LinkSynchronization) -> Bool {
    retransmissionTimeout == other.retransmissionTimeout && cumulativeAckTimeout == other.cumulativeAckTimeout
      && maxRetransmissions == other.maxRetransmissions && maxCumulativeAcks == other.maxCumulativeAcks
      && sessions == other.sessions
  }
}

extension UInt16 {
  func clamped(to range: ClosedRange<UInt16>) -> UInt16 {
    Swift.min(Swift.max(self, range.lowerBound), range.upperBound)
  }
}
