// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let checksums: [Check] = [
    Check(
      "SUM-01", .checksums, of: .both, "Checksums are correct",
      "Every packet has a correct header checksum. It has a correct payload checksum exactly if it has a payload.",
      .at("Link.md#checksum", .high)
    ) { probe throws(Stop) in
      do throws(Stop) { try await probe.session() } catch {
        if let damage = await probe.damage { throw .failed(damage) }
        throw error
      }
      if let damage = await probe.damage { throw .failed(damage) }
    },
    Check(
      "SUM-02", .checksums, of: .both, "A wrong payload checksum drops the packet",
      "A packet with a wrong payload checksum is dropped without an acknowledgement. The correct packet is accepted afterwards.",
      .at("Link.md#bad-payload", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data(Probe.unknownMessage.bytes)
      try await probe.isDropped(packet) { $0[$0.count - 1] ^= 0x01 }
    },
    Check(
      "SUM-03", .checksums, of: .both, "A wrong header checksum drops the packet",
      "A packet with a wrong header checksum is not accepted. The correct packet is accepted afterwards.",
      .at("Link.md#bad-header", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data(Probe.unknownMessage.bytes)
      try await probe.isDropped(packet) { $0[8] ^= 0x01 }
    },
    Check(
      "SUM-04", .checksums, of: .both, "The reader resynchronizes after a wrong header",
      "After a wrong header the next packet is found, also in the same read.", .at("Link.md#bad-header", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data(Probe.unknownMessage.bytes)
      var damaged = packet.bytes
      damaged[8] ^= 0x01
      await probe.send(damaged + packet.bytes)
      try await probe.awaitAcknowledgement(packet.sequence)
    },
    Check(
      "SUM-05", .checksums, of: .both, "Noise is skipped",
      "Bytes between packets that belong to no packet are skipped, and the link continues.",
      .at("FieldBehavior.md#f14", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(Array(0x01...0x40))
      try await probe.stillWorks()
    },
    Check(
      "SUM-06", .checksums, of: .both, "A packet may arrive byte by byte",
      "A read may end anywhere: a packet in pieces of one byte is accepted.", .at("FieldBehavior.md#f15", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data(Probe.unknownMessage.bytes)
      for byte in packet.bytes { await probe.send([byte]) }
      try await probe.awaitAcknowledgement(packet.sequence)
    },
    Check(
      "SUM-07", .checksums, of: .both, "Several packets may arrive in one read",
      "One read may hold several packets, and all of them are processed.", .at("FieldBehavior.md#f15", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let count = await probe.theirs.maxOutstandingPackets > 1 ? 2 : 1
      var bytes: [UInt8] = []
      for _ in 0..<count { bytes += await probe.data(Probe.unknownMessage.bytes).bytes }
      await probe.send(bytes)
      try await probe.awaitAcknowledgement(await probe.sequence)
    },
    Check(
      "SUM-08", .checksums, of: .both, "An empty payload may have a checksum",
      "A packet of ten bytes, with an empty payload and its checksum 00, does not disturb the link.",
      .at("Link.md#empty-payload", .medium)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(LinkScanner.packetOfTen(sequence: await probe.sequence, await probe.lastInOrder))
      try await probe.stillWorks()
    },
    Check(
      "SUM-09", .checksums, of: .both, "An ACK may have a session id",
      "A pure ACK with a session id is processed: some cars send such packets.",
      .at("Link.md#ack-with-session", .medium)
    ) { probe throws(Stop) in
      try await probe.linkUp(Probe.usual.with { $0.retransmissionTimeout = 1000 })
      await probe.hold()
      try await probe.provoke()
      let data = try await probe.newData()
      let last = await probe.lastInOrder
      await probe.send(Packet(.acknowledge, sequence: await probe.sequence, acknowledgement: last, session: 2))
      try await probe.refuse("it retransmits an acknowledged packet", for: await probe.resendLimit) {
        $0.packet?.isData == true && $0.packet?.sequence == data.sequence
      }
      try await probe.stays()
    },
  ]
}

extension LinkScanner {
  fileprivate static func packetOfTen(sequence: SequenceNumber, _ acknowledgement: SequenceNumber) -> [UInt8] {
    let header: [UInt8] = [0xFF, 0x5A, 0, 10, 0x40, sequence.rawValue, acknowledgement.rawValue, 2]
    return header + [Checksum.complement(header.rawBytes), 0]
  }
}

extension Probe {
  /// The time in milliseconds within which a retransmission must arrive.
  var resendLimit: Int { Int(ours.retransmissionTimeout) + Timeouts.slack }

  /// Checks that the peer does not acknowledge the damaged packet, and acknowledges the correct one.
  func isDropped(_ packet: Packet, damage: (inout [UInt8]) -> Void) async throws(Stop) {
    var bytes = packet.bytes
    damage(&bytes)
    await send(bytes)
    try await refuse("it acknowledges a damaged packet", for: acknowledgementLimit) {
      $0.packet?.control.contains(.acknowledge) == true && $0.packet?.acknowledgement == packet.sequence
    }
    await send(packet)
    try await awaitAcknowledgement(packet.sequence)
  }
}
