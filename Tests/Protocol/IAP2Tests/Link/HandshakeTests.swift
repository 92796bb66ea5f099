// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

/// Detection and synchronization of one side. The test plays the peer. Facts: Link.md#detect, Link.md#packet,
/// Link.md#setup.
@Suite struct HandshakeTests {
  static let detect = hex("ff550200ee10")

  // MARK: Detection

  @Test func theAccessoryRepeatsDetectEverySecondAndGivesUpAtTheLimit() {
    var bench = Bench(.accessory)
    var sent = bench.sent()
    var times = [bench.now.nanoseconds]
    bench.expireAll(examine: { bench in
      let more = bench.sent()
      if !more.isEmpty { times.append(bench.now.nanoseconds) }
      sent += more
    })
    #expect(sent == [[UInt8]](repeating: Self.detect, count: 30))
    #expect(times == (0..<30).map { Int64($0) * 1_000_000_000 })
    #expect(bench.reported() == [.linkDown(.notDetected(legacyOnly: false))])
  }

  @Test func theDeviceOnlyEchoes() {
    var bench = Bench(.device)
    #expect(bench.sent().isEmpty)
    #expect(bench.endpoint.nextDeadline == nil)
    bench.receive(Self.detect)
    #expect(bench.sent() == [Self.detect])
    // Until the link is up, repeated sequences are answered. Several in one read get one echo.
    bench.receive(Self.detect + Self.detect)
    #expect(bench.sent() == [Self.detect])
  }

  @Test func aPacketProvesIAP2AsWellAsAnEcho() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    bench.receive(packet(0x40, 1, 1))
    #expect(bench.reported() == [.detected])
    #expect(bench.sent() == [packet(0x80, 0x10, 0, synchronization())])
  }

  @Test func bytesBeforeTheEchoAreSkipped() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    bench.receive([1, 2, 3] + Self.detect)
    #expect(bench.reported() == [.violation(.link(.garbage(byteCount: 3))), .detected])
  }

  @Test func strayDetectSequencesOnALinkThatIsUpChangeNothing() {
    for side in Side.allCases {
      var bench = Bench.up(side)
      bench.events = []
      let data = bench.data(message(0xAA05))
      bench.receive(Self.detect + data + Self.detect)
      #expect(bench.reported().count == 1)
      #expect(bench.endpoint.isUp)
    }
  }

  @Test func anIAP1OnlyPeerIsReported() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    // An iAP1 answer in lingo 0: 55, length, lingo, command, two bytes, checksum.
    let answer = hex("ff5504000204ee08")
    bench.receive(answer)
    #expect(bench.reported() == [.legacyPeer])
    bench.expireAll()
    #expect(bench.reported() == [.linkDown(.notDetected(legacyOnly: true))])
  }

  @Test func aDeviceAcceptsASYNWithoutDetection() {
    var bench = Bench(.device)
    bench.receive(packet(0x80, 0x63, 0, synchronization()))
    #expect(bench.sent() == [packet(0xC0, 0x10, 0x63, synchronization())])
  }

  // MARK: Synchronization

  @Test func theWorkedExampleIsAnsweredByteForByte() {
    // w01, w02 and w03 of the worked examples (Link.md#worked-set-up).
    var offer = LinkSynchronization.standard
    offer.maxOutstandingPackets = 5
    offer.maxPacketLength = 2048
    offer.retransmissionTimeout = 1500
    offer.cumulativeAckTimeout = 73
    offer.sessions[0].version = 2
    var accessory = Endpoint(
      side: .accessory, preferences: LinkPreferences(offer: offer), firstSequence: SequenceNumber(0x2B))
    var device = Endpoint(
      side: .device, preferences: LinkPreferences(offer: offer), firstSequence: SequenceNumber(0x64))
    accessory.start(at: .zero)
    device.start(at: .zero)
    var pair = Pair(accessory: accessory, device: device)
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    let wire = pair.wire.map(\.bytes).filter { $0 != Self.detect }
    #expect(
      wire == [
        hex("ff5a001d802b0000df0105080005dc00491e0301000202010203020199"),
        hex("ff5a001dc0642b003b0105080005dc00491e0301000202010203020199"),
        hex("ff5a0009402b6400cf"),
      ])
  }

  @Test func theRealPrintersOfferOutsideTheRecommendedRangesIsAccepted() throws {
    // Canon Ivy, captures/real/canon-ivy.txt: a cumulative timeout of 4169 ms beside 1500 ms, sessions 10 and 11.
    var bench = Bench(.device)
    bench.receive(Self.detect + hex("ff5a001a802b0000e2010503ef05dc104903030a00010b0201af"))
    let answer = try #require(bench.sent().last)
    // The answer has this side's window and packet length, and the printer's values where both must be equal.
    let expected = synchronization(32, 4096, 1500, 4169, 3, 3, sessions: [[10, 0, 1], [11, 2, 1]])
    #expect(answer == packet(0xC0, 0x10, 0x2B, expected))
    bench.receive(packet(0x40, 0x2B, 0x10))
    #expect(bench.endpoint.isUp)
    // Sessions are found by type: control messages are sent on session 10.
    bench.events = []
    try bench.endpoint.send(message: message(0x1D00))
    #expect(bench.sent() == [packet(0x40, 0x11, 0x2B, session: 10, message(0x1D00))])
    #expect(bench.endpoint.nextDeadline == bench.now.adding(milliseconds: 1500))
  }

  @Test func theRealMicrophonesHandshakeIsFollowed() throws {
    // BOYA mini 2, captures/real/boya-mini2.txt: the SYN has a meaningless acknowledgement field.
    var bench = Bench(.device)
    bench.receive(Self.detect + hex("ff5a001a80011000fc01050400138800ff1e0301000102020134"))
    #expect(
      bench.sent().last
        == packet(0xC0, 0x10, 1, synchronization(32, 4096, 5000, 255, 30, 3, sessions: [[1, 0, 1], [2, 2, 1]])))
  }

  // MARK: Repeated proposals

  @Test(arguments: Side.allCases) func aProposalRepeatedAfterDataChangesNothing(side: Side) {
    var bench = Bench.up(side)
    let again = packet(side == .accessory ? 0xC0 : 0x80, 0x40, 0x10, synchronization())
    bench.receive(bench.data(message(0xAA05)) + again + bench.data(message(0xAA05)) + again)
    #expect(bench.endpoint.isUp)
    bench.receive(bench.data(message(0xAA05)))
    #expect(!bench.reported().contains(.linkDown(.reset)))
  }

  @Test func aProposalOfAnEarlierRoundChangesNothing() {
    var bench = Bench(.device)
    bench.receive(Self.detect)
    let first = packet(0x80, 0x40, 0, synchronization(32, 4096, 65_000))
    let second = packet(0xC0, 0x41, 0x10, synchronization())
    bench.receive(first)
    _ = bench.sent()
    bench.receive(second)
    let answers = bench.sent()
    // The first proposal arrives again during negotiation.
    bench.receive(first)
    #expect(bench.sent().isEmpty)
    bench.receive(packet(0x40, 0x41, 0x11))
    bench.receive(first + packet(0x40, 0x42, 0x11, session: 1, message(0xAA05)) + second)
    #expect(answers.count == 1 && bench.endpoint.isUp)
  }

  @Test func anAccessoryThatSendsOnlyItsSYNHasRestarted() {
    var bench = Bench.up(.device)
    bench.receive(bench.data(message(0xAA05)))
    bench.events = []
    let again = packet(0x80, 0x40, 0x10, synchronization())
    bench.receive(again + again)
    #expect(bench.endpoint.isUp)
    bench.receive(again)
    #expect(bench.reported().contains(.linkDown(.reset)))
    #expect(bench.sent() == [packet(0xC0, 0x10, 0x40, synchronization())])
    // A different SYN restarts the link at once.
    bench = Bench.up(.device)
    bench.receive(packet(0x80, 0x70, 0, synchronization()))
    #expect(bench.reported().contains(.linkDown(.reset)))
  }

  @Test func theAccessoryAcceptsTheDevicesCounterOffer() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    bench.receive(Self.detect)
    _ = bench.sent()
    // An answer in an iPhone's style: own sizes, other timers, only the control session.
    bench.receive(packet(0xC0, 0xD7, 0x10, synchronization(127, 65535, 1500, 73, 30, 3, sessions: [[1, 0, 2]])))
    #expect(bench.sent() == [packet(0x40, 0x10, 0xD7)])
    #expect(bench.endpoint.isUp)
    #expect(throws: APIMisuse.noSession(.externalAccessory)) { try bench.endpoint.openExternalAccessory(1) }
    #expect(throws: APIMisuse.noSession(.fileTransfer)) { _ = try bench.endpoint.sendFile([1], type: nil) }
  }

  /// A device that insists on its timers and an accessory that accepts a range agree after a round.
  @Test func bothSidesCounterUntilTheyAgree() {
    var stubborn = LinkPreferences()
    stubborn.retransmissionTimeouts = 1000...1000
    stubborn.offer.retransmissionTimeout = 1000
    var flexible = LinkPreferences()
    flexible.retransmissionTimeouts = 500...3000
    var pair = Pair(
      accessory: Endpoint(side: .accessory, preferences: flexible),
      device: Endpoint(side: .device, preferences: stubborn))
    pair.start()
    let up = pair.run { $0.isUp }
    #expect(up)
    let agreed = pair.observed[.accessory]!.compactMap {
      if case .linkUp(let local, _) = $0.event { local.retransmissionTimeout } else { nil }
    }
    #expect(agreed == [1000])
  }

  /// A device may repeat its SYN+ACK, for example because the first one was late. It then gets the same counter-offer
  /// with the same sequence number. With a new number the device would treat it as another round, and its answer would
  /// arrive when the link is up.
  @Test func aRepeatedAnswerGetsTheSameCounterOfferAgain() {
    var preferences = LinkPreferences()
    preferences.retransmissionTimeouts = 1000...1500
    var bench = Bench(.accessory, preferences: preferences)
    bench.receive(LinkScanner.detect)
    _ = bench.sent()
    let answer = packet(0xC0, 0x40, 0x10, synchronization(32, 4096, 3000))
    bench.receive(answer)
    let counter = bench.sent()
    #expect(counter == [packet(0xC0, 0x11, 0x40, synchronization(32, 4096, 1500))])
    bench.receive(answer)
    #expect(bench.sent() == counter)
  }

  @Test func sidesThatNeverAgreeStopAtTheRoundLimit() {
    var one = LinkPreferences()
    one.retransmissionTimeouts = 1000...1000
    var other = LinkPreferences()
    other.retransmissionTimeouts = 2000...2000
    var pair = Pair(
      accessory: Endpoint(side: .accessory, preferences: one), device: Endpoint(side: .device, preferences: other))
    pair.start()
    let ended = pair.run(limit: 500) {
      $0.observed[.device]!.contains { $0.event == .linkDown(.notNegotiated) }
        || $0.observed[.accessory]!.contains { $0.event == .linkDown(.notNegotiated) }
    }
    #expect(ended)
    let synchronizations = pair.wire.filter { $0.bytes.count > 9 && $0.bytes[4] & 0x80 != 0 }.count
    #expect(synchronizations > 10 && synchronizations <= 22)
    #expect(pair.wire.contains { $0.bytes.count == 9 && $0.bytes[4] == 0x10 })
  }

  @Test func anOfferWithoutAControlSessionIsCountered() throws {
    var bench = Bench(.device)
    bench.receive(Self.detect + packet(0x80, 1, 0, synchronization(sessions: [[3, 2, 1]])))
    let answer = try #require(bench.sent().last)
    let payload = Array(answer[9..<(answer.count - 1)])
    let read = try LinkSynchronization(unsafe payload.span.bytes)
    #expect(read.sessionID(of: .control) != nil)
  }

  @Test func sessionsWithRepeatedIdsOrUnknownTypesAreRemoved() throws {
    var bench = Bench(.device)
    bench.receive(
      Self.detect
        + packet(0x80, 1, 0, synchronization(sessions: [[0, 0, 1], [7, 0, 1], [7, 2, 1], [9, 99, 1], [8, 2, 1]])))
    let answer = try #require(bench.sent().last)
    let payload = Array(answer[9..<(answer.count - 1)])
    #expect(try LinkSynchronization(unsafe payload.span.bytes).sessions.map(\.id) == [7, 8])
  }

  @Test func aRepeatedSynGetsTheSameAnswer() {
    var bench = Bench(.device)
    let offer = packet(0x80, 1, 0, synchronization())
    bench.receive(Self.detect + offer)
    let first = bench.sent().last
    bench.receive(offer)
    #expect(bench.sent() == [first])
  }

  @Test func aSynThatIsRepeatedWithoutEndIsReset() {
    var bench = Bench(.device)
    let offer = packet(0x80, 1, 0, synchronization())
    bench.receive(Self.detect + offer)
    _ = bench.sent()
    for _ in 0..<30 {
      bench.receive(offer)
      #expect(bench.sent().map { $0[4] } == [0xC0])
    }
    bench.events = []
    bench.receive(offer)
    #expect(
      bench.reported().suffix(2) == [.violation(.link(.synchronizationRepeated(limit: 30))), .linkDown(.notNegotiated)])
    #expect(bench.sent().map { $0[4] } == [0x10])
    #expect(bench.endpoint.nextDeadline == nil)
  }

  @Test func aCounterOfferThatIsRepeatedWithoutEndIsReset() {
    var preferences = LinkPreferences()
    preferences.retransmissionTimeouts = 1500...2000
    var bench = Bench(.accessory, preferences: preferences)
    _ = bench.sent()
    bench.receive(Self.detect)
    _ = bench.sent()
    let answer = packet(0xC0, 0x40, 0x10, synchronization(32, 4096, 1000))
    for _ in 0...30 {
      bench.receive(answer)
      #expect(bench.sent().map { $0[4] } == [0xC0])
    }
    bench.events = []
    bench.receive(answer)
    #expect(
      bench.reported().suffix(2) == [.violation(.link(.synchronizationRepeated(limit: 30))), .linkDown(.notNegotiated)])
    #expect(bench.sent().map { $0[4] } == [0x10])
  }

  @Test func synIsRepeatedEverySecondAndGivenUp() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    bench.receive(Self.detect)
    var count = bench.sent().count
    bench.expireAll(examine: { bench in count += bench.sent().filter { $0[4] == 0x80 }.count })
    #expect(count == 10)
    #expect(bench.now.nanoseconds == 10_000_000_000)
    #expect(bench.reported().last == .linkDown(.unanswered))
  }

  @Test func aBareAcknowledgementBeforeTheAnswerIsIgnored() {
    var bench = Bench(.accessory)
    _ = bench.sent()
    bench.receive(Self.detect)
    _ = bench.sent()
    bench.receive(packet(0x40, 5, 0x10))
    #expect(!bench.endpoint.isUp)
    bench.receive(packet(0xC0, 5, 0x10, synchronization()))
    #expect(bench.endpoint.isUp)
  }

  @Test func theDevicesLinkIsUpWithTheFirstDataToo() throws {
    var bench = Bench(.device)
    bench.receive(Self.detect + packet(0x80, 1, 0, synchronization()))
    _ = bench.sent()
    bench.events = []
    // The pure ACK was lost or joined with data. The data acknowledges the SYN+ACK too.
    bench.receive(packet(0x40, 2, 0x10, session: 1, message(0xAA05)))
    #expect(bench.endpoint.isUp)
    #expect(bench.events.last?.bytes == message(0xAA05))
    guard case .linkUp = bench.events.first?.event else {
      Issue.record("\(bench.events)")
      return
    }
  }

  @Test func anAnswerRepeatedBecauseOurAcknowledgementWasLostIsAcknowledgedAgain() {
    var bench = Bench.up(.accessory)
    bench.receive(packet(0xC0, 0x40, 0x10, synchronization()))
    #expect(bench.sent() == [packet(0x40, 0x10, 0x40)])
    #expect(bench.endpoint.isUp)
  }

  @Test func badSynchronizationPayloadsAreNamedAndIgnored() {
    for payload in [[], [1], synchronization() + [1], synchronization(sessions: []) + [1, 2]] as [[UInt8]] {
      var bench = Bench(.device)
      bench.receive(Self.detect + packet(0x80, 1, 0, payload))
      #expect(bench.reported().last == .violation(.link(.badSynchronization(.length(payload.count)))))
      bench.receive(packet(0x80, 1, 0, synchronization()))
      #expect(bench.sent().last?[4] == 0xC0)
    }
  }

  // MARK: Zero acknowledgement

  @Test func zeroAcknowledgementRunsWithoutTimersAndBeyondTheWindow() throws {
    var preferences = LinkPreferences()
    preferences.offer.maxOutstandingPackets = 32
    preferences.offer.maxPacketLength = 65535
    preferences.offer.retransmissionTimeout = 0
    preferences.offer.cumulativeAckTimeout = 0
    preferences.offer.maxRetransmissions = 0
    preferences.offer.maxCumulativeAcks = 0
    preferences.offer.sessions = [
      LinkSession(id: 1, type: .control, version: 2), LinkSession(id: 2, type: .fileTransfer, version: 2),
    ]
    #expect(preferences.offer.outOfRange.isEmpty)
    var bench = Bench(.accessory, preferences: preferences)
    _ = bench.sent()
    bench.receive(Self.detect)
    // Computed from the layout (Link.md#lsp-layout); no device sent these bytes.
    let zeros = hex("0120ffff000000000000010002020102")
    #expect(bench.sent() == [packet(0x80, 0x10, 0, zeros)])
    bench.receive(packet(0xC0, 0x64, 0x10, zeros))
    _ = bench.sent()
    #expect(bench.endpoint.isUp)
    for _ in 0..<100 { try bench.endpoint.send(message: message(0x4E09)) }
    #expect(bench.sent().count == 100)
    #expect(bench.endpoint.nextDeadline == nil)
    // After a window of packets from the peer, an acknowledgement is still sent.
    bench.sequence = 0x65
    for _ in 0..<32 {
      let data = bench.data(message(0x4E09))
      bench.receive(data)
    }
    #expect(bench.sent() == [packet(0x40, 0x74, 0x84)])
  }

  @Test func aDeviceThatWantsAcknowledgementsCountersZero() throws {
    var preferences = LinkPreferences()
    preferences.acceptsZeroAcknowledgement = false
    var bench = Bench(.device, preferences: preferences)
    bench.receive(Self.detect + packet(0x80, 1, 0, hex("0120ffff000000000000010002020102")))
    let answer = try #require(bench.sent().last)
    let payload = Array(answer[9..<(answer.count - 1)])
    #expect(try LinkSynchronization(unsafe payload.span.bytes).isZeroAcknowledgement == false)
  }

  /// Found by fuzzing: a phone accepted such an offer, and its first data packet would have had a negative payload
  /// length.
  @Test(arguments: Side.allCases) func packetsTooShortForDataAreRefusedAlsoWithoutAcknowledgements(side: Side) {
    for length in [0, 9, 11, 23] as [UInt16] {
      var bench = Bench.up(side, offer: synchronization(32, length, 0, 0, 0, 0))
      #expect(!bench.endpoint.isUp, "\(length) bytes")
      let isReported = bench.reported().contains {
        if case .linkUp = $0 { true } else { false }
      }
      #expect(!isReported)
      #expect(throws: APIMisuse.linkNotUp) { try bench.endpoint.send(message: message(0x4E09)) }
    }
  }

  /// Found by fuzzing: a long iAP1 frame was recognized if it arrived in one read, and was garbage otherwise.
  @Test func anIAP1FrameIsRecognizedForAnyDivisionIntoReads() {
    for byteCount in 3...40 {
      let body = [UInt8(byteCount)] + (0..<byteCount).map { UInt8($0 + 1) }
      let frame = [0xFF, 0x55] + body + [0 &- body.reduce(0, &+)]
      var whole = Bench(.accessory)
      whole.receive(frame)
      var cut = Bench(.accessory)
      for byte in frame { cut.receive([byte]) }
      let isLegacy = whole.reported().contains(.legacyPeer)
      #expect(isLegacy == (byteCount <= 13), "\(byteCount) bytes")
      #expect(cut.reported().contains(.legacyPeer) == isLegacy, "\(byteCount) bytes")
    }
  }
}
