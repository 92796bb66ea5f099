// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

@Suite struct ExternalAccessoryTests {
  /// Returns two connected sides with EA sessions 1 and 2 open.
  static func up(limits: Limits = Limits(), conditions: LinkConditions = .perfect, seed: UInt64 = 1) throws -> Pair {
    var pair = Pair(
      accessory: Endpoint(side: .accessory, limits: limits), device: Endpoint(side: .device, limits: limits),
      conditions: conditions, seed: seed)
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    for id in [1, 2] as [UInt16] {
      try pair.accessory.openExternalAccessory(id)
      try pair.device.openExternalAccessory(id)
    }
    return pair
  }

  static func received(_ pair: Pair, _ side: Side, session: UInt16) -> [UInt8] {
    pair.observed[side]!.flatMap { observed -> [UInt8] in
      if case .externalAccessoryData(session, _) = observed.event { observed.bytes } else { [] }
    }
  }

  @Test(arguments: 1...20) func bothSessionsArriveWholeOnAFaultyTransport(seed: UInt64) throws {
    var pair = try Self.up(conditions: .rough(0.05), seed: seed)
    let sent: [UInt16: [UInt8]] = [1: FileTransferTests.file(50_000), 2: FileTransferTests.file(30_001)]
    for (id, bytes) in sent {
      let taken = try pair.device.sendExternalAccessory(id, unsafe bytes.span.bytes)
      #expect(taken == bytes.count)
    }
    pair.flush()
    let done = pair.run { pair in sent.allSatisfy { Self.received(pair, .accessory, session: $0).count >= $1.count } }
    #expect(done, "seed \(seed)")
    for (id, bytes) in sent { #expect(Self.received(pair, .accessory, session: id) == bytes, "seed \(seed)") }
    #expect(pair.violations.isEmpty)
  }

  @Test func aFullQueueAcceptsNoMore() throws {
    var limits = Limits()
    limits.externalAccessoryQueueByteCount = 10_000
    var pair = try Self.up(limits: limits)
    let bytes = FileTransferTests.file(1 << 20)
    let taken = try pair.device.sendExternalAccessory(1, unsafe bytes.span.bytes)
    // The bytes of a window of packets and of a queue are accepted.
    #expect(taken == 32 * 4084 + 10_000)
    let more = try pair.device.sendExternalAccessory(1, unsafe bytes.span.bytes)
    #expect(more == 0)
    #expect(pair.device.queuedByteCount(externalAccessory: 1) == 10_000)
  }

  /// Bytes that are written when the window has just opened go behind those that are queued.
  @Test func newBytesAreAppendedToTheQueue() throws {
    // Two packets of 30 bytes: 18 bytes of a session in each.
    var bench = Bench.up(.device, offer: synchronization(2, 30))
    try bench.endpoint.openExternalAccessory(7)
    let bytes = (0..<90).map { UInt8($0) }
    let (first, second) = (Array(bytes[..<72]), Array(bytes[72...]))
    let taken = try bench.endpoint.sendExternalAccessory(7, first.rawBytes)
    #expect(taken == 72 && bench.endpoint.queuedByteCount(externalAccessory: 7) == 36)
    var packets = bench.sent()
    #expect(packets.count == 2)
    bench.receive(packet(0x40, 0x40, packets[1][5]))
    let more = try bench.endpoint.sendExternalAccessory(7, second.rawBytes)
    #expect(more == 18)
    while packets.count < 5 {
      let next = bench.sent()
      packets += next
      bench.receive(packet(0x40, 0x40, try #require(next.last)[5]))
    }
    #expect(packets.flatMap { $0[11..<($0.count - 1)] } == bytes)
  }

  /// Above the steps of every test.
  static let stepLimit = 1_000_000

  static func count(_ pair: Pair, session: UInt16) -> Int {
    pair.observed[.accessory]!.reduce(0) { sum, observed in
      if case .externalAccessoryData(session, let payload) = observed.event { sum + payload.byteCount } else { sum }
    }
  }

  /// Sends on sessions 1 and 2 for a time in seconds. The accessory's application reads session 2 and never session 1.
  static func starve(_ pair: inout Pair, seconds: Double) throws {
    let chunk = FileTransferTests.file(4084)
    let small = Array(chunk.prefix(100))
    var sent = 0
    var read = 0
    let start = pair.now.seconds
    var steps = 0
    while pair.now.seconds - start < seconds {
      steps += 1
      try #require(steps < stepLimit, "the time stands still")
      _ = try pair.device.sendExternalAccessory(1, unsafe chunk.span.bytes)
      if sent == read { sent += try pair.device.sendExternalAccessory(2, unsafe small.span.bytes) }
      pair.flush()
      guard pair.step() else { return }
      let count = count(pair, session: 2)
      pair.accessory.consume(externalAccessory: 2, byteCount: count - read)
      read = count
    }
  }

  @Test func aStoppedReaderSlowsItsSenderAndNeverStopsTheOther() throws {
    var limits = Limits()
    limits.externalAccessoryHighMark = 20_000
    var pair = try Self.up(limits: limits)
    try Self.starve(&pair, seconds: 20)
    let first = Self.count(pair, session: 1)
    let second = Self.count(pair, session: 2)
    // Above the mark, a window of 32 packets takes half a retransmission timeout, which is one second.
    #expect(first < 20_000 + 22 * 32 * 4084)
    #expect(second >= 15 * 100)
    #expect(pair.violations.isEmpty)
    // The late acknowledgements caused no retransmission.
    let packets = pair.wire.filter { $0.from == .device && $0.bytes.count > 1000 }
    #expect(packets.count == first / 4084)
  }

  /// Acknowledgements wait while a reader is behind, and a peer that ignores the window sends on.
  @Test func aPeerThatIgnoresTheWindowMakesNoListGrow() throws {
    var limits = Limits()
    limits.externalAccessoryHighMark = 100
    var bench = Bench.up(.device, limits: limits)
    try bench.endpoint.openExternalAccessory(7)
    for count in 0..<1000 {
      bench.receive(bench.data(session: 3, [0, 7, 1, 2, 3]))
      #expect(bench.endpoint.invariantViolation == nil, "packet \(count)")
    }
    #expect(bench.endpoint.isBehind(externalAccessory: 7))
    let received = bench.reported().count { if case .externalAccessoryData(7, _) = $0 { true } else { false } }
    #expect(received == 1000)
    // The reader catches up, and the last packet is acknowledged.
    bench.endpoint.consume(externalAccessory: 7, byteCount: 3000)
    #expect(bench.sent().last?[6] == bench.sequence &- 1)
  }

  @Test func theLimitClosesTheStoppedSessionOnly() throws {
    var limits = Limits()
    limits.externalAccessoryHighMark = 20_000
    limits.externalAccessoryUnreadByteCount = 300_000
    var pair = try Self.up(limits: limits)
    try Self.starve(&pair, seconds: 5)
    let overflows = pair.observed[.accessory]!.filter { $0.event == .externalAccessoryOverflow(session: 1) }.count
    #expect(overflows == 1)
    #expect(Self.count(pair, session: 1) <= 300_000 + 4084)
    #expect(Self.count(pair, session: 2) > 500)
    let data: [UInt8] = [1]
    #expect(throws: APIMisuse.externalAccessorySessionNotOpen(1)) {
      _ = try pair.accessory.sendExternalAccessory(1, unsafe data.span.bytes)
    }
  }

  @Test func readingLetsTheSenderGoOn() throws {
    var limits = Limits()
    limits.externalAccessoryHighMark = 20_000
    var pair = try Self.up(limits: limits)
    let bytes = FileTransferTests.file(200_000)
    let taken = try pair.device.sendExternalAccessory(1, unsafe bytes.span.bytes)
    #expect(taken == bytes.count)
    pair.flush()
    var read = 0
    let start = pair.now.seconds
    var steps = 0
    while read < bytes.count {
      steps += 1
      try #require(steps < Self.stepLimit, "the session stands still")
      guard pair.step() else { break }
      let count = Self.received(pair, .accessory, session: 1).count
      pair.accessory.consume(externalAccessory: 1, byteCount: count - read)
      read = count
      pair.flush()
    }
    #expect(read == bytes.count)
    // Acknowledgements were never delayed: the time is far below half a retransmission timeout.
    #expect(pair.now.seconds - start < 0.5)
  }

  /// Sends continuously while the accessory's application reads at a limited rate, ten times per second. Returns the
  /// number of bytes that arrived.
  static func drain(_ pair: inout Pair, bytesPerSecond: Int, seconds: Double) throws -> Int {
    let chunk = FileTransferTests.file(60_000)
    let start = pair.now.seconds
    var read = 0
    var arrived = 0
    var seen = pair.observed[.accessory]!.count
    var steps = 0
    while pair.now.seconds - start < seconds {
      steps += 1
      try #require(steps < stepLimit, "the time stands still")
      _ = try pair.device.sendExternalAccessory(1, unsafe chunk.span.bytes)
      pair.flush()
      guard pair.step() else { return arrived }
      for observed in pair.observed[.accessory]![seen...] {
        if case .externalAccessoryData(1, let payload) = observed.event { arrived += payload.byteCount }
      }
      seen = pair.observed[.accessory]!.count
      let allowed = Int((pair.now.seconds - start) * 10) * bytesPerSecond / 10
      let step = min(allowed, arrived) - read
      guard step > 0 else { continue }
      pair.accessory.consume(externalAccessory: 1, byteCount: step)
      read += step
    }
    return arrived
  }

  @Test(arguments: [20_000, 50_000, 100_000]) func aReaderThatIsOnlySlowKeepsItsSession(bytesPerSecond: Int) throws {
    var limits = Limits()
    limits.externalAccessoryHighMark = 50_000
    limits.externalAccessoryUnreadByteCount = 400_000
    var pair = try Self.up(limits: limits)
    let sent = try Self.drain(&pair, bytesPerSecond: bytesPerSecond, seconds: 60)
    #expect(!pair.observed[.accessory]!.contains { $0.event == .externalAccessoryOverflow(session: 1) })
    // The sender was as fast as the reader, ahead of it by at most a window and the limit.
    #expect(sent > bytesPerSecond * 50 && sent < bytesPerSecond * 60 + 400_000)
    #expect(pair.violations.isEmpty)
  }
}
