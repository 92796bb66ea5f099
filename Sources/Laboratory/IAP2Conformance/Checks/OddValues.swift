// swift-iap2 · Apache-2.0

import IAP2

// Link parameters that real peers send, and the limits of the allowed ranges.
extension Check {
  static let oddValues: [Check] = [
    Check(
      "VAL-01", .negotiation, of: .both, "A long acknowledgement timeout is not refused",
      "A cumulative acknowledgement timeout above the retransmission timeout is accepted: a real printer offers 4169 ms with a retransmission timeout of 1500 ms.",
      .at("Link.md#lsp-ranges-broken", .medium)
    ) { probe throws(Stop) in
      try await probe.takes {
        $0.maxOutstandingPackets = 5
        $0.maxPacketLength = 1007
        $0.cumulativeAckTimeout = 4169
        $0.maxRetransmissions = 3
      }
    },
    Check(
      "VAL-02", .negotiation, of: .both, "A window of one is enough",
      "A peer works with a side that accepts one packet at a time.", .at("Link.md#window-of-one", .high)
    ) { probe throws(Stop) in
      try await probe.takes {
        $0.maxOutstandingPackets = 1
        $0.maxCumulativeAcks = 1
      }
    },
    Check(
      "VAL-03", .negotiation, of: .both, "Packets of 24 bytes are enough",
      "A peer works with a side that accepts packets of 24 bytes, the smallest allowed length: it sends none that is longer.",
      .at("Link.md#smallest-length", .medium, "the receiver drops longer packets; one implementation sends them")
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      do throws(Stop) {
        try await probe.finishNegotiation(Probe.usual.with { $0.maxPacketLength = 24 })
        try await probe.longAnswer()
      } catch { throw .failed(error.reason) }
      let largest = await probe.largestByteCount
      guard largest <= 24 else { throw .failed("it sent a packet of \(largest) bytes; the declared length is 24") }
      guard await probe.lastAnswer != nil else { throw .failed(await probe.missingAnswer(24)) }
    },
    Check(
      "VAL-04", .negotiation, of: .both, "The largest values are accepted",
      "A window of 127 packets and packets of 65535 bytes, as a real camera and a real phone declare them, are accepted.",
      .at("Link.md#largest-values", .high)
    ) { probe throws(Stop) in
      try await probe.takes {
        $0.maxOutstandingPackets = 127
        $0.maxPacketLength = 65_535
      }
    },
    Check(
      "VAL-05", .negotiation, of: .both, "No cumulative acknowledgements",
      "A maximum of zero cumulative acknowledgements is accepted.", .at("FieldBehavior.md#f13", .high)
    ) { probe throws(Stop) in
      try await probe.takes {
        $0.maxCumulativeAcks = 0
        $0.cumulativeAckTimeout = 0
      }
    },
    Check(
      "VAL-06", .negotiation, of: [.device], "Zero acknowledgement is all or nothing",
      "An offer without retransmission has both timeouts and both counts at zero. In the answer all four are zero, or neither the retransmission timeout nor the retransmission count is.",
      .at("Link.md#zero-ack-values", .medium)
    ) { probe throws(Stop) in
      try await probe.detectFirst()
      let offer = Probe.usual.with {
        $0.retransmissionTimeout = 0
        $0.cumulativeAckTimeout = 0
        $0.maxRetransmissions = 0
        $0.maxCumulativeAcks = 0
      }
      guard let answer = try await probe.offer(offer).proposal else { throw .failed("the SYN+ACK cannot be read") }
      let isNormal = answer.retransmissionTimeout > 0 && answer.maxRetransmissions > 0
      guard answer.isZeroAcknowledgement || isNormal else {
        throw .failed(
          "retransmission after \(answer.retransmissionTimeout) ms, \(answer.maxRetransmissions) times; acknowledgement "
            + "after \(answer.cumulativeAckTimeout) ms or \(answer.maxCumulativeAcks) packets")
      }
    },
    Check(
      "VAL-07", .negotiation, of: [.device], "An unknown session type is tolerated",
      "A device may remove a session of an unknown type, and accepts the others.",
      .at("Link.md#unknown-session-type", .low, "inferred from the shortened list")
    ) { probe throws(Stop) in
      try await probe.takes { $0.sessions.append(LinkSession(id: 20, type: LinkSessionType(rawValue: 9), version: 1)) }
    },
    Check(
      "VAL-08", .negotiation, of: .both, "Any first sequence number is accepted",
      "The first sequence number is arbitrary, also FF followed by 00.", .at("Reliability.md#sequence-range", .high)
    ) { probe throws(Stop) in
      await probe.begin(at: SequenceNumber(0xFF))
      try await probe.takes { _ in }
    },
  ]
}

extension Probe {
  func begin(at number: SequenceNumber) { sequence = number }

  /// Checks that the peer sets up a link with these link parameters or with a counter-offer, and that it sends data.
  func takes(_ change: @Sendable (inout LinkSynchronization) -> Void) async throws(Stop) {
    try await detectFirst()
    do throws(Stop) {
      try await finishNegotiation(Probe.usual.with(change))
      try await provoke()
      _ = try await newData()
    } catch { throw .failed(error.reason) }
  }
}
