// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

/// Malicious or broken peers: no input crashes or blocks the endpoint or makes it grow without bound, and valid data is
/// still found.
@Suite struct AdversaryTests {
  static let states: [(name: String, bench: Bench)] = Side.allCases.flatMap { side in
    var detecting = Bench(side)
    _ = detecting.sent()
    var negotiating = detecting
    negotiating.receive(HandshakeTests.detect)
    if side == .device { negotiating.receive(packet(0x80, 0x40, 0, synchronization())) }
    _ = negotiating.sent()
    return [("\(side) detecting", detecting), ("\(side) negotiating", negotiating), ("\(side) up", Bench.up(side))]
  }

  @Test(arguments: 1...40) func randomBytesNeitherTrapNorHideValidPackets(seed: UInt64) {
    for (name, start) in Self.states {
      var bench = start
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<20 {
        let count = Int.random(in: 1...300, using: &generator)
        // Bytes that start a unit are more likely than others.
        let bytes = (0..<count).map { _ -> UInt8 in
          generator.chance(0.2)
            ? [0xFF, 0x5A, 0x55, 0x00, 0x40, 0x80][Int.random(in: 0..<6, using: &generator)]
            : UInt8.random(in: 0...255, using: &generator)
        }
        bench.receive(bytes)
        _ = bench.sent()
        bench.expire()
      }
      guard name.hasSuffix("up"), bench.endpoint.isUp else { continue }
      bench.events = []
      // An incomplete packet of up to 65 535 bytes may still be awaited.
      bench.receive([UInt8](repeating: 0x33, count: 65_535))
      let data = bench.data(message(0xAA05))
      bench.receive(data)
      #expect(bench.events.contains { $0.bytes == message(0xAA05) }, "seed \(seed), \(name)")
    }
  }

  /// Valid packets with random contents reach the layers above the checksums. No invariant breaks, every answer is
  /// whole packets, and afterwards a new link comes up and delivers.
  @Test(arguments: 1...40) func validPacketsWithRandomContentsAreSurvived(seed: UInt64) throws {
    for (name, start) in Self.states {
      var bench = start
      var generator = SeededGenerator(seed: seed)
      for _ in 0..<200 {
        var payload = (0..<Int.random(in: 0...40, using: &generator)).map { _ in
          UInt8.random(in: 0...255, using: &generator)
        }
        if generator.chance(0.5) { payload = [0x40, 0x40] + payload }
        let controls: [UInt8] = [0x40, 0x40, 0x40, 0x60, 0x20, 0x80, 0xC0, 0x08, 0x00, 0xFF]
        let sequence = generator.chance(0.7) ? bench.sequence : UInt8.random(in: 0...255, using: &generator)
        bench.receive(
          packet(
            controls[Int.random(in: 0..<controls.count, using: &generator)], sequence,
            UInt8.random(in: 0...255, using: &generator), session: UInt8.random(in: 0...4, using: &generator), payload))
        bench.sequence &+= 1
        let answers = bench.sent()
        // The reset of a link and the start of the next one: RST, detect, SYN, and an acknowledgement.
        #expect(answers.count <= 4, "seed \(seed), \(name)")
        for answer in answers { #expect(Self.isWhole(answer), "seed \(seed), \(name): \(answer)") }
        #expect(bench.endpoint.invariantViolation == nil, "seed \(seed), \(name)")
      }
      Self.bringUp(&bench)
      #expect(bench.endpoint.isUp, "seed \(seed), \(name)")
      bench.events = []
      bench.receive(packet(0x40, 0x41, 0, session: 1, message(0xAA05)))
      #expect(bench.events.contains { $0.bytes == message(0xAA05) }, "seed \(seed), \(name)")
    }
  }

  /// Resets the link and plays a handshake with it. The peer's last sequence number is then 0x40.
  private static func bringUp(_ bench: inout Bench) {
    bench.receive(packet(0x10, 0, 0))
    bench.endpoint.start(at: bench.now)
    _ = bench.sent()
    // An accessory rests before it sends the detect sequence.
    if bench.endpoint.side == .accessory { bench.expire() }
    _ = bench.sent()
    bench.receive(HandshakeTests.detect)
    let syn = bench.sent().last ?? []
    switch bench.endpoint.side {
    case .accessory: bench.receive(packet(0xC0, 0x40, syn.count > 5 ? syn[5] : 0, synchronization()))
    case .device:
      bench.receive(packet(0x80, 0x40, 0, synchronization()))
      let answer = bench.sent().last ?? []
      bench.receive(packet(0x40, 0x40, answer.count > 5 ? answer[5] : 0))
    }
    _ = bench.sent()
  }

  private static func isWhole(_ answer: [UInt8]) -> Bool {
    switch LinkScanner.scan(answer.rawBytes, from: 0) {
    case .packet(let header, at: 0): header.byteCount == answer.count
    case .detect(at: 0): answer.count == 6
    default: false
    }
  }

  @Test func aWrongLinkLengthLosesOnlyItsPacket() {
    var bench = Bench.up(.device)
    bench.events = []
    // A length of 5 is smaller than the header.
    var short = packet(0x40, 0x41, 0x10, session: 1, message(1))
    short[3] = 5
    short[8] = 0 &- short[0..<8].reduce(0, &+)
    bench.receive(short)
    #expect(bench.events.contains { $0.event == .violation(.link(.badHeader(.length))) })
    let data = bench.data(message(0xAA05))
    bench.receive(data)
    #expect(bench.events.last?.bytes == message(0xAA05))
  }

  @Test func aWrongMessageLengthLosesOnlyItsPacket() {
    var bench = Bench.up(.device)
    bench.events = []
    let short = bench.data([0x40, 0x40, 0x00, 0x03, 0xAA, 0x05])
    bench.receive(short)
    #expect(bench.reported() == [.violation(.badMessage(WireError(.badLength(3), offset: 2)))])
    let noMessage = bench.data([0x41, 0x40, 0x00, 0x06, 0xAA, 0x05])
    bench.receive(noMessage)
    #expect(bench.reported() == [.violation(.badMessage(WireError(.notAMessage, offset: 0)))])
    let data = bench.data(message(0xAA05))
    bench.receive(data)
    #expect(bench.events.last?.bytes == message(0xAA05))
  }

  @Test func messagesOverSeveralPacketsAndSeveralInOne() {
    var bench = Bench.up(.accessory)
    bench.events = []
    let long = message(0x4E09, [UInt8](repeating: 7, count: 200))
    for start in stride(from: 0, to: long.count, by: 7) {
      let piece = bench.data(Array(long[start..<min(start + 7, long.count)]))
      bench.receive(piece)
    }
    let joined = bench.data(message(1) + message(2) + message(3))
    bench.receive(joined)
    #expect(bench.events.map(\.bytes) == [long, message(1), message(2), message(3)])
  }

  @Test func aFloodOfDetectSequencesIsAnsweredOncePerChance() {
    for (_, start) in Self.states {
      var bench = start
      bench.receive((0..<10_000).flatMap { _ in HandshakeTests.detect })
      #expect(bench.sent().count <= 2)
    }
  }

  @Test func aFloodOfDataWithUnreadAnswersStaysWithinTheLimit() throws {
    var limits = Limits()
    limits.queuedByteCount = 1000
    var bench = Bench.up(.device, limits: limits)
    // The peer never acknowledges: 32 packets are sent, then a queue of 1000 bytes fills.
    var refused: APIMisuse?
    var count = 0
    while refused == nil, count < 10_000 {
      count += 1
      do { try bench.endpoint.send(message: message(0x4E09, [UInt8](repeating: 1, count: 94))) } catch {
        refused = error
      }
    }
    #expect(refused == .queueFull(limit: 1000))
    #expect(count == 32 + 10 + 1)
  }

  @Test func dataOfUnknownSessionsIsReportedAndAcknowledged() {
    var bench = Bench.up(.device)
    bench.events = []
    let unknownLink = bench.data(session: 9, [1, 2, 3])
    bench.receive(unknownLink)
    let unknownEA = bench.data(session: 3, [0x12, 0x34, 1])
    bench.receive(unknownEA)
    let short = bench.data(session: 3, [0x12])
    bench.receive(short)
    #expect(
      bench.reported() == [
        .violation(.unknownSession(9)), .violation(.unknownExternalAccessorySession(0x1234)),
        .violation(.shortDatagram(session: 3, byteCount: 1)),
      ])
    #expect(bench.sent() == [packet(0x40, 0x10, 0x43)])
  }

  @Test func externalAccessorySessionsHaveALimit() throws {
    var bench = Bench.up(.accessory)
    for id in 0..<64 { try bench.endpoint.openExternalAccessory(UInt16(id)) }
    #expect(throws: APIMisuse.tooManyExternalAccessorySessions(limit: 64)) {
      try bench.endpoint.openExternalAccessory(64)
    }
    #expect(throws: APIMisuse.externalAccessorySessionAlreadyOpen(3)) { try bench.endpoint.openExternalAccessory(3) }
  }

  @Test func aPeerThatResetsEveryLinkCostsOneAttemptASecond() {
    var bench = Bench(.accessory)
    var starts = 0
    for _ in 0..<20 {
      starts += bench.sent().filter { $0 == HandshakeTests.detect }.count
      bench.receive(HandshakeTests.detect)
      _ = bench.sent()
      bench.receive(packet(0x10, 0, 0))
      bench.expire()
    }
    #expect(starts == 20)
    #expect(bench.now.nanoseconds == 20_000_000_000)
  }

  @Test func nestedGroupsHaveADepthLimit() {
    // 0x1D01 with parameter 16 inside itself, 200 levels deep.
    var inner: [UInt8] = []
    for _ in 0..<200 {
      let count = inner.count + 4
      inner = [UInt8(count >> 8), UInt8(count & 255), 0, 16] + inner
    }
    let bytes = message(0x1D01, inner)
    let (nodes, _) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: MessageCatalog[0x1D01]?.rows ?? [])
    #expect(nodes.count == 1)
    #expect(throws: WireError.self) { try IdentificationInformation(decoding: unsafe bytes.span.bytes) }
  }

  @Test func thousandsOfParametersAreReadOrRefusedByName() throws {
    let names = (0..<10_000).flatMap { _ in hex("0006000d6100") }
    let bytes = message(0x1D01, names)
    do {
      _ = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
      Issue.record("no required parameter is there")
    } catch {
      #expect(error.reason == .missing || error.reason == .tooManyParameters(limit: 4096))
    }
  }

  /// Returns a header with a given length and a valid checksum.
  static func header(length: UInt16, control: UInt8 = 0x40, sequence: UInt8 = 5) -> [UInt8] {
    let head: [UInt8] = [0xFF, 0x5A, UInt8(length >> 8), UInt8(length & 255), control, sequence, 0, 0]
    return head + [0 &- head.reduce(0, &+)]
  }

  @Test(arguments: Side.allCases) func aHeaderWithAWrongLengthDoesNotBlockReception(side: Side) {
    // The length exceeds the declared maximum, so the header is skipped at once.
    for split in [false, true] {
      var bench = Bench.up(side)
      let lie = Self.header(length: 0xFFFF)
      if split {
        bench.receive(Array(lie.prefix(4)))
        bench.receive(Array(lie.dropFirst(4)))
      } else {
        bench.receive(lie)
      }
      bench.receive(bench.data(message(0xAA05)))
      #expect(bench.events.contains { $0.bytes == message(0xAA05) }, "\(side)")
      #expect(bench.events.contains { $0.event == .violation(.link(.packetTooLong(byteCount: 0xFFFF, limit: 4106))) })
    }
  }

  @Test(arguments: Side.allCases) func anIncompletePacketIsAbandoned(side: Side) {
    var bench = Bench.up(side)
    let data = bench.data(message(0xAA05))
    bench.receive(Self.header(length: 4000) + data)
    #expect(!bench.events.contains { $0.bytes == message(0xAA05) })
    bench.now = bench.now.adding(milliseconds: 1000)
    bench.endpoint.handleDeadline(at: bench.now)
    bench.receive([])
    #expect(bench.events.contains { $0.bytes == message(0xAA05) }, "\(side)")
    #expect(bench.events.contains { $0.event == .violation(.link(.partialPacket(byteCount: 9 + data.count))) })
  }

  @Test(arguments: Side.allCases) func anIncompleteDataPacketBeforeTheLinkIsUpDoesNotBlockDetection(side: Side) {
    var bench = Bench(side)
    _ = bench.sent()
    bench.receive(Self.header(length: 4000))
    bench.receive(LinkScanner.detect)
    #expect(bench.events.contains { $0.event == .detected }, "\(side)")
  }
}
