// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime

/// The link by hand: each step of its beginning, and packets.
extension Probe {
  var controlSession: UInt8 { ours.sessionID(of: .control) ?? 0 }
  var externalAccessorySession: UInt8? { ours.sessionID(of: .externalAccessory) }

  // MARK: Beginning

  /// Detection, whichever side we are on.
  func detect() async throws(Stop) {
    switch side {
    case .accessory:
      for _ in 0..<10 {
        await send(LinkScanner.detect)
        do throws(Stop) {
          return try await expect("echo of the detect sequence", within: 1000) { $0.unit == .detect ? () : nil }
        } catch { if isFinished { throw error } }
      }
      throw .failed("no echo of ten detect sequences")
    case .device:
      try await expect("detect sequence", within: Patience.begin) { $0.unit == .detect ? () : nil }
      await send(LinkScanner.detect)
    }
  }

  /// As the accessory: offers until there is an answer.
  func offer(_ offer: LinkSynchronization) async throws(Stop) -> Packet {
    ours = offer
    for _ in 0..<5 {
      await send(Packet(.synchronize, sequence: sequence, payload: offer.bytes).bytes)
      do throws(Stop) {
        return try await expect("SYN+ACK", within: 1000) { sighting in
          sighting.packet.flatMap { $0.isSynchronization && $0.control.contains(.acknowledge) ? $0 : nil }
        }
      } catch { if isFinished { throw error } }
    }
    throw .failed("no SYN+ACK to five SYN")
  }

  /// As the device: waits for the first offer.
  func awaitOffer() async throws(Stop) -> Packet {
    try await expect("SYN", within: Patience.begin) { sighting in
      sighting.packet.flatMap { $0.isSynchronization && !$0.control.contains(.acknowledge) ? $0 : nil }
    }
  }

  /// As the device: answers an offer with values of ours, on the sessions it names.
  func answer(_ offered: Packet, with values: LinkSynchronization) async throws(Stop) -> Packet {
    guard let proposal = offered.proposal else { throw .failed("the SYN's payload cannot be read") }
    var answer = values
    answer.sessions = proposal.sessions
    ours = answer
    theirs = proposal
    lastInOrder = offered.sequence
    let packet = Packet(
      [.synchronize, .acknowledge], sequence: sequence, acknowledgement: offered.sequence, payload: answer.bytes)
    await send(packet.bytes)
    return packet
  }

  /// The peer's SYN or SYN+ACK is agreed: from now on the link is up.
  func agree(_ proposal: LinkSynchronization, sequence number: SequenceNumber) {
    theirs = proposal
    ours.retransmissionTimeout = proposal.retransmissionTimeout
    ours.cumulativeAckTimeout = proposal.cumulativeAckTimeout
    ours.maxRetransmissions = proposal.maxRetransmissions
    ours.maxCumulativeAcks = proposal.maxCumulativeAcks
    ours.sessions = proposal.sessions
    lastInOrder = number
    acknowledged = sequence
    isUp = true
  }

  /// A link with these values of ours, or as near to them as the peer wants; whatever goes wrong here is not the check's
  /// question.
  func linkUp(_ values: LinkSynchronization = Probe.usual, sequence first: SequenceNumber? = nil) async throws(Stop) {
    do throws(Stop) {
      if let first { sequence = first }
      try await detect()
      try await finishNegotiation(values)
    } catch { throw error.before("the link did not come up") }
  }

  func finishNegotiation(_ values: LinkSynchronization) async throws(Stop) {
    switch side {
    case .accessory:
      let answer = try await offer(values)
      guard let proposal = answer.proposal else { throw .failed("the SYN+ACK's payload cannot be read") }
      agree(proposal, sequence: answer.sequence)
      await acknowledge()
    case .device:
      var offered = try await awaitOffer()
      for _ in 0..<5 {
        let answer = try await answer(offered, with: values)
        let reply = try await expect("answer to our SYN+ACK") { sighting in
          sighting.packet.flatMap { packet in
            packet.control.contains(.acknowledge) && packet.acknowledgement == answer.sequence ? packet : nil
          }
        }
        guard reply.isSynchronization else { return agree(ours.declaring(theirs), sequence: offered.sequence) }
        // A counter-offer: what it wants is taken.
        guard let counter = reply.proposal else { throw .failed("the counter-offer cannot be read") }
        var taken = values
        taken.take(counter)
        sequence = sequence.next
        offered = reply
        ours = taken
        let packet = Packet(
          [.synchronize, .acknowledge], sequence: sequence, acknowledgement: reply.sequence, payload: taken.bytes)
        await send(packet.bytes)
        theirs = counter
        let number = sequence
        let last = try await expect("answer to our SYN+ACK") { sighting in
          sighting.packet.flatMap { $0.acknowledgement == number ? $0 : nil }
        }
        if !last.isSynchronization { return agree(counter, sequence: reply.sequence) }
      }
      throw .failed("five offers and no agreement")
    }
  }

  // MARK: Packets

  /// The next data packet of ours; it counts as sent.
  func data(_ payload: [UInt8], session: UInt8? = nil) -> Packet {
    sequence = sequence.next
    return Packet(
      .acknowledge, sequence: sequence, acknowledgement: lastInOrder, session: session ?? controlSession,
      payload: payload)
  }

  func send(_ packets: Packet...) async { await send(packets.flatMap(\.bytes)) }

  /// A pure acknowledgement of everything in order, or of what is named.
  func acknowledge(_ number: SequenceNumber? = nil) async {
    await send(Packet(.acknowledge, sequence: sequence, acknowledgement: number ?? lastInOrder).bytes)
  }

  /// A message in as few packets as the peer takes, never more than its window allows.
  ///
  /// - Parameter limit: of the payload bytes in one packet, beside the peer's own.
  func send(_ message: Message, limit: Int = .max) async throws(Stop) {
    let capacity = min(limit, max(1, Int(theirs.maxPacketLength) - LinkHeader.overheadByteCount))
    var rest = message.bytes[...]
    while !rest.isEmpty {
      let window = max(1, Int(min(127, theirs.maxOutstandingPackets)))
      if sequence.distance(from: acknowledged) >= window { try await awaitAcknowledgement(sequence) }
      await send(data(Array(rest.prefix(capacity))))
      rest = rest.dropFirst(capacity)
    }
  }

  /// Until the peer has acknowledged that packet of ours.
  func awaitAcknowledgement(
    _ number: SequenceNumber, within milliseconds: Int = Patience.answer
  ) async throws(Stop) {
    let deadline = clock.now.adding(milliseconds: milliseconds)
    while number.distance(from: acknowledged) != 0, number.distance(from: acknowledged) < 128 {
      guard await next(until: deadline) != nil else {
        if isFinished { throw .failed("the transport has ended") }
        let name = hexadecimal(number.rawValue)
        throw .failed(
          "no acknowledgement of \(name) within \(seconds(milliseconds)); the last was of "
            + hexadecimal(acknowledged.rawValue))
      }
      if wasReset { throw .failed("the peer has reset the link") }
    }
  }

  /// A message that nobody knows: only the link has to answer it (FieldBehavior.md#f24).
  static let unknownMessage = Message(0x0BAD)

  /// The link still works: data of ours is acknowledged.
  func stillWorks() async throws(Stop) {
    let packet = data(Self.unknownMessage.bytes)
    await send(packet)
    do throws(Stop) { try await awaitAcknowledgement(packet.sequence) } catch {
      throw .failed("afterwards the link works no more: \(error.reason)")
    }
  }

  /// How late a lone packet may be acknowledged.
  var acknowledgementLimit: Int { Int(ours.cumulativeAckTimeout) + Patience.slack }
}

extension LinkSynchronization {
  /// The agreed values of this one, with what the other declares of itself.
  fileprivate func declaring(_ other: LinkSynchronization) -> LinkSynchronization {
    var result = self
    result.maxOutstandingPackets = other.maxOutstandingPackets
    result.maxPacketLength = other.maxPacketLength
    return result
  }

  /// Keeps what it declares and takes what both must have equal.
  mutating func take(_ other: LinkSynchronization) {
    self = other.declaring(self)
  }

  func with(_ change: (inout LinkSynchronization) -> Void) -> LinkSynchronization {
    var result = self
    change(&result)
    return result
  }
}

extension Stop {
  var reason: String {
    switch self {
    case .failed(let reason), .inconclusive(let reason), .notApplicable(let reason): reason
    }
  }
}
