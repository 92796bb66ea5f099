// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing

@Suite struct PairTests {
  static func pair(conditions: LinkConditions = .perfect, seed: UInt64 = 1) -> Pair {
    Pair(
      accessory: Endpoint(side: .accessory), device: Endpoint(side: .device, firstSequence: SequenceNumber(0x64)),
      conditions: conditions, seed: seed)
  }

  static func message(_ number: Int) -> [UInt8] {
    let payload = (0..<8).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    return [0x40, 0x40, 0, 14, 0x4E, 0x09] + payload
  }

  @Test func aLinkComesUpOnAPerfectTransport() {
    var pair = Self.pair()
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    #expect(
      pair.wire.prefix(2).map(\.bytes) == [
        [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10], [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10],
      ])
    #expect(pair.violations.isEmpty)
  }

  @Test(arguments: 1...60) func messagesArriveOnceAndInOrderOnAFaultyTransport(seed: UInt64) throws {
    var pair = Self.pair(conditions: .rough(0.08), seed: seed)
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up, "seed \(seed)")
    let sent = (0..<100).map(Self.message)
    for message in sent {
      try pair.accessory.send(message: message)
      try pair.device.send(message: message)
    }
    pair.flush()
    func received(_ pair: Pair, _ side: Side) -> [[UInt8]] {
      pair.observed[side]!.filter { if case .message = $0.event { true } else { false } }.map(\.bytes)
    }
    let done = pair.run { received($0, .accessory).count >= 100 && received($0, .device).count >= 100 }
    #expect(done, "seed \(seed)")
    #expect(received(pair, .accessory) == sent, "seed \(seed)")
    #expect(received(pair, .device) == sent, "seed \(seed)")
    #expect(pair.violations.isEmpty, "seed \(seed)")
  }

  @Test func aPulledCableEndsInTheRetransmissionLimit() throws {
    var pair = Self.pair()
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    pair.isCut = true
    try pair.accessory.send(message: Self.message(1))
    pair.flush()
    let ended = pair.run {
      $0.observed[.accessory]!.contains { $0.event == .linkDown(.retransmissionLimit) }
    }
    #expect(ended)
    // 31 sends of the packet, which include 30 retransmissions, then RST.
    #expect(pair.wire.filter { $0.from == .accessory && $0.bytes.count == 24 }.count == 31)
    #expect(pair.wire.last(where: { $0.from == .accessory })?.bytes[4] == 0x10)
  }
}
