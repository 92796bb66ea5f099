// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

/// The deviations of real implementations, with and without each quirk.
@Suite struct QuirkTests {
  static func quirks(_ body: (inout EndpointQuirks) -> Void) -> EndpointQuirks {
    var quirks = EndpointQuirks()
    body(&quirks)
    return quirks
  }

  static func messages(_ events: [ProtocolEvent]) -> [UInt16] {
    events.compactMap { if case .message(let id, _) = $0 { id } else { nil } }
  }

  @Test(arguments: [(false, 0x60), (true, 0x20)] as [(Bool, UInt8)])
  func theListOfMissingPacketsHasBothForms(isBare: Bool, control: UInt8) {
    var bench = Bench.up(.accessory, quirks: Self.quirks { $0.sendsBareExtendedAcknowledge = isBare })
    bench.receive(packet(0x40, 0x43, 0x10, session: 1, message(0xAA00)))
    #expect(bench.sent() == [packet(control, 0x10, 0x40, [0x41, 0x42])])
  }

  @Test(arguments: [false, true]) func onlyTheFirstMessageOfAPacketIsRead(quirk: Bool) {
    var bench = Bench.up(.accessory, quirks: Self.quirks { $0.readsFirstMessageOnly = quirk })
    bench.receive(bench.data(message(0xAA05) + message(0x1D00)))
    bench.receive(bench.data(message(0x1D02)))
    #expect(Self.messages(bench.reported()) == (quirk ? [0xAA05, 0x1D02] : [0xAA05, 0x1D00, 0x1D02]))
  }

  @Test func aMessageOfTwoPacketsIsAFirstMessageToo() {
    var bench = Bench.up(.accessory, quirks: Self.quirks { $0.readsFirstMessageOnly = true })
    let long = message(0xAA02, [0, 8, 0, 0, 1, 2, 3, 4])
    bench.receive(bench.data(Array(long[..<9])))
    bench.receive(bench.data(Array(long[9...]) + message(0x1D00)))
    bench.receive(bench.data(message(0x1D02)))
    #expect(Self.messages(bench.reported()) == [0xAA02, 0x1D02])
  }

  @Test func messagesQueuedTogetherShareAPacket() throws {
    let offer = synchronization(32, 128)
    var packing = Bench.up(.device, offer: offer, quirks: Self.quirks { $0.packsMessages = true })
    var plain = Bench.up(.device, offer: offer)
    let long = message(0x4E09, [0, 104, 0, 0] + [UInt8](repeating: 0x61, count: 100))
    for bench in [0, 1] {
      for each in [message(0xAA05), message(0x1D00), long, message(0x1D02)] {
        if bench == 0 { try packing.endpoint.send(message: each) } else { try plain.endpoint.send(message: each) }
      }
    }
    func payloads(_ packets: [[UInt8]]) -> [[UInt8]] { packets.map { Array($0[9..<($0.count - 1)]) } }
    #expect(payloads(plain.sent()) == [message(0xAA05), message(0x1D00), long, message(0x1D02)])
    // The long message does not fit after the first two. The last message fits after the long one: 110 and 6 of 118
    // bytes.
    #expect(payloads(packing.sent()) == [message(0xAA05) + message(0x1D00), long + message(0x1D02)])
  }

  @Test func aMessageLongerThanAPacketIsStillCutWhenPacked() throws {
    var bench = Bench.up(.device, offer: synchronization(32, 64), quirks: Self.quirks { $0.packsMessages = true })
    let long = message(0x4E09, [0, 104, 0, 0] + [UInt8](repeating: 0x61, count: 100))
    for each in [message(0xAA05), long, message(0x1D02)] { try bench.endpoint.send(message: each) }
    let payloads = bench.sent().map { Array($0[9..<($0.count - 1)]) }
    #expect(payloads.allSatisfy { $0.count <= 54 })
    #expect(payloads.joined().elementsEqual(message(0xAA05) + long + message(0x1D02)))
  }

  @Test func messagesAboveTheRateResetTheLink() {
    var bench = Bench.up(
      .accessory, quirks: Self.quirks { $0.resetsAbove = MessageRate(messages: 2, milliseconds: 50) })
    // Two messages in 50 ms are accepted, however long this lasts.
    for step in 0..<10 {
      bench.now = MonotonicTime(nanoseconds: Int64(step) * 25_000_000)
      bench.receive(bench.data(message(0x4E09)))
    }
    #expect(Self.messages(bench.reported()).count == 10)
    bench.receive(bench.data(message(0x4E09)))
    let reported = bench.reported()
    #expect(Self.messages(reported) == [])
    #expect(reported.contains(.violation(.messagesTooFast)) && reported.contains(.linkDown(.reset)))
    // The accessory sends RST and restarts detection after its delay.
    #expect(bench.sent().contains { $0[4] == 0x10 })
    bench.expire()
    #expect(bench.sent() == [LinkScanner.detect])
  }
}
