// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import Testing
import WireSupport

@testable import IAP2Roles

/// Tests of the ends of a session: a decided cause stays, and written bytes are sent or reported.
@Suite struct SessionEndTests {
  static let name = "com.example.echo"

  /// Returns a pair of sessions that are ready, with one open EA session.
  private static func open(limits: Limits = Limits()) throws -> (pair: SessionPair, session: UInt16) {
    var preferences = LinkPreferences()
    preferences.offer.maxOutstandingPackets = 2
    preferences.offer.maxPacketLength = 128
    var pair = SessionPair(
      headUnit: .standard(protocols: [name], features: []), preferences: preferences, limits: limits)
    pair.start()
    _ = pair.exchange()
    let session = try pair.phone.openExternalAccessory(name, at: pair.now)
    pair.collect()
    _ = pair.exchange()
    for side in Side.allCases { _ = pair.takeEvents(of: side) }
    return (pair, session)
  }

  private static func received(_ events: [SessionEvent]) -> Int {
    events.reduce(0) { if case .data(_, let bytes) = $1 { $0 + bytes.count } else { $0 } }
  }

  @Test(arguments: Side.allCases) func anEndBeforeTheStartStays(side: Side) {
    var pair = SessionPair(headUnit: .standard())
    pair.submit(.disconnect, to: side)
    _ = pair.takeEvents(of: side)
    pair.start()
    #expect(pair.takeEvents(of: side).isEmpty)
    let end = side == .accessory ? pair.headUnit.state : pair.phone.state
    #expect(end == .over(.requested))
  }

  @Test func anOrderlyEndSendsEverythingThatWasQueued() throws {
    var (pair, session) = try Self.open()
    let sent = pair.phone.send([UInt8](repeating: 7, count: 20_000), in: session, at: pair.now)
    let taken = try #require(sent)
    #expect(taken > 10_000)
    pair.submit(.disconnect, to: .device)
    #expect(pair.phone.state == .draining(.requested))
    _ = pair.exchange { $0.phone.isOver }
    pair.expireAll {
      $0.phone.isOver
    } examine: {
      _ = $0.exchange { $0.phone.isOver }
    }
    _ = pair.exchange()
    #expect(Self.received(pair.takeEvents(of: .accessory)) == taken)
    let events = pair.takeEvents(of: .device)
    #expect(!events.contains { if case .role(.externalAccessoryUndelivered) = $0 { true } else { false } })
    #expect(pair.phone.cause == .requested)
  }

  /// A reader of the events may stop at the end of the connection.
  @Test func theEndsOfEASessionsAreReportedBeforeAnEndThatTheLifecycleDecides() throws {
    var (pair, session) = try Self.open()
    pair.submit(.notice, to: .device)
    while !pair.phone.isOver, pair.expire() {
      while pair.inFlight[.device]?.isEmpty == false { pair.lose(from: .device) }
    }
    let ends = pair.takeEvents(of: .device).compactMap { event -> String? in
      switch event {
      case .closed(session): "closed"
      case .role(.externalAccessoryClosed(_, session, _, _)): "externalAccessoryClosed"
      case .role(.disconnected(let end)): "disconnected: \(end.cause.rawValue)"
      default: nil
      }
    }
    #expect(ends == ["closed", "externalAccessoryClosed", "disconnected: notification"])
  }

  /// This side's own limit keeps a message of its role from being sent.
  @Test func aMessageAboveTheLimitIsReported() throws {
    var limits = Limits()
    limits.messageByteCount = 600
    var pair = SessionPair(headUnit: .standard(protocols: [Self.name], features: []), limits: limits)
    pair.start()
    _ = pair.exchange()
    let limit = ProtocolViolation.limit(StaticName("messageByteCount"), 600)
    #expect(pair.takeEvents(of: .accessory).contains(.role(.violation(limit))))
  }

  @Test func anOrderlyEndIsBoundedAndReportsWhatItCouldNotDeliver() throws {
    var (pair, session) = try Self.open()
    let sent = pair.phone.send([UInt8](repeating: 7, count: 20_000), in: session, at: pair.now)
    let taken = try #require(sent)
    pair.submit(.disconnect, to: .device)
    let start = pair.now
    // All packets of the phone are lost from here on.
    pair.expireAll {
      $0.phone.isOver
    } examine: {
      $0.loseAll(from: .device)
    }
    #expect(pair.phone.isOver && pair.phone.cause == .requested)
    // 5 s for the EA session, 2 s for the link's queue, 2 s for its last acknowledgement.
    #expect(pair.now.nanoseconds - start.nanoseconds <= 9_000_000_000)
    let undelivered = pair.takeEvents(of: .device).compactMap { event -> Int? in
      if case .role(.externalAccessoryUndelivered(_, _, let count)) = event { count } else { nil }
    }
    // Two packets were in the window.
    #expect(undelivered.count == 1 && undelivered[0] > taken - 300 && undelivered[0] < taken)
  }

  @Test func aDecidedEndKeepsItsCauseAfterAReset() throws {
    var (pair, session) = try Self.open()
    _ = pair.phone.send([UInt8](repeating: 7, count: 20_000), in: session, at: pair.now)
    pair.submit(.disconnect, to: .device)
    // RST of the peer, and its detect sequence for a new link.
    pair.inject([0xFF, 0x5A, 0x00, 0x09, 0x10, 0x40, 0x00, 0x00, 0x4E], to: .device)
    pair.inject(LinkScanner.detect, to: .device)
    #expect(pair.phone.state == .over(.requested))
    #expect(pair.phone.nextDeadline == nil)
    let ends = pair.takeEvents(of: .device).compactMap { event -> DisconnectCause? in
      if case .role(let event) = event { event.disconnectCause } else { nil }
    }
    #expect(ends == [.requested])
  }

  /// Each SYN is answered, and none of the answers is acknowledged.
  @Test func aFloodOfSynEndsTheConnectionAsAFailedNegotiation() {
    var pair = SessionPair(headUnit: .standard(), identifyTimeout: .seconds(5))
    pair.start()
    pair.inject(LinkScanner.detect, to: .device)
    for _ in 0...31 where !pair.phone.isOver { pair.inject(packet(0x80, 0x2B, 0, synchronization()), to: .device) }
    #expect(pair.phone.isOver && pair.phone.cause == .negotiationFailed)
  }

  /// Without answers to the authentication no side gets ready. Both acknowledge each other's packets all the time.
  @Test(arguments: [true, false]) func aConnectionThatIsNotIdentifiedInTimeEnds(isAnswered: Bool) {
    var pair = SessionPair(headUnit: .standard(), identifyTimeout: .seconds(5))
    pair.answersRequests = isAnswered
    pair.start()
    _ = pair.exchange()
    #expect(pair.phone.isConnectionOpen && pair.headUnit.isConnectionOpen && pair.phone.policy.isReady == isAnswered)
    let end = pair.now.adding(milliseconds: 8000)
    var steps = 0
    while pair.now < end, !pair.phone.isOver, steps < 1000, pair.expire() {
      _ = pair.exchange()
      steps += 1
    }
    #expect(pair.phone.isOver == !isAnswered && pair.phone.cause == (isAnswered ? nil : .timeout))
    #expect(isAnswered || (5_000_000_000...7_000_000_000).contains(pair.now.nanoseconds))
  }

  @Test func anUnansweredOpeningEndsOnceWhenItsCloseIsHeldBack() throws {
    let headUnit = HeadUnitProfile.standard(protocols: [Self.name], features: [])
    var pair = SessionPair(headUnit: headUnit)
    pair.start()
    _ = pair.exchange()
    _ = pair.takeEvents(of: .device)
    var pacing = MessagePacing()
    pacing.delays[0xEA01] = 8000
    pair.phone.paced = PacedActions(pacing)
    let session = try pair.phone.openExternalAccessory(Self.name, at: pair.now)
    pair.collect()
    let limit = pair.now.adding(milliseconds: pair.phone.endpoint.limits.externalAccessoryOpenMilliseconds)
    var steps = 0
    while pair.now < limit.adding(milliseconds: 9000), steps < 1000, pair.expire() {
      pair.loseAll(from: .device)
      steps += 1
    }
    // Each deadline is later than the previous one, so few steps suffice.
    #expect(steps < 100)
    #expect(pair.takeEvents(of: .device).contains(.closed(session: session)))
    #expect(pair.phone.isConnectionOpen)
  }
}
