// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// A rule of the link that a packet broke.
package enum LinkRule: Sendable, Equatable {
  /// More packets were without an acknowledgement than the window of the other side.
  case window(count: Int, limit: Int)
  /// A packet is longer than the other side takes.
  case packetLength(byteCount: Int, limit: Int)
  /// A packet has the sequence number of an earlier one with another payload.
  case sequenceNumber(SequenceNumber)
  /// A packet has a later sequence number than the next one, which is this one and never came.
  case gap(SequenceNumber)
  /// A new packet has a number that lies far behind the last one, which is this.
  case backwards(from: SequenceNumber)
  /// A packet was retransmitted that the other side has, instead of the one for which its EAK asks.
  case otherPacket(asked: SequenceNumber)
}

/// A broken rule of the link, after which the other side sent no new data.
package struct LinkBreach: Sendable, Equatable {
  /// The side that broke the rule.
  package var from: Side
  /// The rule.
  package var rule: LinkRule
  /// The record of the packet that broke it.
  package var record: Int
  /// The sequence number of that packet.
  var sequence: SequenceNumber
  /// Whether the other side acknowledged that packet.
  var isAcknowledged = false
  /// Whether the other side acknowledged only what precedes a number that was left out, after the later packet.
  var isMissed = false
}

/// The payload of a packet, as far as two packets with one number are compared.
struct PacketContents: Sendable, Equatable {
  private var byteCount: UInt16 = 0
  /// The payload's checksum.
  private var checksum: UInt8 = 0
  /// The first byte of the payload; in an EAK the first number that it asks for.
  private(set) var first: UInt8 = 0

  init() {}

  init(_ packet: RawSpan) {
    guard packet.byteCount > LinkHeader.byteCount else { return }
    byteCount = UInt16(clamping: packet.byteCount)
    checksum = packet.byte(packet.byteCount - 1)
    first = packet.byte(LinkHeader.byteCount)
  }
}

/// The packets that one side sent on a link.
struct LinkTraffic: Sendable {
  /// The number of its last packet that owns one.
  var last: SequenceNumber?
  /// The last of its numbers that the other side acknowledged.
  var acknowledged: SequenceNumber?
  /// The contents of its data packets by their number; empty before the first.
  var contents: [PacketContents] = []
  /// The answers to requests that it had not acknowledged, since its last acknowledgement of new data.
  var answersWithoutAcknowledgement = 0

  /// The number for which the other side's last EAK asks, until it comes.
  var asked: SequenceNumber?
  /// The packets that were retransmitted in its place.
  var others = 0

  /// The number of retransmissions of other packets that may have been under way when the EAK came.
  /// Unverified: no source states it.
  static let othersUnderWay = 4
  /// The distance behind the last number from which a new packet is no late one.
  /// Unverified: a late packet lies within the window, and real windows are far smaller.
  static let farBehind = 64

  /// Whether the other side has acknowledged every packet.
  var isAcknowledged: Bool { last == acknowledged }

  /// The number of packets without an acknowledgement.
  var outstanding: Int {
    guard let last, let acknowledged else { return 0 }
    let count = last.distance(from: acknowledged)
    return count < 128 ? count : 0
  }
}

extension LinkHistory {
  /// The oldest request of a side that waits for a response and that the other side has not acknowledged.
  func unacknowledgedRequest(of side: Side) -> SessionEvent? {
    guard !traffic[side].isAcknowledged, let pending, pending.from == side else { return nil }
    return pending
  }

  /// Follows the numbers of both sides, and finds packets that break a rule of the link. Returns false if the packet has
  /// new data and acknowledges nothing, although something waits for an acknowledgement.
  mutating func noteTraffic(
    _ header: LinkHeader, _ contents: PacketContents, isRepeated: Bool, _ place: DecodedPlace
  ) -> Bool {
    guard !header.control.contains(.reset) else { return true }
    let from = place.from
    let waits = !traffic[from.peer].isAcknowledged
    if case .gap(let number) = breach?.rule, breach?.from == from.peer, header.control.contains(.acknowledge) {
      if number.distance(from: header.acknowledgement) == 1 { breach?.isMissed = true }
    }
    let acknowledges = header.control.contains(.acknowledge) && acknowledge(header.acknowledgement, by: from)
    if header.control.contains(.extendedAcknowledge), header.payloadByteCount > 0 {
      noteRequest(SequenceNumber(contents.first), to: from.peer)
    }
    guard header.payloadByteCount > 0, header.control.isDisjoint(with: [.synchronize, .extendedAcknowledge]) else {
      return true
    }
    noteAsked(header.sequence, isRepeated: isRepeated, place)
    if isRepeated {
      compare(contents, header.sequence, place)
      return true
    }
    if breach?.from == from.peer { breach = nil }
    checkGap(header.sequence, place)
    if traffic[from].last.map({ header.sequence.distance(from: $0) < 128 }) ?? true {
      traffic[from].last = header.sequence
    }
    keep(contents, header.sequence, from)
    checkLimits(header, place)
    return acknowledges || !waits
  }

  /// Takes the number of a SYN or SYN+ACK as the one before the first data.
  mutating func begin(_ sequence: SequenceNumber, _ from: Side) {
    if !isUp { traffic[from] = LinkTraffic(last: sequence, acknowledged: sequence) }
  }

  /// Returns whether the number is new.
  private mutating func acknowledge(_ number: SequenceNumber, by side: Side) -> Bool {
    let sender = side.peer
    if let known = traffic[sender].acknowledged, !(1..<128).contains(number.distance(from: known)) { return false }
    traffic[sender].acknowledged = number
    if let asked = traffic[sender].asked, number.distance(from: asked) < 128 {
      traffic[sender].asked = nil
      traffic[sender].others = 0
    }
    traffic[side].answersWithoutAcknowledgement = 0
    if let breach, breach.from == sender, breach.rule.isMet(by: number, breach.sequence) {
      self.breach?.isAcknowledged = true
    }
    return true
  }

  /// Takes the number for which an EAK asks, unless it was acknowledged since the EAK was sent.
  private mutating func noteRequest(_ number: SequenceNumber, to sender: Side) {
    if let acknowledged = traffic[sender].acknowledged, acknowledged.distance(from: number) < 128 { return }
    if traffic[sender].asked != number { traffic[sender].others = 0 }
    traffic[sender].asked = number
  }

  /// Compares a packet with the one for which the other side's EAK asks.
  private mutating func noteAsked(_ sequence: SequenceNumber, isRepeated: Bool, _ place: DecodedPlace) {
    guard let asked = traffic[place.from].asked else { return }
    if sequence == asked {
      traffic[place.from].asked = nil
      traffic[place.from].others = 0
      if case .otherPacket = breach?.rule, breach?.from == place.from { breach = nil }
    } else if isRepeated {
      traffic[place.from].others += 1
      guard traffic[place.from].others > LinkTraffic.othersUnderWay else { return }
      // The number that is asked for is the gap that this side left.
      if case .gap = breach?.rule, breach?.from == place.from { breach = nil }
      broke(.otherPacket(asked: asked), sequence, place)
    }
  }

  private mutating func keep(_ contents: PacketContents, _ sequence: SequenceNumber, _ from: Side) {
    if traffic[from].contents.isEmpty { traffic[from].contents = Array(repeating: PacketContents(), count: 256) }
    traffic[from].contents[Int(sequence.rawValue)] = contents
  }

  private mutating func compare(_ contents: PacketContents, _ sequence: SequenceNumber, _ place: DecodedPlace) {
    let known = traffic[place.from].contents
    guard !known.isEmpty, known[Int(sequence.rawValue)] != PacketContents(),
      known[Int(sequence.rawValue)] != contents
    else { return }
    broke(.sequenceNumber(sequence), sequence, place)
  }

  /// Compares a packet with what the other side's offer declares. Without acknowledgements there is no window.
  private mutating func checkLimits(_ header: LinkHeader, _ place: DecodedPlace) {
    guard let offer = offers[place.from.peer]?.parameters else { return }
    let limit = Int(offer.maxPacketLength)
    if header.byteCount > limit {
      return broke(.packetLength(byteCount: header.byteCount, limit: limit), header.sequence, place)
    }
    let (count, window) = (traffic[place.from].outstanding, Int(offer.maxOutstandingPackets))
    guard count > window, !offer.isZeroAcknowledgement else { return }
    if case .window = breach?.rule, breach?.from == place.from {
      breach?.rule = .window(count: count, limit: window)
    } else {
      broke(.window(count: count, limit: window), header.sequence, place)
    }
  }

  /// Finds a number that was left out; a packet that comes late takes its place.
  private mutating func checkGap(_ sequence: SequenceNumber, _ place: DecodedPlace) {
    if case .gap(sequence) = breach?.rule, breach?.from == place.from { breach = nil }
    guard let last = traffic[place.from].last else { return }
    let isUnknown =
      traffic[place.from].contents.isEmpty || traffic[place.from].contents[Int(sequence.rawValue)] == PacketContents()
    switch sequence.distance(from: last) {
    case 2..<128: broke(.gap(last.advanced(by: 1)), sequence, place)
    case 128...(256 - LinkTraffic.farBehind) where hasBeginning && isUnknown:
      broke(.backwards(from: last), sequence, place)
    default: break
    }
  }

  private mutating func broke(_ rule: LinkRule, _ sequence: SequenceNumber, _ place: DecodedPlace) {
    guard breach?.from != place.from else { return }
    breach = LinkBreach(from: place.from, rule: rule, record: place.record, sequence: sequence)
  }
}

extension LinkRule {
  /// Returns whether an acknowledgement shows that the other side took the packet which broke the rule.
  fileprivate func isMet(by acknowledgement: SequenceNumber, _ sequence: SequenceNumber) -> Bool {
    let limit = if case .backwards = self { LinkTraffic.farBehind } else { 128 }
    return acknowledgement.distance(from: sequence) < limit
  }
}

extension ConnectionHistory {
  /// The broken rule of the link after which the session did not go on; nil if it did, or if no rule was broken.
  package var breach: LinkBreach? {
    guard let breach = link.breach, link.isUp else { return nil }
    // A capture that lost the packet shows that the other side has it, or nothing of the other side.
    if case .gap = breach.rule, breach.isAcknowledged || !breach.isMissed { return nil }
    if case .backwards = breach.rule, breach.isAcknowledged { return nil }
    let isStuck = link.pending != nil || !link.isSettled
    let hasStopped = link.reset != nil || end != nil || (link.repeats?.count ?? 0) >= 2
    return isStuck || hasStopped && !breach.isAcknowledged ? breach : nil
  }

  /// The message that one side left unfinished although the other side acknowledged all of its packets; nil if its rest
  /// may only be missing in the capture.
  package var leftUnfinished: (from: Side, message: UnfinishedMessage)? {
    guard let unfinished, link.isUp, link.traffic[unfinished.from].isAcknowledged,
      link.traffic[unfinished.from].last != nil
    else { return nil }
    return unfinished
  }
}
