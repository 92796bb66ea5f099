// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let selective: [Check] = [
    Check(
      "EAK-01", .selective, of: .both, "An EAK lists the missing packets",
      "An EAK lists the missing sequence numbers, one byte each, acknowledges the last packet in order, and is on session 0. A peer may send it at any time.",
      .at("Reliability.md#eak-payload", .high, "and Reliability.md#eak-header")
    ) { probe throws(Stop) in
      try await probe.linkUp()
      guard await probe.theirs.maxOutstandingPackets > 2 else {
        throw .notApplicable("its window is too small for a gap")
      }
      let last = await probe.sequence
      let packets = [
        await probe.data(Probe.unknownMessage.bytes), await probe.data(Probe.unknownMessage.bytes),
        await probe.data(Probe.unknownMessage.bytes),
      ]
      await probe.send(packets[2])
      let reply: Packet
      do throws(Stop) {
        reply = try await probe.expect("EAK", within: Timeouts.quiet) { observation in
          observation.packet.flatMap { $0.isSelective ? $0 : nil }
        }
      } catch { throw .notApplicable("it sends no EAK for a gap of two packets") }
      let missing = packets.prefix(2).map(\.sequence.rawValue)
      guard reply.payload == missing else {
        throw .failed("missing are \(Self.names(missing)), but the EAK lists \(Self.names(reply.payload))")
      }
      guard reply.acknowledgement == last || !reply.control.contains(.acknowledge) else {
        throw .failed(
          "the last packet in order is \(last.text), but the EAK acknowledges \(reply.acknowledgement.text)")
      }
      guard reply.session == 0 else { throw .failed("the EAK is on session \(reply.session)") }
      await probe.send(packets[0], packets[1])
    },
    Check(
      "EAK-02", .selective, of: .both, "A packet that an EAK lists is retransmitted",
      "A packet that an EAK lists is retransmitted at once, with the same sequence number and payload.",
      .at("Reliability.md#eak-resend", .high)
    ) { probe throws(Stop) in
      try await probe.outstanding()
      let first = await probe.heldPackets[0]
      let again = try await probe.resends(naming: [first.sequence], [.acknowledge, .extendedAcknowledge])
      guard let packet = again.first(where: { $0.sequence == first.sequence }) else {
        throw .failed("it does not retransmit \(first.text)")
      }
      guard packet.payload == first.payload else { throw .failed("it retransmits \(first.text) with different bytes") }
    },
    Check(
      "EAK-03", .selective, of: .both, "A packet that an EAK does not list is not retransmitted",
      "After an EAK only the listed packets are retransmitted.", .at("Reliability.md#eak-resend", .high)
    ) { probe throws(Stop) in
      try await probe.outstanding()
      let packets = await probe.heldPackets
      let again = try await probe.resends(naming: [packets[0].sequence], [.acknowledge, .extendedAcknowledge])
      let others = again.filter { $0.sequence != packets[0].sequence }
      guard others.isEmpty else { throw .failed("it also retransmits \(others.map(\.text).joined(separator: ", "))") }
      try await probe.stays()
    },
    Check(
      "EAK-04", .selective, of: .both, "Both forms of EAK are accepted",
      "An EAK is processed with the ACK bit (60) and without it (20).",
      .at("Reliability.md#eak-control", .high, "senders differ, so a receiver accepts both")
    ) { probe throws(Stop) in
      try await probe.outstanding()
      let first = await probe.heldPackets[0]
      let again = try await probe.resends(naming: [first.sequence], .extendedAcknowledge)
      guard again.contains(where: { $0.sequence == first.sequence }) else {
        throw .failed("it does not retransmit \(first.text) after an EAK with control byte 20")
      }
    },
    Check(
      "EAK-05", .selective, of: .both, "A received EAK uses no sequence number",
      "EAKs do not advance the receiver's expected sequence number, although they have a payload.",
      .at("Reliability.md#eak-header", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let last = await probe.lastInOrder
      for _ in 0..<2 {
        await probe.send(
          Packet(
            [.acknowledge, .extendedAcknowledge], sequence: await probe.sequence, acknowledgement: last,
            payload: [last.next.rawValue]))
      }
      try await probe.stillWorks()
    },
  ]

  private static func names(_ numbers: [UInt8]) -> String {
    numbers.map { hexadecimal($0) }.joined(separator: " ")
  }
}

extension Probe {
  /// Sets up a link on which at least two packets of the peer are unacknowledged.
  func outstanding() async throws(Stop) {
    try await flood(window: 3)
    _ = await watch(500)
    try stays()
    guard heldPackets.count >= 2 else {
      throw .inconclusive("it sent only \(heldPackets.count) packets into a window of 3")
    }
  }

  /// Sends an EAK and returns the packets that the peer retransmits within 1 s, long before its retransmission timeout.
  func resends(naming missing: [SequenceNumber], _ control: LinkControl) async throws(Stop) -> [Packet] {
    let known = Set(heldPackets.map(\.sequence))
    guard Int(ours.retransmissionTimeout) >= 3000, let oldest = heldPackets.first?.sequence else {
      throw .inconclusive(
        "the link agreed on \(ours.retransmissionTimeout) ms, so the effect of an EAK cannot be distinguished from the timer's"
      )
    }
    await send(
      Packet(
        control, sequence: sequence, acknowledgement: oldest.advanced(by: -1), payload: missing.map(\.rawValue)))
    let packets = await watch(1000).compactMap(\.packet)
    if isFinished || wasReset {
      throw .failed("it ended the link after an EAK with control byte \(hexadecimal(control.rawValue))")
    }
    return packets.filter { $0.isData && known.contains($0.sequence) }
  }
}
