// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture
@testable import IAP2Replay

@Suite struct ReplayTests {
  /// Returns the report of the plain session, replayed as accessory against a phone that plays a changed session.
  private static func report(
    _ options: ReplayOptions = ReplayOptions(), hangsUpAfter limit: Int? = nil,
    change: (inout SessionScript) throws -> Void = { _ in }
  ) throws -> ReplayReport {
    var other = SessionScript.plain
    try change(&other)
    var harness = ReplayHarness(
      ReplayScript(try record(.plain), as: .accessory), options: options,
      against: ReplayScript(try record(other), as: .device))
    harness.hangsUpAfter = limit
    return try harness.run()
  }

  private static func record(_ script: SessionScript) throws -> SessionRecord {
    try script.record(limits: ReplayScript.recordLimits)
  }

  private static func options(_ tolerances: String...) throws -> ReplayOptions {
    var options = ReplayOptions()
    options.tolerances = try tolerances.map { try ReplayTolerance(parsing: $0) }
    return options
  }

  private static func names(_ report: ReplayReport) -> [String] { report.differences.map(\.kind.name.rawValue) }

  private static func message(_ id: UInt16, in script: SessionScript) throws -> Int {
    try #require(
      script.events.firstIndex {
        if case .message(_, let bytes) = $0 { ControlHeader.id(of: bytes) == id } else { false }
      })
  }

  // MARK: No difference

  @Test(arguments: Side.allCases) func aSessionIsPlayedAgainstItself(side: Side) throws {
    let record = try Self.record(.plain)
    // The peer signs with a certificate of its own.
    var harness = ReplayHarness(
      ReplayScript(record, as: side), options: try Self.options("certificate"),
      against: ReplayScript(record, as: side.peer), peerAuthenticates: true)
    let report = try harness.run()
    #expect(report.isEqual, "\(report.differences)")
    #expect(report.differenceCount == 0)
    let own = record.steps.filter { step in
      if case .message = step.content { step.from == side } else { false }
    }
    #expect(harness.sent.count == own.count)
  }

  @Test func replaySendsTheRecordedBytesExceptAuthentication() throws {
    let record = try Self.record(.plain)
    var harness = ReplayHarness(
      ReplayScript(record, as: .accessory), against: ReplayScript(record, as: .device))
    _ = try harness.run()
    let recorded = record.steps.compactMap { step -> [UInt8]? in
      if case .message(let bytes) = step.content, step.from == .accessory { bytes } else { nil }
    }
    let challenge = Array(1...32) as [UInt8]
    #expect(harness.sent[0] == SessionScript.message(0xAA01, SessionScript.parameter(0, [1, 2, 3])))
    #expect(harness.sent[1] == SessionScript.message(0xAA03, SessionScript.parameter(0, challenge.reversed())))
    #expect(Array(harness.sent.dropFirst(2)) == Array(recorded.dropFirst(2)))
  }

  @Test func recordedAuthenticationIsSentUnchangedAndReported() throws {
    let record = try Self.record(.plain)
    var options = ReplayOptions()
    options.authenticates = false
    var harness = ReplayHarness(
      ReplayScript(record, as: .accessory), options: options, against: ReplayScript(record, as: .device))
    let report = try harness.run()
    #expect(report.differenceCount == 0)
    #expect(harness.sent[1] == SessionScript.message(0xAA03, SessionScript.parameter(0, Array(1...64))))
    let notes = harness.events.compactMap { if case .note(let note) = $0.event { note } else { nil } }
    #expect(
      notes == [
        .recordedAuthentication(message: 0xAA01, reason: nil), .recordedAuthentication(message: 0xAA03, reason: nil),
      ])
  }

  @Test func aPhoneJudgesTheLiveSignature() throws {
    // The accessory's recorded signature is for another challenge, so a peer that sends it fails authentication.
    let record = try Self.record(.plain)
    var harness = ReplayHarness(
      ReplayScript(record, as: .device), against: ReplayScript(record, as: .accessory))
    // The harness accepts the reversed challenge as signature; the recorded signature is 1…64.
    let report = try harness.run()
    #expect(Self.names(report).contains("authentication"))
    #expect(harness.sent.last == ControlHeader.message(0xAA04))
  }

  // MARK: One difference of each kind

  @Test func aMessageThatDoesNotComeIsMissing() throws {
    let report = try Self.report { $0.events.remove(at: try Self.message(0x4E0B, in: $0)) }
    #expect(Self.names(report) == ["missing"])
    #expect(report.differences.first?.subject == .message(0x4E0B))
    #expect(report.differences.first?.record == 13)
    #expect(!report.isEqual)
  }

  @Test func aMessageThatTheRecordingDoesNotHaveIsExtra() throws {
    let report = try Self.report {
      $0.events.insert(.message(.device, SessionScript.message(0x4E0A, SessionScript.text(0, "de"))), at: 9)
    }
    #expect(Self.names(report) == ["extra"])
    #expect(report.differences.first?.record == nil)
  }

  @Test func messagesInAnotherOrderAreOneDifference() throws {
    let report = try Self.report { $0.events.swapAt(7, 8) }
    #expect(Self.names(report) == ["order"])
  }

  @Test func aParameterWithAnotherValueIsNamedByItsPath() throws {
    let report = try Self.report { script in
      for (index, event) in script.events.enumerated() {
        guard case .message(let side, let bytes) = event, ControlHeader.id(of: bytes) == 0x5001 else { continue }
        script.events[index] = .message(side, SessionScript.nowPlaying(title: "Other", artwork: 200))
      }
    }
    #expect(Self.names(report) == ["parameter"])
    guard case .parameter(let difference)? = report.differences.first?.kind else {
      Issue.record("no parameter")
      return
    }
    #expect(difference.path.map(\.id) == [0, 1])
    #expect(difference.a == .text("Song") && difference.b == .text("Other"))
  }

  @Test func dataIsComparedByteForByte() throws {
    let report = try Self.report { script in
      for (index, event) in script.events.enumerated() {
        if case .data(.device, let session, var bytes) = event {
          bytes[40] = 0
          script.events[index] = .data(.device, session: session, bytes)
        }
      }
    }
    #expect(Self.names(report) == ["data"])
    guard case .data(let place, recorded: 100, live: 100)? = report.differences.first?.kind else {
      Issue.record("no data")
      return
    }
    #expect(place.offset == 40)
  }

  @Test func filesAreComparedByteForByte() throws {
    let report = try Self.report { script in
      for (index, event) in script.events.enumerated() {
        if case .file(.device, 128, .onlyData, var bytes) = event {
          bytes[7] = 0
          script.events[index] = .file(.device, 128, .onlyData, bytes)
        }
      }
    }
    #expect(Self.names(report) == ["file"])
  }

  @Test func anIdentifierMustIdentifyTheSameThingThroughout() throws {
    let report = try Self.report { script in
      for (index, event) in script.events.enumerated() {
        guard case .message(.device, let bytes) = event, bytes == SessionScript.call("two", status: 4) else { continue }
        script.events[index] = .message(.device, SessionScript.call("one", status: 4))
      }
    }
    #expect(Self.names(report) == ["parameter"])
    if case .identifier(.call, _, _)? = report.differences.first?.kind {} else { Issue.record("no identifier") }
  }

  // MARK: Identifiers

  @Test func newIdentifiersOfThePeerAreUsedInSentMessages() throws {
    let record = try Self.record(.plain)
    var other = SessionScript.plain
    for (index, event) in other.events.enumerated() {
      switch event {
      case .message(.device, let bytes) where ControlHeader.id(of: bytes) == 0xEA00:
        let open = SessionScript.message(
          0xEA00, SessionScript.parameter(0, [1]), SessionScript.parameter(1, [0x12, 0x34]))
        other.events[index] = .message(.device, open)
      case .message(.device, SessionScript.call("two", status: 2)):
        other.events[index] = .message(.device, SessionScript.call("a call of today", status: 2))
      case .message(.device, SessionScript.call("two", status: 4)):
        other.events[index] = .message(.device, SessionScript.call("a call of today", status: 4))
      case .data(let side, 7, let bytes): other.events[index] = .data(side, session: 0x1234, bytes)
      case .message, .data, .file, .reset, .noise, .again, .wait, .acknowledge: break
      }
    }
    var harness = ReplayHarness(
      ReplayScript(record, as: .accessory), against: ReplayScript(try Self.record(other), as: .device))
    let report = try harness.run()
    #expect(report.differenceCount == 0, "\(report.differences)")
    let status = SessionScript.message(
      0xEA03, SessionScript.parameter(0, [0x12, 0x34]), SessionScript.parameter(1, [0]))
    let accept = SessionScript.message(
      0x415B, SessionScript.parameter(0, [0]), SessionScript.text(1, "a call of today"))
    #expect(harness.sent.contains(status) && harness.sent.contains(accept))
  }

  // MARK: Tolerance

  @Test(arguments: [
    "missing", "missing:DeviceTimeUpdate", "missing:0x4E0B", "DeviceTimeUpdate", "0x4e0b",
  ]) func aToleratedDifferenceIsReportedAndDoesNotFail(rule: String) throws {
    let report = try Self.report(try Self.options(rule)) {
      $0.events.remove(at: try Self.message(0x4E0B, in: $0))
    }
    #expect(report.isEqual && report.differenceCount == 1 && report.toleratedCount == 1)
    #expect(report.differences.first?.tolerance == (try ReplayTolerance(parsing: rule)))
  }

  @Test(arguments: ["NowPlayingUpdate.MediaItemAttributes", "0x5001.0.1", "parameter:NowPlayingUpdate", "parameter"])
  func aParameterIsToleratedByItsPath(rule: String) throws {
    func change(_ script: inout SessionScript) {
      for (index, event) in script.events.enumerated() {
        guard case .message(let side, let bytes) = event, ControlHeader.id(of: bytes) == 0x5001 else { continue }
        script.events[index] = .message(side, SessionScript.nowPlaying(title: "Other", artwork: 200))
      }
    }
    #expect(try Self.report(try Self.options(rule), change: change).isEqual)
    #expect(try !Self.report(Self.options("NowPlayingUpdate.PlaybackAttributes"), change: change).isEqual)
    #expect(try !Self.report(Self.options("missing", "extra", "order"), change: change).isEqual)
  }

  @Test func invalidToleranceRulesAreRejectedByName() {
    let texts: [(String, ReplayTolerance.Problem)] = [
      ("", .unknown("")), (":", .unknown(":")), ("challenge", .unknown("challenge")), ("Missing", .unknown("Missing")),
      ("4E0B", .unknown("4E0B")), ("0x10000", .unknown("0x10000")), (".", .unknownMessage("")),
      ("missing:", .unknownMessage("")), ("missing:Nobody", .unknownMessage("Nobody")),
      ("data:PowerUpdate", .notOfMessages(.data)), ("PowerUpdate.", .unknownParameter("", message: 0xAE01)),
      ("PowerUpdate.Nothing", .unknownParameter("Nothing", message: 0xAE01)),
      ("PowerUpdate.70000", .unknownParameter("70000", message: 0xAE01)),
    ]
    for (text, problem) in texts {
      #expect(throws: problem, "\(text)") { try ReplayTolerance(parsing: text) }
    }
  }

  @Test func messagesCoveredByARuleMayDifferInNumber() throws {
    let tick = SessionScript.message(
      0x5001, SessionScript.parameter(1, SessionScript.parameter(1, [0, 0, 1, 0])))
    let more: (inout SessionScript) -> Void = {
      $0.events.insert(.message(.device, tick), at: 15)
      $0.events.insert(.message(.device, tick), at: 15)
    }
    #expect(Self.names(try Self.report(change: more)) == ["extra", "extra"])
    let report = try Self.report(try Self.options("playback-position"), change: more)
    #expect(report.differenceCount == 0 && report.repeated[.playbackPosition] == 2)
  }

  // MARK: Limits of the list

  private static func difference(_ number: Int, _ tolerance: ReplayTolerance?) -> ReplayDifference {
    var difference = ReplayDifference(kind: .extra, subject: .message(0xAE01), record: nil, step: number)
    difference.tolerance = tolerance
    return difference
  }

  @Test func aFailureAfterAFullListOfToleratedDifferencesIsListed() {
    var report = ReplayReport()
    report.isLinkUp = true
    let limit = ReplayReport.maximumDifferences
    for number in 0..<(limit + 10) { report.add(Self.difference(number, .kind(.extra, message: nil))) }
    #expect(report.isEqual && report.differences.count == limit)
    for number in 0..<3 { report.add(Self.difference(limit + 10 + number, nil)) }
    #expect(!report.isEqual && report.differences.count == limit)
    #expect(report.differences.filter { $0.tolerance == nil }.map(\.step) == [4106, 4107, 4108])
    #expect(report.differenceCount == limit + 13 && report.toleratedCount == limit + 10)
    // A full list of failures does not change any more.
    for number in 0..<(limit + 10) { report.add(Self.difference(number, nil)) }
    #expect(report.differences.count == limit && report.differences.allSatisfy { $0.tolerance == nil })
    report.add(Self.difference(0, .kind(.extra, message: nil)))
    #expect(report.differences.allSatisfy { $0.tolerance == nil })
  }

  @Test func aToleratedEndWithoutALinkIsNotAsRecorded() throws {
    var replay = Replay(ReplayScript(try Self.record(.plain), as: .accessory), options: try Self.options("connection"))
    _ = replay.handle(.ended(.transportClosed), at: .zero)
    #expect(!replay.report.isEqual && replay.report.differences.allSatisfy { $0.tolerance != nil })
  }
}
