// swift-iap2 · Apache-2.0

import IAP2

extension Check {
  static let detect: [Check] = [
    Check(
      "DET-01", .detect, of: [.accessory], "The head unit sends first",
      "An accessory sends the detect sequence when the transport is open, no matter which side opened it.",
      .at("Link.md#detect-accessory-first", .high)
    ) { probe throws(Stop) in
      try await probe.expect("detect sequence", within: probe.timeouts.begin) { $0.unit == .detect ? () : nil }
    },
    Check(
      "DET-02", .detect, of: [.accessory], "Detection is repeated",
      "An accessory repeats the detect sequence until it is echoed.", .at("Link.md#detect-repeat", .high)
    ) { probe throws(Stop) in
      try await probe.expect("detect sequence", within: probe.timeouts.begin) { $0.unit == .detect ? () : nil }
      for _ in 0..<2 {
        try await probe.expect("further detect sequence") { $0.unit == .detect ? () : nil }
      }
    },
    Check(
      "DET-03", .detect, of: [.device], "The phone waits",
      "A device sends nothing before it has received the detect sequence.",
      .at("Link.md#detect-device-silent", .high, "real devices wait, and only two emulated devices differ")
    ) { probe throws(Stop) in
      try await probe.refuse("it sent first", for: 3000) { $0.unit != .end }
      try await probe.stays()
    },
    Check(
      "DET-04", .detect, of: [.device], "The phone echoes",
      "A device answers the detect sequence with the same six bytes.", .at("Link.md#detect-echo", .high)
    ) { probe throws(Stop) in try await probe.detect() },
    Check(
      "DET-05", .detect, of: [.device], "Each detect sequence is echoed",
      "A device echoes every detect sequence that it receives before a SYN.",
      .at("Link.md#detect-echo-every", .low, "recommended"), .recommended
    ) { probe throws(Stop) in
      for _ in 0..<3 {
        await probe.send(LinkScanner.detect)
        try await probe.expect("echo of each detect sequence") { $0.unit == .detect ? () : nil }
      }
    },
    Check(
      "DET-06", .detect, of: [.accessory], "The echo leads to a SYN",
      "After the echo of its detect sequence, an accessory sends a SYN.", .at("Link.md#handshake", .high)
    ) { probe throws(Stop) in
      try await probe.detect()
      _ = try await probe.awaitOffer()
    },
    Check(
      "DET-07", .detect, of: .both, "Stray detect sequences are skipped",
      "Detect sequences that arrive while the link is up are skipped, also several at once.",
      .at("FieldBehavior.md#f14", .high)
    ) { probe throws(Stop) in
      try await probe.linkUp()
      await probe.send(LinkScanner.detect + LinkScanner.detect)
      try await probe.stillWorks()
    },
    Check(
      "DET-08", .detect, of: [.device], "A SYN may come with the detect sequence",
      "A device accepts a SYN that an accessory sends together with its detect sequence, without waiting for the echo.",
      .at("Link.md#detect-optimistic-everywhere", .low, "inferred from the AirPlay tunnel")
    ) { probe throws(Stop) in
      let offer = Packet(.synchronize, sequence: await probe.sequence, payload: Probe.usual.bytes)
      await probe.send(LinkScanner.detect + offer.bytes)
      try await probe.expect("SYN+ACK") { $0.packet?.isAnswer == true ? () : nil }
    },
  ]
}
