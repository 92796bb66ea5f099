// swift-iap2 · Apache-2.0

import IAP2
import Testing

/// Both sides of captures/synthetic/worked-session.txt. Its bytes were written by hand from the public layouts, not by
/// this library's encoder.
@Suite struct WorkedSessionTests {
  static let offer: LinkSynchronization = {
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = 5
    offer.maxPacketLength = 2048
    offer.retransmissionTimeout = 1500
    offer.cumulativeAckTimeout = 73
    return offer
  }()

  static func bench(_ side: Side) -> Bench {
    var bench = Bench(side)
    bench.endpoint = Endpoint(
      side: side, preferences: LinkPreferences(offer: offer),
      firstSequence: SequenceNumber(side == .accessory ? 0x2B : 0x64))
    bench.endpoint.start(at: .zero)
    return bench
  }

  /// Makes the calls that lead to this record, if the endpoint does not send it by itself.
  static func act(_ bench: inout Bench, _ bytes: [UInt8]) throws {
    guard bytes[1] == 0x5A, bytes.count > 9, bytes[4] == 0x40 else {
      if bytes[1] == 0x5A, bytes[4] == 0x10 { bench.endpoint.close(at: bench.now) }
      return
    }
    let payload = Array(bytes[9..<(bytes.count - 1)])
    switch bytes[7] {
    case 1:
      try bench.endpoint.send(message: payload)
      // EA00 of the device and EA03 of the accessory open EA session 1.
      if payload[4] == 0xEA { try bench.endpoint.openExternalAccessory(1) }
    case 3:
      let data = Array(payload[2...])
      let taken = try bench.endpoint.sendExternalAccessory(1, unsafe data.span.bytes)
      #expect(taken == data.count)
    default:
      switch payload[1] {
      case 4: _ = try bench.endpoint.sendFile(Array("12345".utf8), type: 2)
      case 1: try bench.endpoint.acceptFile(payload[0])
      default: break
      }
    }
  }

  /// Plays one side and hands each record of the other side to `deliver`.
  static func play(_ side: Side, _ deliver: (inout Bench, [UInt8]) -> Void) throws -> Bench {
    var bench = bench(side)
    for record in try WireRecord.file("synthetic/worked-session.txt") {
      if record.from == side {
        try act(&bench, record.bytes)
        let sent = bench.sent()
        #expect(sent == [record.bytes])
      } else {
        deliver(&bench, record.bytes)
      }
    }
    return bench
  }

  @Test(arguments: Side.allCases) func eachSideSendsTheseBytes(side: Side) throws {
    let bench = try Self.play(side) { $0.receive($1) }
    let count = bench.events.count
    #expect(count == (side == .accessory ? 12 : 10))
    if case .violation = bench.events.first(where: { if case .violation = $0.event { true } else { false } })?.event {
      Issue.record("\(bench.events)")
    }
  }

  @Test(arguments: Side.allCases) func recordsSplitAtEveryByteMeanTheSame(side: Side) throws {
    let whole = try Self.play(side) { $0.receive($1) }
    let longest = try WireRecord.file("synthetic/worked-session.txt").map(\.bytes.count).max() ?? 0
    for cut in 1..<longest {
      let split = try Self.play(side) { bench, bytes in
        bench.receive(Array(bytes.prefix(cut)))
        bench.receive(Array(bytes.dropFirst(cut)))
      }
      #expect(split.events.map(\.bytes) == whole.events.map(\.bytes), "cut at \(cut)")
      #expect(split.events.count == whole.events.count, "cut at \(cut)")
    }
  }

  /// The peer's retransmission recovers a packet whose end was lost.
  @Test(arguments: Side.allCases) func recordsCutAtEveryByteAreRecovered(side: Side) throws {
    func messages(_ bench: Bench) -> [[UInt8]] {
      bench.events.filter { if case .message = $0.event { true } else { false } }.map(\.bytes)
    }
    let whole = messages(try Self.play(side) { $0.receive($1) })
    let longest = try WireRecord.file("synthetic/worked-session.txt").map(\.bytes.count).max() ?? 0
    for cut in 1..<longest {
      // An 8-bit checksum does not detect every error: the first 11 bytes of the SYN and the first 18 of its
      // retransmission form a valid SYN, about which the device negotiates.
      if side == .device, cut == 11 { continue }
      var bench = Self.bench(side)
      for record in try WireRecord.file("synthetic/worked-session.txt") {
        guard record.from != side else {
          try Self.act(&bench, record.bytes)
          _ = bench.sent()
          continue
        }
        let isReset = record.bytes[1] == 0x5A && record.bytes[4] == 0x10
        bench.receive(Array(record.bytes.prefix(cut)))
        guard cut < record.bytes.count, !isReset else { continue }
        bench.receive(record.bytes)
        bench.receive(record.bytes)
      }
      #expect(messages(bench) == whole, "cut at \(cut)")
    }
  }
}
