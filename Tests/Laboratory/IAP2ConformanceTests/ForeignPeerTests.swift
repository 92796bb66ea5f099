// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance
import IAP2Runtime
import IAP2Transport
import Testing

/// Tests of checks that were wrong about other implementations and about a real accessory: each passes a peer that
/// behaves like them, and fails one that breaks the requirement in their way.
struct ForeignPeerTests {
  @Test(arguments: Side.allCases)
  func `a peer that acknowledges two of three packets passes ACK-02`(side: Side) throws {
    // It acknowledges after two packets, so a third one waits for the timeout of 4 s.
    let early = Tamper.values(receives: { $0.maxCumulativeAcks = 2 }, sends: { $0.maxCumulativeAcks = 3 })
    try #expect(verdict("ACK-02", side, early) == .pass)
    let late = Tamper.values(receives: { $0.maxCumulativeAcks = 4 }, sends: { $0.maxCumulativeAcks = 3 })
    try #expect(verdict("ACK-02", side, late).kind == .fail)
  }

  @Test(arguments: Side.allCases)
  func `three packets in a window of two fail WIN-04`(side: Side) throws {
    let wide = Tamper.values(receives: { $0.maxOutstandingPackets += 1 })
    try #expect(verdict("WIN-04", side, wide) == .fail(reason: "it sent 3 packets into a window of 2"))
    try #expect(verdict("WIN-04", side, Tamper()) == .pass)
  }

  @Test(arguments: Side.allCases)
  func `packets of 34 bytes where 24 were declared fail VAL-03`(side: Side) throws {
    let long = Tamper.values(receives: { $0.maxPacketLength += 10 })
    let reason = "it sent a packet of 34 bytes; the declared length is 24"
    try #expect(verdict("VAL-03", side, long) == .fail(reason: reason))
    try #expect(verdict("VAL-03", side, Tamper()) == .pass)
  }

  /// A peer that resets the link instead of splitting a message.
  private static let doesNotSplit = Tamper.dies { memory, unit in
    guard let packet = unit.packet else { return false }
    if let proposal = packet.proposal, proposal.maxPacketLength < 100 { _ = memory.count("short") }
    return memory.counts["short"] != nil && [0xAA00, 0xAA01].contains(packet.messageID)
  }

  @Test(arguments: Side.allCases)
  func `a peer that does not split messages fails only the checks of short packets`(side: Side) throws {
    for id in ["WIN-04", "WIN-05", "EAK-02", "EAK-03", "EAK-04"] {
      try #expect(verdict(id, side, Self.doesNotSplit) == .pass, "\(id)")
    }
    for id in ["FRA-04", "VAL-03"] {
      let verdict = try verdict(id, side, Self.doesNotSplit)
      #expect(verdict.kind == .fail && verdict.reason?.contains("ended the link") == true, "\(id): \(verdict)")
    }
    let unmeasured = try verdict("FRA-03", side, Self.doesNotSplit)
    #expect(unmeasured.kind == .inconclusive || unmeasured == .pass, "\(unmeasured)")
  }

  @Test func `a certificate that fits into a packet says nothing about splitting`() throws {
    // A whole message 0xAA01 with a certificate of 17 bytes, as BRIDGE's accessory sends it; what follows is no message.
    let message: [UInt8] = [0x40, 0x40, 0, 27, 0xAA, 0x01, 0, 21, 0, 0] + [UInt8](repeating: 0x46, count: 17)
    let short = Tamper.sends { _, packet in
      guard packet.isData else { return [packet] }
      return [packet.changed { $0.payload = packet.messageID == 0xAA01 ? message : [0] }]
    }
    let reason = "its certificate of 17 bytes fits into one packet of 64"
    try #expect(verdict("FRA-04", .accessory, short) == .inconclusive(reason: reason))
  }

  @Test(arguments: Side.allCases)
  func `a peer that dies while packets wait is not judged about EAK`(side: Side) throws {
    // It resets the link at the first request of several.
    let dies = Tamper.dies { memory, unit in
      guard unit.packet?.messageID == 0x1D00 || unit.packet?.messageID == 0x1D01 else { return false }
      return memory.count("identification") == 1
    }
    for id in ["WIN-04", "WIN-05", "EAK-02", "EAK-03", "EAK-04"] {
      let verdict = try verdict(id, side, dies)
      #expect(verdict.kind == .inconclusive, "\(id): \(verdict)")
    }
  }

  @Test(arguments: ["NEG-04", "WIN-02", "WIN-11"])
  func `an ACK may have the next sequence number or the last`(id: String) throws {
    let next = Tamper.sends { _, packet in
      packet.isPureAcknowledgement ? [packet.changed { $0.sequence = $0.sequence.next }] : [packet]
    }
    try #expect(verdict(id, .accessory, next) == .pass)
    try #expect(verdict(id, .accessory, Tamper()) == .pass)
  }

  @Test
  func `an accessory without a serial number is not judged about it`() throws {
    let verdict = try verdict("AUT-08", .accessory, .sends { _, packet in packet.messageID == 0xAA06 ? [] : [packet] })
    #expect(verdict.kind == .notApplicable)
    try #expect(self.verdict("AUT-08", .accessory, .ignores(0xAA00)).kind == .fail)
  }

  @Test
  func `an unlisted EA03 passes IDN-10, another unlisted message does not`() throws {
    try #expect(verdict("IDN-10", .accessory, .blurts(Message(0xEA03, [(0, [0, 1]), (1, [1])]), on: 0x1D02)) == .pass)
    try #expect(verdict("IDN-10", .accessory, .blurts(Message(0x6805), on: 0x1D02)).kind == .fail)
  }

  @Test(arguments: ["EAP-01", "EAP-02", "EAP-04"])
  func `an accessory that sends EA03 unlisted is checked, and one that sends none is not judged`(id: String) throws {
    @Sendable func unlisted(_ packet: Packet) -> Packet {
      guard packet.messageID == 0x1D01 else { return packet }
      let message = Message(packet.payload)
      let list = message.list(6).filter { $0 != 0xEA03 }.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
      return packet.changed {
        $0.payload = Message(0x1D01, message.parameters.map { $0.id == 6 ? ($0.id, list) : $0 }).bytes
      }
    }
    try #expect(verdict(id, .accessory, .sends { _, packet in [unlisted(packet)] }) == .pass)
    let silent = Tamper.sends { _, packet in
      packet.messageID == 0xEA03 ? [packet.changed { $0.payload = Message(0x0BAD).bytes }] : [unlisted(packet)]
    }
    try #expect(verdict(id, .accessory, silent).kind == .notApplicable)
  }

  @Test(arguments: Side.allCases)
  func `the Setup of UNK-04 has a size and a type`(side: Side) throws {
    // The peer ignores a Setup without a type.
    let strict = Tamper.receives { _, packet in
      packet.isData && packet.messageID == nil && packet.payload.count < 12 ? [] : [packet]
    }
    try #expect(verdict("UNK-04", side, strict) == .pass)
  }

  @Test(arguments: ["WIN-08", "SUB-02", "SUB-03"])
  func `a phone that reports no power is checked with another feature`(id: String) throws {
    try #expect(verdict(id, .device, .ignores(0xAE00)) == .pass)
    let none = Tamper.receives { _, packet in
      guard [0xAE00, 0x4157, 0x5000].contains(packet.messageID) else { return [packet] }
      return [packet.changed { $0.payload = Message(0x0BAD).bytes }]
    }
    try #expect(verdict(id, .device, none).kind == .notApplicable)
  }

  @Test(arguments: ["SUB-02", "SUB-03"])
  func `a phone without power that reports too much fails`(id: String) throws {
    let chatty = Tamper(
      sends: { _, unit in
        guard case .packet(var packet) = unit, packet.messageID == 0x4158 else { return [unit] }
        packet.payload = Message(0x4158, Message(packet.payload).parameters + [(12, [1])]).bytes
        return [.packet(packet)]
      },
      receives: { memory, unit in
        guard case .packet(var packet) = unit, packet.messageID == 0xAE00 else { return Tamper.Received(units: [unit]) }
        packet.payload = Message(0x0BAD).bytes
        return Tamper.Received(units: [.packet(packet)])
      })
    try #expect(verdict(id, .device, chatty).kind == .fail)
  }

  @Test(arguments: Side.allCases)
  func `ACK-09 sees a packet that is sent again on an idle link`(side: Side) throws {
    let verdict = try verdict("ACK-09", side, Tamper(repeatsAfterMilliseconds: 6000))
    #expect(verdict.reason?.hasPrefix("it sends an acknowledged packet again on an idle link: data") == true)
    try #expect(self.verdict("ACK-09", side, Tamper()) == .pass)
  }

  private func verdict(_ id: String, _ side: Side, _ tamper: Tamper) throws -> Verdict {
    let check = try #require(Check.all(of: side).first { $0.id == id })
    let outcomes = try VirtualTime.run { time in
      try await Suite(of: side, [check]).run(TamperedTransport.peer(side, tamper, clock: time))
    }
    return try #require(outcomes.first).verdict
  }
}
