// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture
@testable import IAP2Replay

/// Tests of when a replay sends, how long it waits, and how it ends.
@Suite struct ReplaySequenceTests {
  private static func script(_ script: SessionScript = .plain, as side: Side) throws -> ReplayScript {
    ReplayScript(try script.record(limits: ReplayScript.recordLimits), as: side)
  }

  private static func sentTimes(_ harness: ReplayHarness) -> [Double] {
    harness.events.compactMap { if case .sent = $0.event { $0.time.seconds } else { nil } }
  }

  // MARK: Time

  @Test(arguments: [1.0, 4.0]) func stepsKeepTheGapsOfTheRecording(speed: Double) throws {
    var slow = SessionScript.plain
    slow.secondsPerRecord = 1
    var options = ReplayOptions()
    options.speed = speed
    var harness = ReplayHarness(
      try Self.script(slow, as: .accessory), options: options, against: try Self.script(slow, as: .device))
    #expect(try harness.run().differenceCount == 0)
    let record = try slow.record()
    let recorded = record.steps.compactMap { step -> Double? in
      if case .message = step.content, step.from == .accessory { record.time(of: step) } else { nil }
    }
    #expect(Self.sentTimes(harness) == recorded.map { $0 / speed })
  }

  @Test func withoutSpeedNoTimePasses() throws {
    var slow = SessionScript.plain
    slow.secondsPerRecord = 1000
    var options = ReplayOptions()
    options.speed = nil
    var harness = ReplayHarness(
      try Self.script(slow, as: .accessory), options: options, against: try Self.script(slow, as: .device))
    #expect(try harness.run().differenceCount == 0)
    #expect(Self.sentTimes(harness).allSatisfy { $0 == 0 })
  }

  @Test func aLatePeerDelaysLaterSteps() throws {
    var replay = Replay(try Self.script(as: .accessory))
    var now = MonotonicTime.zero
    func message(_ id: UInt16) -> Replay.Input { .role(.message(id: id, bytes: SessionScript.message(id))) }
    _ = replay.handle(.role(.linkUp(.standard)), at: now)
    // In the recording, the phone requests the certificate after 10 ms and receives it 10 ms later.
    now = now.adding(milliseconds: 5000)
    #expect(replay.handle(message(0xAA00), at: now).allSatisfy { if case .role = $0 { false } else { true } })
    #expect(replay.nextDeadline == now.adding(milliseconds: 10))
    let actions = replay.handle(.time, at: now.adding(milliseconds: 10))
    #expect(actions.contains { if case .role(.fetchCertificate) = $0 { true } else { false } })
  }

  @Test func aStepIsSentWhenTheUserPermitsIt() throws {
    var options = ReplayOptions()
    options.isStepped = true
    options.speed = nil
    var replay = Replay(try Self.script(as: .device), options: options)
    func isRequest(_ action: Replay.Action) -> Bool {
      if case .role(.send(let bytes)) = action { ControlHeader.id(of: bytes) == 0xAA00 } else { false }
    }
    let first = replay.handle(.role(.linkUp(.standard)), at: .zero)
    #expect(first.contains { if case .report(.ready(step: 0)) = $0 { true } else { false } })
    #expect(!first.contains(where: isRequest) && replay.nextDeadline == nil)
    #expect(replay.handle(.time, at: MonotonicTime(nanoseconds: 1 << 50)).isEmpty)
    #expect(replay.handle(.go, at: MonotonicTime(nanoseconds: 1 << 50)).contains(where: isRequest))
  }

  @Test func moreThanALinkQueuesIsSentInParts() throws {
    var long = SessionScript.plain
    let update = SessionScript.message(0x4C04, SessionScript.parameter(9, [UInt8](repeating: 7, count: 30_000)))
    long.events.insert(contentsOf: [SessionScript.Event](repeating: .message(.device, update), count: 50), at: 9)
    long.packetByteCount = 60_000
    var replay = Replay(try Self.script(long, as: .device), options: Self.quick)
    var flushes = 0
    var byteCount = 0
    var inputs: [Replay.Input] = [.role(.linkUp(.standard))]
    inputs += try long.record().steps.compactMap { step in
      guard case .message(let bytes) = step.content, step.from == .accessory else { return nil }
      return .role(.message(id: ControlHeader.id(of: bytes), bytes: bytes))
    }
    for input in inputs {
      for action in replay.handle(input, at: .zero) {
        if case .role(.send(let bytes)) = action { byteCount += bytes.count }
        if case .flush = action { flushes += 1 }
      }
      #expect(byteCount < Limits().queuedByteCount / 2)
    }
    // Nothing more is sent until the link has sent these messages.
    #expect(flushes == 1)
    #expect(replay.handle(.written(isSent: true), at: .zero).contains { if case .flush = $0 { true } else { false } })
  }

  private static var quick: ReplayOptions {
    var options = ReplayOptions()
    options.speed = nil
    options.authenticates = false
    return options
  }

  // MARK: Ends

  @Test func aSilentPeerIsWaitedForTwice() throws {
    var replay = Replay(try Self.script(as: .accessory))
    _ = replay.handle(.role(.linkUp(.standard)), at: .zero)
    var waits: [Double] = []
    while !replay.isOver, let next = replay.nextDeadline, waits.count < 10 {
      waits.append(next.seconds)
      // There is no authenticator; the test answers only the request for the certificate.
      for action in replay.handle(.time, at: next) {
        if case .role(.fetchCertificate) = action {
          _ = replay.handle(.role(.certificateReady([1])), at: next)
        }
      }
    }
    #expect(replay.isOver && waits.last.map { $0 >= 20 && $0 < 21 } == true, "\(waits)")
    let missing = replay.report.differences.filter { $0.kind.name == .missing }
    #expect(missing.count == 12)
    #expect(replay.report.differences.contains { $0.kind.name == .connection })
  }

  @Test func unrelatedMessagesOfThePeerDoNotKeepTheReplayRunning() throws {
    var replay = Replay(try Self.script(as: .accessory))
    let chatter = SessionScript.message(0xAE01, SessionScript.parameter(6, [0, 50]))
    var now = MonotonicTime.zero
    _ = replay.handle(.role(.linkUp(.standard)), at: now)
    while !replay.isOver, now.seconds < 1000 {
      now = now.adding(milliseconds: 100)
      for action in replay.handle(.role(.message(id: 0xAE01, bytes: chatter)), at: now) {
        if case .role(.fetchCertificate) = action { _ = replay.handle(.role(.certificateReady([1])), at: now) }
      }
    }
    #expect(replay.isOver && now.seconds < 200)
    #expect(replay.report.differences.count <= ReplayReport.maximumDifferences)
  }

  @Test func stepsAfterThePeerClosesAreMissing() throws {
    var harness = ReplayHarness(
      try Self.script(as: .accessory), against: try Self.script(as: .device))
    harness.hangsUpAfter = 4
    let report = try harness.run()
    #expect(report.cause == .transportClosed)
    #expect(report.matchedCount == 4)
    guard case .connection(let unsent)? = report.differences.first(where: { $0.kind.name == .connection })?.kind else {
      Issue.record("the end is no difference")
      return
    }
    // These are the identification, the status of the EA session, its data, and a call.
    #expect(unsent == 4)
    #expect(report.differences.count { $0.kind.name == .missing } == 8)
    // The data belongs to the session whose opening is missing.
    #expect(report.differences.count { $0.kind.name == .data } == 1)
  }

  @Test func messagesAfterATruncatedRecordingAreNoDifference() throws {
    var cut = SessionScript.plain
    cut.events.removeSubrange(9...)
    var harness = ReplayHarness(try Self.script(cut, as: .accessory), against: try Self.script(as: .device))
    let report = try harness.run()
    #expect(report.differenceCount == 0 && report.isEqual)
  }

  @Test func aRecordingThatBeginsMidSessionAnswersAuthentication() throws {
    var late = SessionScript.plain
    late.events.removeSubrange(..<6)
    var options = ReplayOptions()
    options.tolerances = [.kind(.extra, message: nil)]
    var harness = ReplayHarness(
      try Self.script(late, as: .accessory), options: options, against: try Self.script(as: .device),
      peerAuthenticates: true)
    let report = try harness.run()
    #expect(report.isEqual, "\(report.differences)")
    #expect(report.differences.map(\.subject) == [0xAA00, 0xAA02, 0xAA05, 0x1D00].map { .message($0) })
  }

  @Test func onlyTheFirstLinkIsPlayed() throws {
    var twice = SessionScript.plain
    twice.events += SessionScript.plain.events
    let script = try Self.script(twice, as: .device)
    let once = try Self.script(as: .device)
    #expect(script.steps.count == once.steps.count && once.unplayedCount == 0)
    #expect(script.unplayedCount > 10)
    #expect(script.hasEnd)
  }

  // MARK: Data in bulk

  /// Returns the plain session with more pieces of data than the number of messages that are examined, and events after
  /// them.
  private static func bulk(_ followers: [SessionScript.Event]) -> SessionScript {
    var script = SessionScript.plain
    script.events.removeSubrange(11...)
    script.events += [SessionScript.Event](repeating: .data(.device, session: 7, [1, 2, 3]), count: 600)
    script.events += followers + [.reset(.device)]
    return script
  }

  /// Returns a replay that has received every message of the phone up to the opening of the EA session.
  private static func opened(_ script: SessionScript) throws -> Replay {
    var replay = Replay(try Self.script(script, as: .accessory), options: quick)
    _ = replay.handle(.role(.linkUp(.standard)), at: .zero)
    for case .message(.device, let bytes) in script.events.prefix(11) {
      _ = replay.handle(.role(.message(id: ControlHeader.id(of: bytes), bytes: bytes)), at: .zero)
    }
    return replay
  }

  private static func closes(_ action: Replay.Action) -> Bool {
    if case .role(.closeExternalAccessory(session: 7)) = action { true } else { false }
  }

  @Test func aMessageThatOvertakesItsDataIsMatched() throws {
    let stop = SessionScript.message(0xEA01, SessionScript.parameter(0, [0, 7]))
    var replay = try Self.opened(Self.bulk([.message(.device, stop)]))
    // Separate tasks deliver the data of a session, later than messages.
    let early = replay.handle(.role(.message(id: 0xEA01, bytes: stop)), at: .zero)
    #expect(!early.contains(where: Self.closes))
    let session = try #require(replay.session(ofLive: 7))
    let bytes = [[UInt8]](repeating: [1, 2, 3], count: 600).flatMap { $0 }
    #expect(replay.handle(.data(session: session, bytes), at: .zero).contains(where: Self.closes))
    for _ in 0..<100 where !replay.isOver {
      if let next = replay.nextDeadline { _ = replay.handle(.time, at: next) }
    }
    #expect(replay.isOver && replay.report.isEqual, "\(replay.report.differences)")
    #expect(replay.report.matchedCount == replay.report.receivedCount)
  }

  @Test func missingDataDoesNotHideALateMessage() throws {
    let call = SessionScript.call("one", status: 2)
    var script = Self.bulk([.message(.accessory, SessionScript.message(0x415B, SessionScript.parameter(0, [0])))])
    script.events.insert(.message(.device, call), at: 11)
    var replay = try Self.opened(script)
    // The replay waits for the message, then sends the next step without it.
    _ = replay.handle(.time, at: try #require(replay.nextDeadline))
    let now = try #require(replay.nextDeadline)
    _ = replay.handle(.role(.message(id: 0x4155, bytes: call)), at: now.adding(milliseconds: -1))
    _ = replay.handle(.ended(.linkReset), at: now)
    #expect(replay.report.matchedCount == replay.report.receivedCount)
    #expect(replay.report.differences.map(\.kind.name) == [.data], "\(replay.report.differences)")
  }

  @Test func aWriteUnderWayIsOneOfTheStepsThatWereNotSent() throws {
    var script = SessionScript.plain
    script.events.removeSubrange(12...)
    script.events += [.data(.accessory, session: 7, [1]), .data(.accessory, session: 7, [2]), .reset(.device)]
    var replay = try Self.opened(script)
    // The first of three pieces was passed to the link; the other two wait for it.
    _ = replay.handle(.ended(.transportClosed), at: .zero)
    guard case .connection(let unsent)? = replay.report.differences.last?.kind else {
      Issue.record("the end is no difference")
      return
    }
    #expect(unsent == 3)
  }

  @Test func truncationIsReportedWithItsReason() throws {
    var twice = SessionScript.plain
    twice.events += SessionScript.plain.events
    #expect(try Self.script(twice, as: .device).cut == .link)
    #expect(try Self.script(as: .device).cut == nil)
    var limits = ReplayScript.recordLimits
    limits.pieceByteCount = 150
    let script = ReplayScript(try SessionScript.plain.record(limits: limits), as: .device)
    #expect(script.cut == .limit && script.unplayedCount > 0 && !script.hasEnd)
  }

  // MARK: Hostile recordings and peers

  @Test(arguments: 0..<200) func aBrokenRecordingIsPlayedAsFarAsItGoes(seed: Int) throws {
    var generator = SeededGenerator(seed: UInt64(seed))
    var lines = SessionScript.plain.capture.split(separator: UInt8(ascii: "\n")).map(Array.init)
    switch seed % 3 {
    case 0: lines.removeSubrange(Int.random(in: 3..<lines.count, using: &generator)...)
    case 1: lines.shuffle(using: &generator)
    default:
      for _ in 0..<20 {
        let line = Int.random(in: lines.indices, using: &generator)
        let place = Int.random(in: lines[line].indices, using: &generator)
        lines[line][place] = "0123456789abcdef ".utf8.randomElement(using: &generator) ?? 0
      }
    }
    let bytes = Array(lines.joined(separator: [UInt8(ascii: "\n")]))
    let record: SessionRecord
    do { record = try SessionScript.record(of: bytes, limits: ReplayScript.recordLimits) } catch { return }
    for side in Side.allCases {
      let script = ReplayScript(record, as: side)
      for peer in [ReplayScript(record, as: side.peer), try Self.script(as: side.peer)] {
        var options = ReplayOptions()
        options.speed = seed.isMultiple(of: 2) ? nil : 1
        var harness = ReplayHarness(script, options: options, against: peer)
        let report = try harness.run()
        #expect(report.differences.count == report.differenceCount, "seed \(seed)")
      }
    }
  }

  @Test func veryLongWaitsAreSupported() throws {
    var far = SessionScript.plain
    far.secondsPerRecord = 1e8
    // At this speed, a millisecond of the recording takes longer than any clock runs.
    var options = ReplayOptions()
    options.speed = 1e-9
    var replay = Replay(try Self.script(far, as: .accessory), options: options)
    _ = replay.handle(.role(.linkUp(.standard)), at: .zero)
    _ = replay.handle(.role(.message(id: 0xAA00, bytes: SessionScript.message(0xAA00))), at: .zero)
    #expect(replay.nextDeadline.map { $0.seconds > 1e9 } == true)
  }

  @Test func theLongestRunInOrderIsKept() {
    #expect(IncreasingRun.longest([]) == [])
    #expect(IncreasingRun.longest([1, 2, 3]) == [1, 2, 3])
    #expect(IncreasingRun.longest([9, 1, 2, 3]) == [1, 2, 3])
    #expect(IncreasingRun.longest([1, 3, 2, 4]).count == 3)
    #expect(IncreasingRun.longest([5, 4, 3, 2, 1]).count == 1)
  }
}
