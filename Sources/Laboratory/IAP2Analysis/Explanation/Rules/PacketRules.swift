// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

// The rules of the link's packets that no limit of the SYN states.
extension SessionRule {
  static let starter = SessionRule(
    "syn-from-device", .negotiation, "The accessory sends SYN, and the device answers it with SYN+ACK.",
    "Link.md#handshake", .high, repair: "Let the device wait for the SYN.", isLocal: true)

  static let detectFirst = SessionRule(
    "link-without-detect", .detect, "After an RST the next link begins with the detect sequence.",
    "Link.md#next-link and Reliability.md#rst-effect", .high,
    repair: "Send the detect sequence after an RST, and SYN after its echo.")

  static let detectBytes = SessionRule(
    "detect-bytes", .detect, "The detect sequence is FF 55 02 00 EE 10.", "Link.md#detect-sequence", .high,
    repair: "Send FF 55 02 00 EE 10, in this order.", isLocal: true)

  static let answersOffer = SessionRule(
    "synack-acknowledges", .negotiation, "A SYN+ACK acknowledges the sequence number of the SYN.",
    "Link.md#handshake", .high, repair: "Acknowledge the sequence number of the SYN.", isLocal: true)

  static let sessionsOffered = SessionRule(
    "synack-sessions", .negotiation, "The sessions of a SYN+ACK are those of the SYN or a part of them.",
    "Link.md#shortened-list and Link.md#session-ids", .medium,
    repair: "Take the session ids and types of the SYN, and leave out those that are not supported.")

  static let usableOffer = SessionRule(
    "offer-values", .negotiation, "A SYN+ACK has values with which a link can work.",
    "Link.md#no-control-session, Link.md#window-of-one and Link.md#smallest-length", .medium,
    repair: "Offer a packet length of at least 24 bytes, a window from 1, and a control session.", isLocal: true)

  static let acknowledgesSent = SessionRule(
    "acknowledges-unsent", .negotiation, "An acknowledgement has the number of a packet that was sent.",
    "Reliability.md#ack-cumulative", .high,
    repair: "Acknowledge the last number that was received in order.", isLocal: true)

  static let acknowledgesDamaged = SessionRule(
    "acknowledges-damaged", .negotiation, "A packet with a wrong checksum is dropped and not acknowledged.",
    "Link.md#bad-payload", .high,
    repair: "Acknowledge a packet only if both of its checksums are right; its sender then retransmits it.",
    isLocal: true)

  static let nothingAgain = SessionRule(
    "retransmits-without-acknowledgements", .features,
    "A link that agreed on no acknowledgements retransmits nothing.",
    "inferred from Link.md#zero-ack: without a retransmission timeout", .low,
    repair: "Send each packet once, and wait for no acknowledgement, when the SYN+ACK has retransmission timeout 0.",
    forbids: true)

  static let early = SessionRule(
    "retransmission-early", .features, "A packet is retransmitted when the agreed retransmission timeout is over.",
    "Reliability.md#retransmission-timer", .high,
    repair: "Wait for the retransmission timeout of the SYN, in milliseconds, before each retransmission.",
    effect: .fails, forbids: true)

  static let late = SessionRule(
    "acknowledgement-late", .features, "Packets are acknowledged before their retransmission timeout.",
    "inferred from Reliability.md#ack-when: the cumulative timeout is shorter", .medium,
    repair: "Acknowledge each packet after the cumulative acknowledgement timeout of the SYN, in milliseconds, at the"
      + " latest.", effect: .fails)

  static let dataAcknowledges = SessionRule(
    "data-without-ack", .negotiation, "Every packet with data has the ACK bit.", "Reliability.md#data-has-ack", .high,
    repair: "Set the ACK bit, and the number of the last packet in order, in every packet with data.", isLocal: true)

  static let upBeforeData = SessionRule(
    "data-before-link", .negotiation, "Data is sent after the SYN+ACK was acknowledged.", "Link.md#handshake", .high,
    repair: "Wait for the ACK of the SYN+ACK, then send data.", effect: .tolerated)

  static let firstNumber = SessionRule(
    "first-number", .negotiation, "The first packet with data has the number behind that of the SYN or SYN+ACK.",
    "Reliability.md#first-data", .high,
    repair: "Count the SYN, or SYN+ACK, as a packet: the first packet with data has the next number.", isLocal: true)

  static let agreedSession = SessionRule(
    "session-not-agreed", .features, "Data is sent on a link session that the SYN and SYN+ACK have.",
    "Link.md#session-ids and Reliability.md#unknown-session", .high,
    repair: "Send the data on the session id of the SYN that has its type.", isLocal: true)

  static let readable = SessionRule(
    "unreadable-bytes", .features, "Every packet and message has the form that its length and type fields say.",
    "Sessions.md#message-form", .high,
    repair:
      "Look at the error of `iap2 decode` in this record, and correct the length and the parameters of the message.",
    isLocal: true)

  static let acknowledged = SessionRule(
    "acknowledged-resent", .features, "A packet that was acknowledged is not retransmitted.",
    "Reliability.md#acknowledged-not-resent", .high,
    repair: "Take a packet out of the queue when its number, or a later one, is acknowledged.", effect: .fails,
    forbids: true)

  static let limited = SessionRule(
    "retransmission-limit", .features, "A packet is retransmitted at most as often as the SYN agrees.",
    "Reliability.md#give-up-count", .medium,
    repair: "Give the link up after the agreed number of retransmissions.", effect: .tolerated, forbids: true)

  static let retransmits = SessionRule(
    "not-retransmitted", .features, "A packet without an acknowledgement is retransmitted after the agreed time.",
    "Reliability.md#retransmission-timer", .high,
    repair: "Keep each packet until it is acknowledged, and send it again after the retransmission timeout.")

  static let acknowledges = SessionRule(
    "not-acknowledged", .features, "Packets in order are acknowledged within the agreed time.",
    "Reliability.md#ack-when", .high,
    repair: "Acknowledge each packet in the next packet with data, or by a pure ACK after the agreed time.")
}

/// The packets of one side, as far as rules depend on each single one.
struct PacketStates: Sendable {
  /// The number that was retransmitted last, and how often.
  var repeated: (sequence: SequenceNumber, count: Int)?
  /// The acknowledgement number of its last packet.
  var acknowledgement: SequenceNumber?
  /// The number of the last new packet with data.
  var newest: SequenceNumber?
  /// Whether the side has sent data.
  var hasData = false
  /// The new packets with data since the counts below were 0.
  var fresh = 0
  /// The retransmissions of packets that the other side had acknowledged.
  var needless = 0
  /// The times and records at which packets were sent last, by their number; empty before the first.
  var sent: [(time: Double, record: Int)] = []
  /// The time at which the other side acknowledged a new packet last.
  var advanced: Double?
  /// The time of the last EAK of the other side, which asks for packets at once.
  var lastRequest: Double?
  /// The numbers that were left out, up to a limit.
  var gaps: Set<SequenceNumber> = []
  /// The last number that the other side acknowledged.
  var lastAcknowledged: SequenceNumber?
  /// The retransmissions before the agreed time.
  var early = 0
  /// The packets in a row that were acknowledged only after a retransmission.
  var late = 0
  /// The time of the last packet.
  var last: Double?

  /// The new packets after which earlier retransmissions do not count any more.
  /// Unverified: no source states it.
  static let memory = 64
  /// The needless retransmissions that may have crossed the acknowledgement.
  /// Unverified: no source states it.
  static let crossing = 2
  /// The retransmissions before their time, and the late acknowledgements in a row, that are no chance.
  /// Unverified: no source states it.
  static let chance = 3
}

extension LinkHistory {
  /// Whether the link has no acknowledgements (Link.md#zero-ack).
  private var isWithoutAcknowledgements: Bool {
    let parameters = [offers.accessory, offers.device].compactMap { $0?.parameters }
    return !parameters.isEmpty && parameters.allSatisfy(\.isZeroAcknowledgement)
  }

  /// Judges a SYN or SYN+ACK by the header.
  mutating func judgeOffer(_ header: LinkHeader, at place: DecodedPlace) {
    guard place.from == .device else { return }
    guard header.control.contains(.acknowledge) else {
      return ledger.addBreach(.starter, .synchronize, place, "the device sent a SYN")
    }
    guard let offer = offers.accessory else { return }
    if header.acknowledgement == offer.sequence {
      ledger.removeBreach(.answersOffer, by: .device)
    } else {
      ledger.addBreach(
        .answersOffer, .synchronizeAnswer, place,
        "the SYN+ACK acknowledges \(header.acknowledgement), and the SYN has the number \(offer.sequence)")
    }
  }

  /// Judges the values of a SYN+ACK of the device.
  mutating func judge(_ answer: LinkSynchronization, at place: DecodedPlace) {
    guard place.from == .device, let offer = offers.accessory?.parameters else { return }
    let unknown = answer.sessions.first { session in
      !offer.sessions.contains { $0.id == session.id && $0.type == session.type }
    }
    if let unknown {
      ledger.addBreach(
        .sessionsOffered, .synchronizeAnswer, place,
        "the SYN+ACK has the session \(unknown.id) of type \(unknown.type.rawValue), which the SYN does not have")
    } else {
      ledger.removeBreach(.sessionsOffered, by: .device)
    }
    let needed = ["sessions", LinkField.maxPacketLength.rawValue, LinkField.maxOutstandingPackets.rawValue]
    let wrong = answer.outOfRange.filter(needed.contains)
    if wrong.isEmpty {
      ledger.removeBreach(.usableOffer, by: .device)
    } else {
      ledger.addBreach(
        .usableOffer, .synchronizeAnswer, place, "the SYN+ACK has unusable values: \(wrong.joined(separator: ", "))")
    }
  }

  /// Judges a packet other than SYN and RST, before its numbers are noted.
  mutating func judge(_ header: LinkHeader, isRepeated: Bool, at place: DecodedPlace) {
    guard hasBeginning else { return }
    let (from, carries) = (place.from, header.payloadByteCount > 0 && !header.control.contains(.extendedAcknowledge))
    if carries, !isUp, from == .device {
      ledger.addBreach(.upBeforeData, .acknowledgement, place, "the device sent data before the ACK of its SYN+ACK")
    }
    if carries, !packetStates[from].hasData, let own = offers[from]?.sequence {
      packetStates[from].hasData = true
      if header.sequence == own {
        ledger.addBreach(
          .firstNumber, .correctPacket, place,
          "the first packet with data has the number \(own), which the \(from == .device ? "SYN+ACK" : "SYN") has already"
        )
      }
    }
    judge(numbers: header, isRepeated, carries, at: place)
  }

  private mutating func judge(
    numbers header: LinkHeader, _ isRepeated: Bool, _ carries: Bool, at place: DecodedPlace
  ) {
    let from = place.from
    guard isUp else { return }
    guard !isWithoutAcknowledgements else {
      guard carries, isRepeated else { return }
      return ledger.addBreach(
        .nothingAgain, .correctPacket, place,
        "packet \(header.sequence) was retransmitted, and no acknowledgements are agreed")
    }
    if carries, !header.control.contains(.acknowledge) {
      ledger.addBreach(.dataAcknowledges, .correctPacket, place, "packet \(header.sequence) has data and no ACK bit")
    }
    if header.control.contains(.acknowledge), let last = traffic[from.peer].last,
      (1..<128).contains(header.acknowledgement.distance(from: last))
    {
      if let damaged = damage[from.peer], damaged.carries, damaged.sequence == header.acknowledgement {
        return ledger.addBreach(
          .acknowledgesDamaged, .correctPacket, place,
          "packet \(damaged.sequence) in record \(damaged.record) has a wrong checksum, and it was acknowledged")
      }
      ledger.addBreach(
        .acknowledgesSent, .correctPacket, object: Int(header.acknowledgement.rawValue), place,
        "packet \(header.sequence) acknowledges \(header.acknowledgement), and the last packet of the other side is \(last)"
      )
    }
    guard carries else { return }
    guard !isRepeated else { return judgeRetransmission(header, at: place) }
    packetStates[from].fresh += 1
    guard packetStates[from].fresh >= PacketStates.memory else { return }
    (packetStates[from].fresh, packetStates[from].early, packetStates[from].needless) = (0, 0, 0)
  }

  private mutating func judgeRetransmission(_ header: LinkHeader, at place: DecodedPlace) {
    let from = place.from
    var state = packetStates[from]
    defer { packetStates[from] = state }
    if let time = place.time, let timeout = agreedTimeout, timeout > 0, !state.sent.isEmpty,
      case let waited = time - state.sent[Int(header.sequence.rawValue)].time, waited < timeout / 2,
      state.lastRequest.map({ time - $0 >= timeout }) ?? true
    {
      state.early += 1
      if state.early >= PacketStates.chance {
        ledger.addBreach(
          .early, .correctPacket, place,
          "packet \(header.sequence) was retransmitted after \(Int(waited * 1000)) ms, and the timeout is"
            + " \(Int(timeout * 1000)) ms")
      }
    }
    let count = state.repeated.map { $0.sequence == header.sequence ? $0.count + 1 : 1 } ?? 1
    state.repeated = (header.sequence, count)
    if let acknowledged = traffic[from].acknowledged, acknowledged.distance(from: header.sequence) < 128 {
      // The acknowledgement may have been under way, and the last packet is a probe (Lifecycle.md#probe).
      let isUnderWay =
        place.time.map { now in state.advanced.map { now - $0 < Self.silence.underWay } ?? true } ?? false
      guard !isUnderWay, header.sequence != traffic[from].last else { return }
      state.needless += 1
      guard state.needless > PacketStates.crossing else { return }
      ledger.addBreach(
        .acknowledged, .correctPacket, place,
        "packet \(header.sequence) was retransmitted, and \(acknowledged) was acknowledged before")
    } else if let limit = offers[from.peer]?.parameters?.maxRetransmissions, count > Int(limit) + 1 {
      ledger.addBreach(
        .limited, .correctPacket, place,
        "packet \(header.sequence) was retransmitted \(count) times, and the limit is \(limit)")
    }
  }

  /// Follows the acknowledgements and the gaps of both sides, after the packet's numbers are noted.
  mutating func followAcknowledgements(_ header: LinkHeader, at place: DecodedPlace) {
    let (from, peer) = (place.from, place.from.peer)
    packetStates[from].last = place.time
    if header.control.contains(.extendedAcknowledge) { packetStates[peer].lastRequest = place.time }
    if header.control.contains(.acknowledge) {
      let acknowledged = header.acknowledgement
      packetStates[from].acknowledgement = acknowledged
      if traffic[peer].acknowledged == acknowledged { noteAcknowledged(acknowledged, by: place) }
      // The other side received what the capture does not have.
      let missed = packetStates[peer].gaps.filter { (0..<128).contains(acknowledged.distance(from: $0)) }
      if !missed.isEmpty { ledger.isIncomplete = true }
    }
    guard header.payloadByteCount > 0, !header.control.contains(.extendedAcknowledge) else { return }
    noteGaps(before: header.sequence, of: from)
    guard let time = place.time else { return }
    if packetStates[from].sent.isEmpty { packetStates[from].sent = Array(repeating: (-.infinity, 0), count: 256) }
    packetStates[from].sent[Int(header.sequence.rawValue)] = (time, place.record)
  }

  /// The numbers of a gap to follow: more are another fault.
  private static var maximumGap: Int { 16 }

  private mutating func noteGaps(before sequence: SequenceNumber, of side: Side) {
    packetStates[side].gaps.remove(sequence)
    defer { packetStates[side].newest = sequence }
    guard let newest = packetStates[side].newest ?? offers[side]?.sequence,
      case let distance = sequence.distance(from: newest), (2...Self.maximumGap).contains(distance)
    else { return }
    var number = newest.next
    while number != sequence {
      packetStates[side].gaps.insert(number)
      number = number.next
    }
  }

  /// The agreed retransmission timeout in seconds; nil if the capture lacks the offers.
  private var agreedTimeout: Double? {
    // The last offer is the one that was accepted.
    let last = [offers.accessory, offers.device].compactMap(\.self).max { $0.event.number < $1.event.number }
    return last?.parameters.map { Double($0.retransmissionTimeout) / 1000 }
  }

  /// Notes that a packet was acknowledged, in time or only after a retransmission.
  private mutating func noteAcknowledged(_ number: SequenceNumber, by place: DecodedPlace) {
    let peer = place.from.peer
    guard packetStates[peer].lastAcknowledged != number else { return }
    packetStates[peer].lastAcknowledged = number
    packetStates[peer].advanced = place.time
    guard packetStates[peer].repeated?.sequence == number else {
      packetStates[peer].late = 0
      return
    }
    packetStates[peer].repeated = nil
    packetStates[peer].late += 1
    guard packetStates[peer].late >= PacketStates.chance, isAcknowledgedInTime else { return }
    ledger.addBreach(
      .late, .acknowledgement, place,
      "\(packetStates[peer].late) packets in a row were acknowledged only after a retransmission")
  }

  /// Whether the agreed acknowledgement timeout is shorter than the retransmission timeout. A real accessory has a longer
  /// one (Link.md#lsp-ranges-broken).
  private var isAcknowledgedInTime: Bool {
    [offers.accessory, offers.device].compactMap { $0?.parameters }.allSatisfy {
      $0.cumulativeAckTimeout < $0.retransmissionTimeout
    }
  }

  /// The seconds without an acknowledgement that no usual setting of a link explains, and the seconds after which a
  /// packet of the other side says what it lacks.
  /// Unverified: known timeouts are 0.5 to 6 s (Link.md#known-values), so twice the agreed one counts too.
  private static var silence: (least: Double, underWay: Double) { (3, 0.5) }

  /// Returns the finding about packets that wait for an acknowledgement at a time, in seconds: the other side does not
  /// acknowledge, or it does, and the sender does not retransmit what is missing.
  func unacknowledged(at end: Double?) -> RuleFinding? {
    guard isUp, hasBeginning, !ledger.isIncomplete, !isWithoutAcknowledgements, let end else { return nil }
    let least = max(Self.silence.least, 2 * (agreedTimeout ?? 0))
    for side in [Side.accessory, .device] where repeats?.from != side {
      guard !traffic[side].isAcknowledged, !packetStates[side].sent.isEmpty,
        let missing = traffic[side].acknowledged?.next,
        case (let since, let record) = packetStates[side].sent[Int(missing.rawValue)], since.isFinite,
        end - since >= least
      else { continue }
      let hasSpoken = packetStates[side.peer].last.map { $0 - since > Self.silence.underWay } ?? false
      return RuleFinding(
        owed: hasSpoken ? .retransmits : .acknowledges, by: hasSpoken ? side : side.peer,
        hasSpoken ? .correctPacket : .acknowledgement, record: record, time: since,
        "packet \(missing) of the \(side.rawValue) has no acknowledgement"
          + (hasSpoken ? ", and it was not retransmitted" : ""))
    }
    return nil
  }
}
