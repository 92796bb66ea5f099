// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import IAP2Transport
import Testing

@testable import IAP2Simulation

@Suite struct SoakTests {
  /// Runs one cycle of a phone with a head unit that serves EA sessions by `serve`.
  private static func cycle(
    maxPacketLength: UInt16, serve: @escaping @Sendable (ExternalAccessoryStream) async -> Void
  ) throws {
    try VirtualTime.run { clock in
      var options = RoleOptions()
      options.clock = clock
      options.preferences.offer.maxPacketLength = maxPacketLength
      let headUnit = HeadUnit(profile: .standard(protocols: [Soak.protocolName]), options: options)
      await headUnit.serve(Soak.protocolName, serve)
      let phone = Phone(options: options)
      let ends = MemoryTransport.pair()
      let log = SoakLog(clock: clock)
      async let follow: Void = log.follow(phone.events)
      async let other = headUnit.run(on: ends.accessory)
      defer {
        ends.accessory.cut()
        headUnit.finish()
        phone.finish()
      }
      try await Soak.cycle(phone, log, on: ends.device, exchange: Soak.protocolName)
      _ = await other
      phone.finish()
      await follow
    }
  }

  @Test(arguments: [128, 4096, 65535] as [UInt16])
  func sequenceNumbersWrapForAnyPacketLength(maxPacketLength: UInt16) throws {
    try Self.cycle(maxPacketLength: maxPacketLength) { stream in
      while let bytes = await stream.read() { do { try await stream.write(bytes) } catch { return } }
    }
  }

  @Test func theWaitForASilentPeerIsBounded() {
    #expect(throws: Soak.Problem.wrongBytes(right: 0, of: Soak.exchangeByteCount)) {
      try Self.cycle(maxPacketLength: 4096) { stream in while await stream.read() != nil {} }
    }
  }

  @Test func sequenceNumbersWrapAfterBothSidesHaveSentMoreThan256() async throws {
    let watch = SequenceChecker(MemoryTransport.pair().device)
    func send(_ number: Int, acknowledging: Int) async throws {
      try await watch.send([
        0xFF, 0x5A, 0, 9, 0x40, UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: acknowledging), 0, 0,
      ])
    }
    for number in 0...255 {
      try await send(200 + number, acknowledging: 100 + number)
      // A retransmission of this packet and of the previous one.
      try await send(200 + number, acknowledging: 100 + number)
      try await send(199 + number, acknowledging: 99 + number)
    }
    #expect(!watch.hasWrapped)
    try await send(456, acknowledging: 355)
    #expect(!watch.hasWrapped)
    try await send(456, acknowledging: 356)
    #expect(watch.hasWrapped)
  }
}
