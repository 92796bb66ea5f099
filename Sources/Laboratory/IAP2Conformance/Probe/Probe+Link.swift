// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime

// Detection, negotiation, and packets of the link.
extension Probe {
  var controlSession: UInt8 { ours.sessionID(of: .control) ?? 0 }
  var externalAccessorySession: UInt8? { ours.sessionID(of: .externalAccessory) }

  // MARK: Link setup

  /// Performs detection on the probe's side.
  func detect() async throws(Stop) {
    switch side {
    case .accessory:
      for _ in 0..<10 {
        await send(LinkScanner.detect)
        do throws(Stop) {
          return try await expect("echo of the detect sequence", within: 1000) { $0.unit == .detect ? () : nil }
        } catch { if isFinished { throw error } }
      }
      throw .failed("it echoed none of ten detect sequences")
    case .device:
      try await expect("detect sequence", within: timeouts.begin) { $0.unit == .detect ? () : nil }
      await send(LinkScanner.detect)
    }
  }

  /// As the accessory, sends a SYN up to five times and returns the SYN+ACK.
  func offer(_ offer: LinkSynchronization) async throws(Stop) -> Packet {
    ours = offer
    for _ in 0..<5 {
      await send(Packet(.synchronize, sequence: sequence, payload: offer.bytes).bytes)
      do throws(Stop) {
        return try await expect("SYN+ACK", within: 1000) { observation in
          observation.packet.flatMap { $0.isSynchronization && $0.control.contains(.acknowledge) ? $0 : nil }
        }
      } catch { if isFinished { throw error } }
    }
    throw .failed("it answered none of five SYNs with a SYN+ACK")
  }

  /// As the device, waits for the first SYN.
  func awaitOffer() async throws(Stop) -> Packet {
    try await expect("SYN", within: timeouts.begin) { observation in
      observation.packet.flatMap { $0.isSynchronization && !$0.control.contains(.acknowledge) ? $0 : nil }
    }
  }

  /// As the device, answers a SYN with these link parameters and the offered sessions.
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

  /// Records the negotiated link parameters, after which the link is up.
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

  /// Sets up a link with these link parameters, or with the peer's counter-offer. A failure makes the check
  /// inconclusive.
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
        let reply = try await expect("answer to our SYN+ACK") { observation in
          observation.packet.flatMap { packet in
            packet.control.contains(.acknowledge) && packet.acknowledgement == answer.sequence ? packet : nil
          }
        }
        guard reply.isSynchronization else { return agree(ours.declaring(theirs), sequence: offered.sequence) }
        // Accept the counter-offer.
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
        let last = try await expect("answer to our SYN+ACK") { observation in
          observation.packet.flatMap { $0.acknowledgement == number ? $0 : nil }
        }
        if !last.isSynchronization { return agree(counter, sequence: reply.sequence) }
      }
      throw .failed("five offers led to no agreement")
    }
  }

  // MARK: Packets

  /// Creates the next data packet and advances the sequence number.
  func data(_ payload: [UInt8], session: UInt8? = nil) -> Packet {
    sequence = sequence.next
    return Packet(
      .acknowledge, sequence: sequence, acknowledgement: frozenAcknowledgement ?? lastInOrder,
      session: session ?? controlSession,
      payload: payload)
  }

  func send(_ packets: Packet...) async { await send(packets.flatMap(\.bytes)) }

  /// Sends a pure ACK of the last packet in order, or of this sequence number.
  func acknowledge(_ number: SequenceNumber? = nil) async {
    if frozenAcknowledgement != nil { frozenAcknowledgement = number ?? lastInOrder }
    await send(Packet(.acknowledge, sequence: sequence, acknowledgement: number ?? lastInOrder).bytes)
  }

  /// Sends a message in as few packets as the peer's packet length allows, and waits when its window is full.
  ///
  /// - Parameters:
  ///   - message: the message.
  ///   - limit: the maximum number of payload bytes in a packet, in addition to the peer's own limit.
  func send(_ message: Message, limit: Int = .max) async throws(Stop) {
    let capacity = min(limit, max(1, Int(theirs.maxPacketLength) - LinkHeader.overheadByteCount))
    var rest = message.bytes[...]
    while !rest.isEmpty {
      let window = theirs.windowPacketCount
      if sequence.distance(from: acknowledged) >= window { try await awaitAcknowledgement(sequence) }
      await send(data(Array(rest.prefix(capacity))))
      rest = rest.dropFirst(capacity)
    }
  }

  /// Waits until the peer has acknowledged a packet of the probe.
  func awaitAcknowledgement(
    _ number: SequenceNumber, within limit: Int? = nil
  ) async throws(Stop) {
    let milliseconds = limit ?? timeouts.answer
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

  /// A message with an unknown identifier, which the peer's link acknowledges and its session ignores
  /// (FieldBehavior.md#f24).
  static let unknownMessage = Message(0x0BAD)

  /// Checks that the peer still acknowledges data.
  func stillWorks() async throws(Stop) {
    let packet = data(Self.unknownMessage.bytes)
    await send(packet)
    do throws(Stop) { try await awaitAcknowledgement(packet.sequence) } catch {
      throw .failed("the link no longer works afterwards: \(error.reason)")
    }
  }

  /// The time limit for the acknowledgement of a single packet, in milliseconds.
  var acknowledgementLimit: Int { Int(ours.cumulativeAckTimeout) + Timeouts.slack }
}

extension LinkSynchronization {
  /// Returns these values with the window and the packet length of another side.
  fileprivate func declaring(_ other: LinkSynchronization) -> LinkSynchronization {
    var result = self
    result.maxOutstandingPackets = other.maxOutstandingPackets
    result.maxPacketLength = other.maxPacketLength
    return result
  }

  /// Takes the values of another side, except its window and packet length.
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
