// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

/// Sequence numbers, acknowledgement and retransmission of one side. The test plays the peer. Facts:
/// Reliability.md#sequence.
@Suite struct ReliabilityTests {
  /// Returns a control message that contains a number.
  static func note(_ number: UInt8) -> [UInt8] { message(0x4E09, [0, 5, 0, 0, number]) }

  static func delivered(_ bench: Bench) -> [UInt8] {
    bench.events.compactMap { if case .message = $0.event { $0.bytes.last } else { nil } }
  }

  @Test func acknowledgementComesByCount() {
    var bench = Bench.up(.accessory)
    let packets = (0..<3).map { bench.data(Self.note($0)) }
    bench.receive(packets[0])
    #expect(bench.sent().isEmpty)
    bench.receive(packets[1])
    #expect(bench.sent().isEmpty)
    bench.receive(packets[2])
    #expect(bench.sent() == [packet(0x40, 0x10, 0x43)])
  }

  @Test func acknowledgementComesByTime() {
    var bench = Bench.up(.accessory)
    let data = bench.data(Self.note(0))
    bench.receive(data)
    #expect(bench.endpoint.nextDeadline == bench.now.adding(milliseconds: 22))
    bench.expire()
    #expect(bench.sent() == [packet(0x40, 0x10, 0x41)])
    #expect(bench.endpoint.nextDeadline == nil)
  }

  @Test func dataCarriesTheAcknowledgement() throws {
    var bench = Bench.up(.accessory)
    let data = bench.data(Self.note(0))
    bench.receive(data)
    try bench.endpoint.send(message: Self.note(9))
    #expect(bench.sent() == [packet(0x40, 0x11, 0x41, session: 1, Self.note(9))])
  }

  @Test func acknowledgementIsNeverLaterThanThePeersRetransmission() {
    // IVY's values: a cumulative timeout of 4169 ms and a retransmission timeout of 1500 ms.
    var bench = Bench.up(.device, offer: synchronization(5, 1007, 1500, 4169, 3, 3, sessions: [[1, 0, 1]]))
    let data = bench.data(Self.note(0))
    bench.receive(data)
    #expect(bench.endpoint.nextDeadline == bench.now.adding(milliseconds: 750))
  }

  /// The header checksum notices every single changed bit: the packet is neither delivered nor acknowledged.
  @Test(arguments: 2..<9) func aDamagedHeaderStartsNoPacket(place: Int) {
    for bit in 0..<8 {
      var bench = Bench.up(.accessory)
      bench.events = []
      var damaged = bench.data(message(0xAA05))
      damaged[place] ^= 1 << UInt8(bit)
      bench.receive(damaged)
      #expect(!bench.events.contains { $0.bytes == message(0xAA05) }, "bit \(bit)")
      #expect(bench.sent().isEmpty, "bit \(bit)")
      #expect(bench.reported().contains(.violation(.link(.badHeader(.checksum)))), "bit \(bit)")
    }
  }

  /// An EAK may name any number: one that was not sent yet has no packet to retransmit.
  @Test func anEAKOfAPacketThatWasNotSentIsIgnored() throws {
    var bench = Bench.up(.accessory)
    try bench.endpoint.send(message: message(1))
    let first = try #require(bench.sent().first)
    bench.receive(packet(0x60, 0x40, 0x10, [first[5] &+ 1, first[5] &+ 2, 0x10]))
    #expect(bench.sent().isEmpty)
    bench.receive(packet(0x60, 0x40, 0x10, [first[5]]))
    #expect(bench.sent() == [first])
  }

  @Test func aDuplicateIsNotDeliveredAndAcknowledgedAtOnce() {
    var bench = Bench.up(.device)
    let data = bench.data(Self.note(1))
    bench.receive(data)
    _ = bench.sent()
    bench.receive(data)
    #expect(Self.delivered(bench) == [1])
    #expect(bench.sent() == [packet(0x40, 0x10, 0x41)])
  }

  @Test func aProbeRepeatsTheLastAcknowledgedPacketAndChangesNothing() throws {
    var bench = Bench.up(.accessory)
    #expect(!bench.endpoint.canProbe)
    bench.endpoint.probe()
    #expect(bench.sent().isEmpty)
    try bench.endpoint.send(message: Self.note(9))
    _ = bench.sent()
    bench.receive(packet(0x40, 0x40, 0x11))
    let data = bench.data(Self.note(0))
    bench.receive(data)
    #expect(bench.endpoint.canProbe)
    bench.endpoint.probe()
    // The probe is the same packet with the current acknowledgement. No packet waits for an acknowledgement.
    #expect(bench.sent() == [packet(0x40, 0x11, 0x41, session: 1, Self.note(9))])
    #expect(bench.endpoint.nextDeadline == nil && !bench.endpoint.hasUnacknowledged)
  }

  @Test func packetsAheadWaitForTheMissingOneWhichIsNamed() {
    var bench = Bench.up(.accessory)
    let packets = (0..<4).map { bench.data(Self.note($0)) }
    bench.receive(packets[2])
    // 41 and 42 are missing: control 60, session 0, last in order 40.
    #expect(bench.sent() == [packet(0x60, 0x10, 0x40, [0x41, 0x42])])
    bench.receive(packets[3])
    #expect(bench.sent().isEmpty)
    bench.receive(packets[0])
    #expect(Self.delivered(bench) == [0])
    _ = bench.sent()
    bench.receive(packets[1])
    #expect(Self.delivered(bench) == [0, 1, 2, 3])
    #expect(bench.sent().last == packet(0x40, 0x10, 0x44))
  }

  @Test(arguments: [0x20, 0x60] as [UInt8]) func bothEncodingsOfTheMissingListAreRead(control: UInt8) throws {
    var bench = Bench.up(.device)
    for number in 0..<4 { try bench.endpoint.send(message: Self.note(UInt8(number))) }
    let first = bench.sent()
    #expect(first.count == 4)
    bench.receive(packet(control, 0x40, 0x10, [0x12, 0x13]))
    #expect(bench.sent() == [first[1], first[2]])
  }

  @Test func packetsOutsideTheWindowAreDropped() {
    var preferences = LinkPreferences()
    preferences.offer.maxOutstandingPackets = 4
    var bench = Bench.up(.accessory, preferences: preferences)
    bench.events = []
    bench.sequence = 0x44
    let within = bench.data(Self.note(4))
    let beyond = bench.data(Self.note(5))
    bench.receive(beyond)
    #expect(bench.reported() == [.violation(.link(.outsideWindow(sequence: SequenceNumber(0x45))))])
    bench.receive(within)
    #expect(bench.reported().isEmpty)
  }

  @Test func atMostThePeersWindowIsSent() throws {
    var bench = Bench.up(.device, offer: synchronization(2, 4096, 2000, 22, 30, 2))
    for number in 0..<5 { try bench.endpoint.send(message: Self.note(UInt8(number))) }
    #expect(bench.sent().count == 2)
    bench.receive(packet(0x40, 0x40, 0x11))
    #expect(bench.sent().count == 1)
    bench.receive(packet(0x40, 0x40, 0x13))
    #expect(bench.sent().count == 2)
  }

  @Test func anAcknowledgementFieldWithoutItsBitMeansNothing() throws {
    var bench = Bench.up(.device)
    try bench.endpoint.send(message: Self.note(0))
    _ = bench.sent()
    // Control 0 is data without the ACK bit.
    bench.receive(packet(0x00, 0x41, 0x11, session: 1, Self.note(7)))
    #expect(bench.endpoint.unacknowledgedPacketCount == 1)
    #expect(Self.delivered(bench) == [7])
  }

  @Test func invalidAcknowledgementsAreReportedAndIgnored() throws {
    var bench = Bench.up(.device)
    try bench.endpoint.send(message: Self.note(0))
    _ = bench.sent()
    bench.events = []
    bench.receive(packet(0x40, 0x40, 0x20))
    #expect(bench.reported() == [.violation(.link(.acknowledgementOutOfRange(SequenceNumber(0x20))))])
    #expect(bench.endpoint.unacknowledgedPacketCount == 1)
    // A late acknowledgement of an old packet is not a violation.
    bench.receive(packet(0x40, 0x40, 0xF0))
    #expect(bench.reported().isEmpty)
  }

  @Test func aDuplicateWithAnInvalidAcknowledgementIsStillAnswered() {
    var bench = Bench.up(.device)
    bench.receive(packet(0x40, 0x41, 0x70, session: 1, Self.note(7)))
    #expect(Self.delivered(bench) == [7])
    _ = bench.sent()
    bench.expire()
    _ = bench.sent()
    // The duplicate is a peer's probe.
    bench.receive(packet(0x40, 0x41, 0x70, session: 1, Self.note(7)))
    #expect(bench.sent() == [packet(0x40, 0x10, 0x41)])
    #expect(Self.delivered(bench) == [7])
  }

  @Test func anUnacknowledgedPacketIsSentAsOftenAsAgreedThenTheLinkEndsWithRST() throws {
    var bench = Bench.up(.device, offer: synchronization(5, 4096, 1000, 22, 2, 3))
    try bench.endpoint.send(message: Self.note(0))
    var times: [Int64] = []
    func note(_ bench: inout Bench) {
      for sent in bench.sent() where sent.count > 9 { times.append(bench.now.nanoseconds / 1_000_000) }
    }
    note(&bench)
    bench.expireAll {
      $0.isUp
    } examine: {
      if $0.endpoint.isUp { note(&$0) }
    }
    #expect(times == [0, 1000, 2000])
    #expect(bench.now.nanoseconds == 3_000_000_000)
    #expect(bench.reported().last == .linkDown(.retransmissionLimit))
    #expect(bench.sent() == [packet(0x10, 0x11, 0)])
  }

  @Test func sequenceNumbersWrap() throws {
    var pair = PairTests.pair(conditions: .rough(0.03), seed: 99)
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    let sent = (0..<700).map(PairTests.message)
    for message in sent { try pair.accessory.send(message: message) }
    pair.flush()
    let done = pair.run { $0.accessory.isDrained }
    #expect(done)
    #expect(ScheduleTests.messages(pair, at: .device) == sent)
  }

  @Test func anEmptyPayloadWithItsChecksumIsAccepted() {
    // CAT's vector: ten bytes, no payload, checksum 00 (Link.md#empty-payload).
    var bench = Bench.up(.accessory)
    bench.events = []
    bench.receive(hex("ff5a000a400706024e00"))
    bench.receive(hex("ff5a0009400706024f"))
    #expect(bench.endpoint.isUp)
    #expect(bench.reported().isEmpty)
  }

  @Test func aPacketOfTheDeclaredLengthPlusItsOverheadIsAcceptedAndALongerOneIsNot() {
    // wiomoc counts the payload only.
    var preferences = LinkPreferences()
    preferences.offer.maxPacketLength = 64
    var bench = Bench.up(.device, preferences: preferences)
    bench.events = []
    let largest = bench.data(message(0x4E09, [UInt8](repeating: 0, count: 58)))
    #expect(largest.count == 74)
    bench.receive(largest)
    #expect(bench.reported().count == 1)
    let tooLarge = bench.data(message(0x4E09, [UInt8](repeating: 0, count: 59)))
    bench.receive(tooLarge)
    #expect(bench.reported() == [.violation(.link(.packetTooLong(byteCount: 75, limit: 64)))])
  }

  // MARK: Ends

  @Test(arguments: Side.allCases) func aResetStartsOverAtDetection(side: Side) {
    var bench = Bench.up(side)
    bench.events = []
    bench.receive(packet(0x10, 0x40, 0))
    #expect(bench.reported() == [.linkDown(.reset)])
    if side == .accessory {
      // The accessory waits first, so that a peer that ends the connection can close the transport.
      #expect(bench.sent().isEmpty)
      #expect(bench.endpoint.nextDeadline == bench.now.adding(milliseconds: 1000))
      bench.expire()
      #expect(bench.sent() == [HandshakeTests.detect])
    }
    bench.receive(HandshakeTests.detect)
    #expect(bench.reported().contains(.detected))
    _ = bench.sent()
    bench.receive(packet(side == .accessory ? 0xC0 : 0x80, 0x77, 0x10, synchronization()))
    _ = bench.sent()
    if side == .device { bench.receive(packet(0x40, 0x77, 0x10)) }
    #expect(bench.endpoint.isUp)
  }

  @Test(arguments: Side.allCases) func aResetWhileNegotiatingStartsOverToo(side: Side) {
    var bench = Bench(side)
    _ = bench.sent()
    bench.receive(HandshakeTests.detect)
    if side == .device { bench.receive(packet(0x80, 1, 0, synchronization())) }
    _ = bench.sent()
    bench.events = []
    bench.receive(packet(0x10, 1, 0))
    #expect(bench.reported() == [.linkDown(.reset)])
  }

  @Test func anOrderlyEndWaitsForAcknowledgementsThenResets() throws {
    var bench = Bench.up(.device)
    try bench.endpoint.send(message: Self.note(0))
    bench.endpoint.close(at: bench.now)
    #expect(bench.sent().map { $0[4] } == [0x40])
    #expect(bench.reported().contains(.linkDown(.closed)) == false)
    bench.receive(packet(0x40, 0x40, 0x11))
    #expect(bench.sent() == [packet(0x10, 0x11, 0)])
    #expect(bench.reported().last == .linkDown(.closed))
  }

  @Test func anOrderlyEndDoesNotWaitForEver() throws {
    var bench = Bench.up(.device)
    try bench.endpoint.send(message: Self.note(0))
    bench.endpoint.close(at: bench.now)
    _ = bench.sent()
    bench.expireAll()
    #expect(bench.reported().last == .linkDown(.closed))
    #expect(bench.now.nanoseconds == 2_000_000_000)
    #expect(bench.sent().last == packet(0x10, 0x11, 0))
  }

  @Test func nothingIsSentAfterTheEnd() throws {
    var bench = Bench.up(.device)
    bench.endpoint.reset()
    _ = bench.sent()
    #expect(throws: APIMisuse.linkNotUp) { try bench.endpoint.send(message: Self.note(0)) }
    bench.receive(HandshakeTests.detect + packet(0x80, 1, 0, synchronization()))
    #expect(bench.sent().isEmpty)
  }

  @Test(arguments: Side.allCases) func nothingIsDeliveredBehindTheEnd(side: Side) throws {
    var bench = Bench.up(side)
    try bench.endpoint.send(message: message(0xAA05))
    let sent = bench.sent()
    bench.endpoint.close(at: bench.now)
    bench.receive([])
    _ = bench.reported()
    // The acknowledgement that the end waits for arrives with data.
    bench.receive(bench.data(message(0x1D00), acknowledging: try #require(sent.last)[5]))
    #expect(bench.reported() == [.linkDown(.closed)])
  }
}
