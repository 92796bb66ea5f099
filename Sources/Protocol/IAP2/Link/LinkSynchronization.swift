// swift-iap2 · Apache-2.0

/// What a numbered stream inside the link carries. Evidence: Link.md#session-types (high).
public struct LinkSessionType: Sendable, Hashable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let control = LinkSessionType(rawValue: 0)
  public static let fileTransfer = LinkSessionType(rawValue: 1)
  public static let externalAccessory = LinkSessionType(rawValue: 2)

  /// The type's name; nil for a type nobody has described.
  public var name: String? {
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
  public var id: UInt8
  public var type: LinkSessionType
  public var version: UInt8

  public init(id: UInt8, type: LinkSessionType, version: UInt8) {
    self.id = id
    self.type = type
    self.version = version
  }
}

/// The payload of SYN and SYN+ACK: what its sender can receive, and what both shall agree on.
///
/// Layout: Link.md#synchronization (high). `maxOutstandingPackets` and `maxPacketLength` are declarations of the
/// sender about itself and bind its peer; the rest must end equal on both sides.
public struct LinkSynchronization: Sendable, Hashable {
  public var version: UInt8 = 1
  /// Unacknowledged packets the sender is ready to receive.
  public var maxOutstandingPackets: UInt8
  /// The largest packet the sender accepts, header and checksums included, in bytes.
  public var maxPacketLength: UInt16
  /// Milliseconds.
  public var retransmissionTimeout: UInt16
  /// Milliseconds.
  public var cumulativeAckTimeout: UInt16
  public var maxRetransmissions: UInt8
  public var maxCumulativeAcks: UInt8
  public var sessions: [LinkSession]

  /// The payload for whoever shows it, in order; entries of sessions follow.
  package static let fields = [
    WireField("version", 1), WireField("maxOutstandingPackets", 1), WireField("maxPacketLength", 2),
    WireField("retransmissionTimeout", 2), WireField("cumulativeAckTimeout", 2), WireField("maxRetransmissions", 1),
    WireField("maxCumulativeAcks", 1),
  ]
  package static let sessionFields = [
    WireField("session id", 1), WireField("session type", 1), WireField("session version", 1),
  ]

  public static let fixedByteCount = 10
  public static let sessionByteCount = 3

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

  /// Reads a payload. It has ten bytes and then whole session entries; anything else is `.length`.
  public init(_ payload: RawSpan) throws(LinkSynchronizationError) {
    let rest = payload.byteCount - Self.fixedByteCount
    guard rest >= 0, rest % Self.sessionByteCount == 0 else { throw .length(payload.byteCount) }
    version = payload.byte(0)
    maxOutstandingPackets = payload.byte(1)
    maxPacketLength = payload.bigEndian16(2)
    retransmissionTimeout = payload.bigEndian16(4)
    cumulativeAckTimeout = payload.bigEndian16(6)
    maxRetransmissions = payload.byte(8)
    maxCumulativeAcks = payload.byte(9)
    // One byte of id: more than 255 entries must repeat one, and the rest cannot mean anything.
    guard rest / Self.sessionByteCount <= 255 else { throw .tooManySessions(rest / Self.sessionByteCount) }
    sessions = []
    for offset in stride(from: Self.fixedByteCount, to: payload.byteCount, by: Self.sessionByteCount) {
      sessions.append(
        LinkSession(
          id: payload.byte(offset), type: LinkSessionType(rawValue: payload.byte(offset + 1)),
          version: payload.byte(offset + 2)))
    }
  }

  /// The payload bytes.
  public var bytes: [UInt8] {
    var bytes: [UInt8] = [version, maxOutstandingPackets]
    for number in [maxPacketLength, retransmissionTimeout, cumulativeAckTimeout] {
      bytes.append(UInt8(number >> 8))
      bytes.append(UInt8(truncatingIfNeeded: number))
    }
    bytes += [maxRetransmissions, maxCumulativeAcks]
    for session in sessions { bytes += [session.id, session.type.rawValue, session.version] }
    return bytes
  }

  /// No retransmission and no timed acknowledgement: both timeouts and both counts are zero (Link.md#zero-ack-values;
  /// high).
  public var isZeroAcknowledgement: Bool {
    retransmissionTimeout == 0 && cumulativeAckTimeout == 0 && maxRetransmissions == 0 && maxCumulativeAcks == 0
  }

  /// The id of the first session of a type; ids are free, so sessions are always found this way.
  public func sessionID(of type: LinkSessionType) -> UInt8? { sessions.first { $0.type == type }?.id }
}

public enum LinkSynchronizationError: Error, Equatable, Sendable {
  /// Not ten bytes and whole session entries; the byte count found.
  case length(Int)
  /// More entries than there are ids.
  case tooManySessions(Int)
}

extension LinkSynchronization {
  /// Values often seen on USB and sockets (CAT: 5 × 4096, 2000/22 ms), all inside the recommended ranges.
  public static let standard = LinkSynchronization(
    maxOutstandingPackets: 32, maxPacketLength: 4096, retransmissionTimeout: 2000, cumulativeAckTimeout: 22,
    maxRetransmissions: 30, maxCumulativeAcks: 3,
    sessions: [
      LinkSession(id: 1, type: .control, version: 2), LinkSession(id: 2, type: .fileTransfer, version: 2),
      LinkSession(id: 3, type: .externalAccessory, version: 1),
    ])

  /// What is wrong with these values as an offer of ours: our own stay inside the recommended ranges
  /// (Link.md#lsp-ranges; medium: two validators), a peer's never have to.
  public var outOfRange: [String] {
    if isZeroAcknowledgement { return sessions.isEmpty ? ["sessions"] : [] }
    var names: [String] = []
    if !(1...127).contains(maxOutstandingPackets) { names.append("maxOutstandingPackets") }
    if maxPacketLength < 24 { names.append("maxPacketLength") }
    if retransmissionTimeout < 20 { names.append("retransmissionTimeout") }
    if cumulativeAckTimeout != 0, cumulativeAckTimeout < 10 || cumulativeAckTimeout > retransmissionTimeout / 2 {
      names.append("cumulativeAckTimeout")
    }
    if !(1...30).contains(maxRetransmissions) { names.append("maxRetransmissions") }
    if maxCumulativeAcks > min(127, maxOutstandingPackets) { names.append("maxCumulativeAcks") }
    if sessionID(of: .control) == nil || Set(sessions.map(\.id)).count != sessions.count
      || sessions.contains(where: { $0.id == 0 })
    {
      names.append("sessions")
    }
    return names
  }
}

/// What one side brings to the negotiation.
public struct LinkPreferences: Sendable, Hashable {
  /// What we declare about ourselves, and the agreed values we would like.
  public var offer: LinkSynchronization
  /// Agreed values a peer may ask for; outside of them we counter with the nearest value.
  ///
  /// The default takes everything: real accessories break the recommended ranges (IVY: cumulative 4169 ms beside
  /// 1500 ms).
  public var retransmissionTimeouts: ClosedRange<UInt16> = 0...65_535
  public var cumulativeAckTimeouts: ClosedRange<UInt16> = 0...65_535
  /// Session types we can serve; others are struck from a peer's list.
  public var sessionTypes: Set<UInt8> = [0, 1, 2]
  /// Whether a peer's zero-acknowledgement offer is taken.
  public var acceptsZeroAcknowledgement = true

  public init(offer: LinkSynchronization = .standard) { self.offer = offer }

  /// Our answer to a proposal: what we would agree to, which equals the proposal's agreed part if we accept it.
  ///
  /// The result declares our own window and packet length; the session list is the peer's, shortened.
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
  /// The part both sides must have equal.
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
