// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let acknowledgement: [Check] = [
    Check(
      "ACK-01", .acknowledgement, of: .both, "A single packet is acknowledged in time",
      "A single data packet is acknowledged when the cumulative acknowledgement timeout has expired.",
      .at("Reliability.md#ack-when", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp(
        Probe.usual.with {
          $0.cumulativeAckTimeout = 200
          $0.maxCumulativeAcks = 8
        })
      let packet = await probe.data(Probe.unknownMessage.bytes)
      await probe.send(packet)
      try await probe.awaitAcknowledgement(packet.sequence, within: await probe.acknowledgementLimit)
    },
    Check(
      "ACK-02", .acknowledgement, of: .both, "Enough packets are acknowledged at once",
      "The number of received packets without an acknowledgement stays below the agreed maximum of cumulative acknowledgements: at the maximum, an acknowledgement follows without waiting for the timeout. A peer may acknowledge earlier.",
      .at("Reliability.md#ack-when", .high)
    ) { probe throws(Stop) in
      try await probe.slowAcknowledgements(3)
      // A peer may count from an earlier packet of its own (FieldBehavior.md#f33), so only the maximum is judged.
      for _ in 0..<6 {
        await probe.send(await probe.data(Probe.unknownMessage.bytes))
        try await probe.awaitFewer(than: 3)
      }
    },
    Check(
      "ACK-03", .acknowledgement, of: .both, "A maximum of one acknowledges each packet",
      "With a maximum of one cumulative acknowledgement, a packet is acknowledged at once.",
      .at("Reliability.md#ack-at-once", .low, "inferred")
    ) { probe throws(Stop) in
      try await probe.slowAcknowledgements(1)
      let packet = await probe.data(Probe.unknownMessage.bytes)
      await probe.send(packet)
      try await probe.awaitAcknowledgement(packet.sequence, within: Timeouts.slack)
    },
    Check(
      "ACK-04", .acknowledgement, of: .both, "A data packet carries an acknowledgement",
      "A data packet acknowledges all packets that were received in order.",
      .at("Reliability.md#ack-cumulative", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let question: Message
      if probe.side == .device {
        question = Message(RequestAuthenticationCertificate.id)
      } else {
        do throws(Stop) { try await probe.serve(until: RequestAuthenticationCertificate.id) } catch {
          throw error.before("it sends no request")
        }
        question = Message(AuthenticationCertificate.id, [(0, try await probe.certificate())])
      }
      try await probe.send(question)
      let number = await probe.sequence
      let data = try await probe.newData()
      guard data.acknowledgement == number else {
        throw .failed(
          "the answer acknowledges \(data.acknowledgement.text), but the request has sequence number \(number.text)")
      }
    },
    Check(
      "ACK-05", .acknowledgement, of: .both, "A packet after a gap is not acknowledged",
      "An acknowledgement names the last packet in order, never a packet after a gap.",
      .at("Reliability.md#ack-cumulative", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let first = await probe.data(Probe.unknownMessage.bytes)
      let second = await probe.data(Probe.unknownMessage.bytes)
      await probe.send(second)
      try await probe.refuse("it acknowledges a packet after a gap") { observation in
        guard let packet = observation.packet, packet.control.contains(.acknowledge) else { return false }
        return packet.acknowledgement == first.sequence || packet.acknowledgement == second.sequence
      }
      try await probe.stays()
    },
    Check(
      "ACK-06", .acknowledgement, of: .both, "An ACK ends retransmission",
      "An acknowledged packet is not retransmitted, except as a probe of a peer whose end is suspected. The check lasts a few seconds, which are no reason to suspect an end.",
      .at("Reliability.md#acknowledged-not-resent", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp(Probe.usual.with { $0.retransmissionTimeout = 1000 })
      await probe.hold()
      try await probe.provoke()
      let data = try await probe.newData()
      await probe.acknowledge()
      try await probe.refuse("it retransmits an acknowledged packet", for: await probe.resendLimit) {
        $0.packet?.isData == true && $0.packet?.sequence == data.sequence
      }
      try await probe.stays()
    },
    Check(
      "ACK-07", .acknowledgement, of: .both, "A received ACK uses no sequence number",
      "Pure ACKs do not advance the receiver's expected sequence number: the next data packet still has the next number.",
      .at("Reliability.md#sequence-owners", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      for _ in 0..<3 { await probe.acknowledge() }
      try await probe.stillWorks()
    },
    Check(
      "ACK-08", .acknowledgement, of: .both, "Old acknowledgements are ignored",
      "A repeated acknowledgement of an earlier packet has no effect.",
      .at("Reliability.md#ack-old", .low, "inferred")
    ) { probe throws(Stop) in
      try await probe.linkUp()
      let old = await probe.lastInOrder
      try await probe.provoke()
      _ = try await probe.newData()
      await probe.acknowledge(old)
      try await probe.stillWorks()
    },
    Check(
      "ACK-09", .acknowledgement, of: .both, "An idle link repeats nothing",
      "On an idle link, an acknowledged packet is not sent again, for example as a sign of life.",
      .at("Reliability.md#acknowledged-not-resent", .high), .recommended
    ) { probe throws(Stop) in
      try await probe.session()
      // The packets that follow a session's setup.
      _ = await probe.watch(Timeouts.quiet)
      try await probe.refuseRepeats("it sends an acknowledged packet again on an idle link", for: 10_000)
      try await probe.stays()
    },
  ]
}

extension Probe {
  /// Waits until fewer packets than this number are without an acknowledgement.
  func awaitFewer(than count: Int) async throws(Stop) {
    let missing = sequence.distance(from: acknowledged)
    guard missing >= count else { return }
    let needed = acknowledged.advanced(by: missing - count + 1)
    do throws(Stop) { try await awaitAcknowledgement(needed, within: Timeouts.slack) } catch {
      throw .failed(
        "\(count) packets are without an acknowledgement, with a maximum of \(ours.maxCumulativeAcks): \(error.reason)")
    }
  }

  /// Sets up a link whose maximum of cumulative acknowledgements takes effect long before the timeout.
  func slowAcknowledgements(_ count: UInt8) async throws(Stop) {
    try await linkUp(
      Probe.usual.with {
        $0.retransmissionTimeout = 8000
        $0.cumulativeAckTimeout = 4000
        $0.maxCumulativeAcks = count
      })
    guard ours.cumulativeAckTimeout >= 2500, ours.maxCumulativeAcks == count else {
      throw .inconclusive(
        "the link agreed on \(ours.cumulativeAckTimeout) ms and \(ours.maxCumulativeAcks) packets, whose effects cannot be distinguished"
      )
    }
    guard theirs.maxOutstandingPackets >= count else {
      throw .notApplicable("its window is \(theirs.maxOutstandingPackets) packets")
    }
    // Receive the remaining packets of the handshake.
    _ = await watch(300)
  }
}
