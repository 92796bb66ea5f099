// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let negotiation: [Check] = [
    Check(
      "NEG-01", .negotiation, of: [.accessory], "The SYN has the right form",
      "A SYN has control byte 80, session 0, link version 1 and a payload of ten bytes followed by complete session entries.",
      .at("Link.md#lsp-layout", .high)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let offer = try await probe.awaitOffer()
      guard offer.control == .synchronize else {
        throw .failed("the SYN has control byte \(hexadecimal(offer.control.rawValue))")
      }
      guard offer.session == 0 else { throw .failed("the SYN is on session \(offer.session)") }
      guard let proposal = offer.proposal else { throw .failed("the SYN has \(offer.payload.count) bytes of payload") }
      guard proposal.version == 1 else { throw .failed("the SYN has link version \(proposal.version)") }
    },
    Check(
      "NEG-02", .negotiation, of: [.accessory], "The SYN names its sessions",
      "A SYN offers a control session, and session ids that are distinct and not zero.",
      .at("Link.md#session-list", .medium)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      guard let sessions = try await probe.awaitOffer().proposal?.sessions else {
        throw .inconclusive("the SYN cannot be read")
      }
      guard sessions.contains(where: { $0.type == .control }) else {
        throw .failed("the SYN offers no control session")
      }
      let ids = sessions.map(\.id)
      guard Set(ids).count == ids.count, !ids.contains(0) else { throw .failed("the session ids are \(ids)") }
    },
    Check(
      "NEG-03", .negotiation, of: [.accessory], "The SYN is retransmitted",
      "A SYN without an answer is retransmitted with the same sequence number and payload.",
      .at("Link.md#syn-retry", .medium, "one known accessory sends it once"), .recommended
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let first = try await probe.awaitOffer()
      let second = try await probe.expect("second SYN") { $0.packet?.isSynchronization == true ? $0.packet : nil }
      guard first == second else { throw .failed("the second SYN differs from the first") }
    },
    Check(
      "NEG-04", .negotiation, of: [.accessory], "Agreement is a pure ACK",
      "An accessory confirms a SYN+ACK that accepts its offer with a pure ACK, which acknowledges the SYN+ACK. Its sequence number may be that of its SYN or the next.",
      .at("Link.md#handshake", .high, "real accessories differ in the number")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let offer = try await probe.awaitOffer()
      guard let proposal = offer.proposal else { throw .inconclusive("the SYN cannot be read") }
      let answer = try await probe.answer(offer, with: proposal)
      let reply = try await probe.expect("ACK") { observation in
        observation.packet.flatMap { $0.control.contains(.acknowledge) ? $0 : nil }
      }
      guard reply.isPureAcknowledgement else { throw .failed("it sent \(reply.text) instead of a pure ACK") }
      guard reply.acknowledgement == answer.sequence else {
        throw .failed("the ACK acknowledges \(reply.acknowledgement.text)")
      }
    },
    Check(
      "NEG-05", .negotiation, of: [.device], "The SYN is acknowledged",
      "A device answers a SYN with a SYN+ACK that acknowledges the SYN's sequence number.",
      .at("Link.md#handshake", .high)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let answer = try await probe.offer(Probe.usual)
      let number = await probe.sequence
      guard answer.acknowledgement == number else {
        throw .failed("the SYN+ACK acknowledges \(answer.acknowledgement.text)")
      }
    },
    Check(
      "NEG-06", .negotiation, of: [.device], "Only offered sessions are accepted",
      "The session list of a SYN+ACK is the offered list or a part of it, and has the control session.",
      .at("Link.md#shortened-list", .medium)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      guard let sessions = try await probe.offer(Probe.usual).proposal?.sessions else {
        throw .failed("the SYN+ACK cannot be read")
      }
      guard sessions.allSatisfy(Probe.usual.sessions.contains) else {
        throw .failed("the SYN+ACK has sessions \(sessions.map(\.id)), which were not all offered")
      }
      guard sessions.contains(where: { $0.type == .control }) else {
        throw .failed("the SYN+ACK has no control session")
      }
    },
    Check(
      "NEG-07", .negotiation, of: [.device], "A repeated SYN is answered again",
      "A retransmitted SYN before the link is up gets another SYN+ACK.",
      .at("Link.md#syn-repeated", .low, "inferred")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      _ = try await probe.offer(Probe.usual)
      let again = Packet(.synchronize, sequence: await probe.sequence, payload: Probe.usual.bytes)
      await probe.send(again)
      // A limit below the peer's own retransmission timeout.
      try await probe.expect("SYN+ACK to a repeated SYN", within: 800) {
        $0.packet?.isAnswer == true ? () : nil
      }
    },
    Check(
      "NEG-08", .negotiation, of: [.device], "Data may carry the ACK",
      "A data packet may acknowledge the SYN+ACK, and the link is up.",
      .at("Link.md#ack-on-data", .low, "inferred")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let answer = try await probe.offer(Probe.usual)
      guard let proposal = answer.proposal else { throw .inconclusive("the SYN+ACK cannot be read") }
      await probe.agree(proposal, sequence: answer.sequence)
      try await probe.stillWorks()
    },
    Check(
      "NEG-09", .negotiation, of: .both, "Sessions are found by type",
      "Control messages are sent on the agreed session of type control, whatever its id.",
      .at("Link.md#session-ids", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.provoke()
      let data = try await probe.newData()
      let wanted = await probe.controlSession
      guard data.session == wanted else { throw .failed("\(data.text) is on session \(data.session), not \(wanted)") }
    },
    Check(
      "NEG-10", .negotiation, of: [.accessory], "A shortened session list is respected",
      "When the device has removed sessions from the list, an accessory continues and sends nothing on them.",
      .at("Link.md#shortened-list", .medium)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let offer = try await probe.awaitOffer()
      guard var answer = offer.proposal else { throw .inconclusive("the SYN cannot be read") }
      answer.sessions.removeAll { $0.type != .control }
      guard let control = answer.sessions.first?.id else { throw .inconclusive("the SYN offers no control session") }
      try await probe.shorten(offer, to: answer)
      do throws(Stop) { try await probe.ready() } catch { throw .failed("it does not continue: \(error.reason)") }
      try await probe.refuse("it sends on a removed session") {
        $0.packet.map { $0.isData && $0.session != control } ?? false
      }
      try await probe.stays()
    },
    Check(
      "NEG-11", .negotiation, of: .both, "Without a control session there is no link",
      "Link parameters without a control session get a counter-offer or are refused, and are never accepted.",
      .at("Link.md#no-control-session", .medium)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let bad = Probe.usual.with { $0.sessions.removeAll { $0.type == .control } }
      if probe.side == .accessory {
        let packet = Packet(.synchronize, sequence: await probe.sequence, payload: bad.bytes)
        await probe.send(packet)
        try await probe.refuse("it accepts the link parameters") { observation in
          observation.packet?.proposal.map { $0.sessionID(of: .control) == nil } ?? false
        }
      } else {
        let offer = try await probe.awaitOffer()
        let answer = Packet(
          [.synchronize, .acknowledge], sequence: await probe.sequence, acknowledgement: offer.sequence,
          payload: bad.bytes)
        await probe.send(answer)
        try await probe.refuse("it accepts the link parameters") { observation in
          observation.packet.map { $0.isPureAcknowledgement && $0.acknowledgement == answer.sequence } ?? false
        }
      }
    },
    Check(
      "NEG-12", .negotiation, of: .both, "Other packets are ignored during negotiation",
      "A packet that is neither SYN nor RST is ignored during negotiation.",
      .at("Link.md#other-packets-in-setup", .low, "recommended"), .recommended
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let early = Packet(.acknowledge, sequence: SequenceNumber(7), acknowledgement: SequenceNumber(9))
      if probe.side == .device { _ = try await probe.awaitOffer() }
      await probe.send(early)
      try await probe.finishNegotiation(Probe.usual)
      try await probe.stillWorks()
    },
    Check(
      "NEG-13", .negotiation, of: [.device], "A malformed SYN is not accepted",
      "A SYN whose payload is not ten bytes and complete session entries gets no SYN+ACK. A valid SYN afterwards gets one.",
      .at("Link.md#lsp-malformed", .low, "inferred from the layout")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let bad = Packet(.synchronize, sequence: await probe.sequence, payload: Array(Probe.usual.bytes.dropLast(2)))
      await probe.send(bad)
      try await probe.refuse("it answers a malformed SYN") { $0.packet?.isSynchronization ?? false }
      try await probe.finishNegotiation(Probe.usual)
    },
  ]
}

extension Probe {
  /// Performs detection. A failure makes the check inconclusive.
  func detectFirst() async throws(Stop) {
    do throws(Stop) { try await detect() } catch { throw error.before("detection did not succeed") }
  }

  /// As the device, answers a SYN with these link parameters and their sessions, and completes the negotiation.
  func shorten(_ offered: Packet, to values: LinkSynchronization) async throws(Stop) {
    let answer = Packet(
      [.synchronize, .acknowledge], sequence: sequence, acknowledgement: offered.sequence, payload: values.bytes)
    await send(answer)
    let reply = try await expect("ACK") { observation in
      observation.packet.flatMap { $0.acknowledgement == answer.sequence || $0.isReset ? $0 : nil }
    }
    guard reply.isPureAcknowledgement else { throw .failed("it sent \(reply.text) instead of an ACK") }
    guard let proposal = offered.proposal else { throw .inconclusive("the SYN cannot be read") }
    ours = values
    agree(
      values.with {
        $0.maxOutstandingPackets = proposal.maxOutstandingPackets
        $0.maxPacketLength = proposal.maxPacketLength
      }, sequence: offered.sequence)
  }
}
