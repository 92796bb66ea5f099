// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let windows: [Check] = [
    Check(
      "WIN-01", .windows, of: .both, "Sequence numbers are consecutive",
      "The first data packet has the sequence number after that of the SYN or SYN+ACK, and each further packet has the next one.",
      .at("Reliability.md#first-data", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let before = await probe.lastInOrder
      try await probe.provoke()
      let data = try await probe.newData()
      guard data.sequence == before.next else {
        throw .failed("sequence number \(data.sequence.text) follows \(before.text)")
      }
      do throws(Stop) { try await probe.ready() } catch {
        throw .failed("later sequence numbers are not consecutive: \(error.reason)")
      }
    },
    Check(
      "WIN-02", .windows, of: .both, "An ACK uses no sequence number",
      "A pure ACK has nine bytes and session 0, and the next data packet has the sequence number that it would have without it.",
      .at("Reliability.md#pure-ack", .high)
    ) { probe throws(Stop) in
      let reply = try await probe.pureAcknowledgement()
      guard reply.session == 0 else { throw .failed("its ACK is on session \(reply.session)") }
      let last = await probe.lastInOrder
      try await probe.provokeAgain()
      let data = try await probe.newData()
      guard data.sequence == last.next else {
        throw .failed("after an ACK, sequence number \(data.sequence.text) follows \(last.text)")
      }
    },
    Check(
      "WIN-03", .windows, of: .both, "Data packets have the ACK bit", "Every data packet has the ACK bit.",
      .at("Reliability.md#data-has-ack", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      try await probe.provoke()
      let data = try await probe.newData()
      guard data.control.contains(.acknowledge) else {
        throw .failed("a data packet has control byte \(hexadecimal(data.control.rawValue))")
      }
    },
    Check(
      "WIN-04", .windows, of: .both, "The window is respected",
      "The number of unacknowledged packets is at most the window that the receiver declared.",
      .at(
        "Reliability.md#window", .high,
        "the receiver drops what exceeds its window; two implementations exceed it by one")
    ) { probe throws(Stop) in
      try await probe.flood(window: 2)
      _ = await probe.watch(Timeouts.quiet)
      let packets = await probe.heldPackets
      guard packets.count <= 2 else { throw .failed("it sent \(packets.count) packets into a window of 2") }
      guard packets.count == 2 else {
        throw .inconclusive("it sent \(packets.count) packet into a window of 2, so it had no reason to wait")
      }
      try await probe.stays()
    },
    Check(
      "WIN-05", .windows, of: .both, "An acknowledgement opens the window",
      "After an acknowledgement, the waiting packets are sent.", .at("Reliability.md#window-opens", .high)
    ) { probe throws(Stop) in
      try await probe.flood(window: 1)
      let first = await probe.lastInOrder
      await probe.acknowledge()
      // A peer that has ignored the window may have sent it before.
      try await probe.expect("further packet after the acknowledgement") { observation in
        observation.packet.flatMap { $0.isData && $0.sequence == first.next ? () : nil }
      }
    },
    Check(
      "WIN-06", .windows, of: .both, "A packet out of order is kept",
      "A packet out of order within the receiver's window is kept: only the missing packet must be retransmitted.",
      .at("Reliability.md#out-of-order", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      guard await probe.theirs.maxOutstandingPackets > 1 else { throw .notApplicable("its window is one packet") }
      let first = await probe.data(Probe.unknownMessage.bytes)
      let second = await probe.data(Probe.unknownMessage.bytes)
      await probe.send(second)
      await probe.send(first)
      try await probe.awaitAcknowledgement(second.sequence)
    },
    Check(
      "WIN-07", .windows, of: .both, "A duplicate is acknowledged",
      "A packet that was received before is acknowledged at once.", .at("Reliability.md#duplicate", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let packet = await probe.data(Probe.unknownMessage.bytes)
      await probe.send(packet)
      try await probe.awaitAcknowledgement(packet.sequence)
      _ = await probe.watch(500)
      await probe.send(packet)
      try await probe.expect("acknowledgement of a duplicate") { observation in
        observation.packet.flatMap {
          $0.control.contains(.acknowledge) && $0.acknowledgement == packet.sequence ? () : nil
        }
      }
    },
    Check(
      "WIN-08", .windows, of: .both, "A duplicate is not delivered",
      "A packet that arrives twice is processed once: its request gets one answer.",
      .at("Reliability.md#duplicate", .high)
    ) { probe throws(Stop) in
      let question: Message
      let answer: UInt16
      if probe.side == .device {
        try await probe.linkUp()
        (question, answer) = (Message(RequestAuthenticationCertificate.id), AuthenticationCertificate.id)
      } else {
        let (feature, attributes, _) = try await probe.reportedFeature()
        (question, answer) = (feature.start([attributes[0]]), feature.update)
      }
      let packet = await probe.data(question.bytes)
      await probe.send(packet)
      let first: Message
      do throws(Stop) { first = try await probe.message(answer) } catch {
        throw error.before("the request has no answer")
      }
      _ = await probe.messages(for: 500)
      await probe.send(packet)
      // Values that change, such as the elapsed time, come unsolicited.
      let again = await probe.messages(for: Timeouts.quiet).filter { $0 == first }
      guard again.isEmpty else { throw .failed("it sends \(hexadecimal(answer)) twice") }
      try await probe.stays()
    },
    Check(
      "WIN-09", .windows, of: .both, "Sequence numbers wrap",
      "Sequence number 00 follows FF, in both directions.", .at("Reliability.md#sequence-range", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp(sequence: SequenceNumber(0xFC))
      for _ in 0..<6 {
        let packet = await probe.data(Probe.unknownMessage.bytes)
        await probe.send(packet)
        try await probe.awaitAcknowledgement(packet.sequence)
      }
    },
    Check(
      "WIN-10", .windows, of: .both, "A packet beyond the window is dropped",
      "A packet beyond the receiver's window is not accepted, and the link continues.",
      .at("Reliability.md#beyond-window", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let window = Int(await probe.theirs.maxOutstandingPackets)
      guard window < 100 else {
        throw .notApplicable("its window of \(window) is too large for sequence numbers beyond it")
      }
      var packet = await probe.data(Probe.unknownMessage.bytes)
      let next = packet.sequence
      packet.sequence = packet.sequence.advanced(by: window + 5)
      let far = packet.sequence
      await probe.send(packet)
      try await probe.refuse("it acknowledges a packet beyond the window") { $0.packet?.acknowledgement == far }
      packet.sequence = next
      await probe.send(packet)
      try await probe.awaitAcknowledgement(next)
    },
    Check(
      "WIN-11", .windows, of: .both, "The number in an ACK is the last or the next",
      "The sequence number of a pure ACK is that of the sender's last packet or the one after it. A receiver ignores it.",
      .at("Reliability.md#pure-ack-sequence", .high, "a real accessory sends the next, a real device the last"),
      .observed
    ) { probe throws(Stop) in
      let reply = try await probe.pureAcknowledgement()
      let last = await probe.lastInOrder
      guard [last, last.next].contains(reply.sequence) else {
        throw .failed("its ACK has sequence number \(reply.sequence.text), but its last packet has \(last.text)")
      }
    },
  ]
}

extension Probe {
  /// Sets up a link and returns the pure ACK with which the peer answers a data packet after one of its own.
  fileprivate func pureAcknowledgement() async throws(Stop) -> Packet {
    try await linkUp()
    try await provoke()
    _ = try await newData()
    let packet = data(Probe.unknownMessage.bytes)
    await send(packet)
    return try await expect("pure ACK") { observation in
      observation.packet.flatMap { $0.isPureAcknowledgement && $0.acknowledgement == packet.sequence ? $0 : nil }
    }
  }
}
