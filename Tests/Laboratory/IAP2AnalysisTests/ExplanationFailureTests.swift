// swift-iap2 · Apache-2.0

import CaptureSupport
import IAP2
import IAP2Roles
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

/// Failures whose cause is not the step that is missing: damaged packets, absent parameters, EA sessions that failed
/// before an orderly end, and limits of this program.
@Suite struct ExplanationFailureTests {
  typealias Script = SessionScript

  static func explain(_ script: Script) throws -> Explanation {
    try #require(ExplanationTests.explain(script.capture).first)
  }

  // MARK: Identification

  /// Returns the bytes of parameters with one of them left out or replaced.
  static func identification(without id: UInt16, replacement: [UInt8] = []) throws -> [UInt8] {
    let whole = Script.identification()
    let bytes = whole.rawBytes
    var body: [UInt8] = []
    try bytes.forEachParameter(in: try ControlHeader.body(bytes)) { found, range, _ in
      if found != id { body.append(copying: bytes.extracting(range)) }
    }
    return ControlHeader.message(0x1D01, body: replacement + body)
  }

  static func rejected(_ identification: [UInt8], naming parameters: [UInt16]) throws -> Explanation {
    var script = Script.plain
    script.events = Array(script.events.prefix(6))
    script.events += [
      .message(.accessory, identification),
      .message(.device, ControlHeader.message(0x1D03, body: parameters.flatMap { Script.parameter($0, []) })),
    ]
    let found = try explain(script)
    #expect(found.point.id == "identification-rejected")
    return found
  }

  @Test(arguments: [0, 5, 9, 12] as [UInt16]) func explainAdvisesToAddAnAbsentRequiredParameter(id: UInt16) throws {
    let found = try Self.rejected(try Self.identification(without: id), naming: [id])
    #expect(found.history.rejected?.absent == [id] && found.causes.map(\.id) == ["parameter-absent"])
  }

  /// The device names a parameter that no identification needs, so it wants one.
  @Test func explainAdvisesToAddARejectedAbsentOptionalParameter() throws {
    let found = try Self.rejected(Script.identification(), naming: [34])
    #expect(found.history.rejected?.absent == [34] && !found.causes.map(\.id).contains("optional-component"))
    #expect(found.causes.map(\.id).contains("parameter-absent"))
  }

  @Test func explainAdvisesToOmitOnlyOptionalParameters() throws {
    let optional = try Self.rejected(Script.identification(), naming: [10])
    let required = try Self.rejected(Script.identification(), naming: [0])
    #expect(optional.causes.map(\.id).contains("optional-component"))
    #expect(!optional.causes.map(\.id).contains("required-value"))
    #expect(required.causes.map(\.id).contains("required-value"))
    #expect(!required.causes.map(\.id).contains("optional-component"))
  }

  @Test func anUnreadableParameterIsNoAbsentOne() throws {
    let short = try Self.identification(without: 9, replacement: Script.parameter(9, [0]))
    let found = try Self.rejected(short, naming: [9])
    #expect(found.history.rejected?.unreadable == [9] && found.history.rejected?.absent == [])
    #expect(found.causes.map(\.id) == ["parameter-unreadable"])
  }

  // MARK: Damaged packets

  /// Returns the lines of a session up to the request for the certificate, with packets of one side damaged by a change
  /// of their last byte or of their header's checksum.
  static func damaged(
    _ from: Side, count: Int, isHeader: Bool = false, then rest: [Script.Event] = []
  ) throws -> Explanation {
    var script = Script()
    script.events = [.message(.device, Script.message(0xAA00))]
    if from == .accessory {
      script.events.append(.message(.accessory, Script.message(0xAA01, Script.parameter(0, [0x30, 0]))))
    }
    var lines = String(decoding: script.capture, as: UTF8.self).split(separator: "\n").map(String.init)
    let last = lines.removeLast().split(separator: " ")
    var packet = try #require(Hex.bytes(last[2]))
    packet[isHeader ? 8 : packet.count - 1] ^= 0xFF
    lines += (0..<count).map { "\(Double($0) + 1) \(last[1]) \(Hex.text(packet))" }
    var after = Script()
    after.start = Double(count) + 1
    after.events = rest
    let tail = String(decoding: after.capture, as: UTF8.self).split(separator: "\n").dropFirst(4)
    return try #require(
      ExplanationTests.explain(Array((lines + tail.map(String.init)).joined(separator: "\n").utf8)).first)
  }

  @Test(arguments: Side.allCases, [false, true]) func aPacketThatIsAlwaysDamagedIsNamed(
    from: Side, isHeader: Bool
  ) throws {
    for rest in [[], [.reset(from)], [.reset(from.peer)]] as [[Script.Event]] {
      let found = try Self.damaged(from, count: 8, isHeader: isHeader, then: rest)
      #expect(found.point.id == "damaged-packet", "\(from) \(rest) \(found.finding.map { $0.detail } ?? "")")
      let damage = try #require(found.history.damage)
      #expect(damage.from == from && damage.count == 8 && damage.checksum?.isHeader == isHeader)
      #expect(damage.checksum.map { $0.found == $0.expected ^ 0xFF } == true)
      #expect(found.turn.owner == from)
    }
  }

  @Test func damageThatARetransmissionRepairsIsNoCause() throws {
    let request = Script.message(0xAA00)
    let repaired = try Self.damaged(.device, count: 3, then: [.message(.device, request)])
    #expect(repaired.point.id == "certificate-unanswered" && repaired.history.damage == nil)
    // One damaged packet may still be retransmitted, unless the session has ended.
    #expect(try Self.damaged(.accessory, count: 1).point.id == "certificate-unanswered")
    #expect(try Self.damaged(.accessory, count: 1, then: [.reset(.device)]).point.id == "damaged-packet")
  }

  // MARK: EA sessions

  static let open = Script.Event.message(
    .device, Script.message(0xEA00, Script.parameter(0, [1]), Script.parameter(1, [0, 7])))
  static let close = Script.Event.message(.device, Script.message(0xEA01, Script.parameter(0, [0, 7])))

  static func status(_ code: UInt8) -> Script.Event {
    .message(.accessory, Script.message(0xEA03, Script.parameter(0, [0, 7]), Script.parameter(1, [code])))
  }

  static func session(_ events: [Script.Event]) throws -> Explanation {
    try explain(ExplanationTests.identified(receiving: [0xEA00, 0xEA01], then: events))
  }

  @Test(
    arguments: [[], [close], [close, .reset(.device)], [.reset(.device)], [.reset(.accessory)]] as [[Script.Event]])
  func aRefusedSessionIsNoOrderlyEnd(rest: [Script.Event]) throws {
    let found = try Self.session([Self.open, Self.status(1)] + rest)
    #expect(found.point.id == "session-refused" && !found.point.isComplete)
    #expect(found.history.shownSession(for: found.stage)?.id == 7)
    // An accessory may accept the session first and close it after data.
    let data = Script.Event.data(.accessory, session: 7, [1])
    let closed = try Self.session([Self.open, Self.status(0), data, Self.status(1)] + rest)
    #expect(closed.point.id != "session-refused" && closed.point.isComplete)
  }

  @Test(arguments: [[close], [close, .reset(.device)], [close, .reset(.accessory)]] as [[Script.Event]])
  func anUnansweredSessionIsNoOrderlyEnd(rest: [Script.Event]) throws {
    let found = try Self.session([Self.open] + rest)
    #expect(found.point.id == "session-unanswered" && !found.point.isComplete)
    #expect(found.history.secondsUntilClose(of: 7).map { abs($0 - 0.2) < 0.001 } == true)
    // Data of the accessory is an answer too, and a second attempt may succeed.
    let answered = try Self.session([Self.open, .data(.accessory, session: 7, [1])] + rest)
    let again = try Self.session([Self.open, Self.close, Self.open, Self.status(0)] + rest)
    #expect(answered.point.isComplete, "\(answered.finding.map { $0.detail } ?? "")")
    #expect(again.point.isComplete)
  }

  // MARK: Authentication

  @Test func authenticationIsClaimedOnlyWhereItHappenedOrPrecedesTheCapture() throws {
    var script = Script.plain
    let notification = Script.Event.message(.device, Script.message(0x4E09, Script.text(0, "Phone")))
    script.events = Array(script.events[5...7]) + [notification]
    for rest in [[], [.reset(.accessory)]] as [[Script.Event]] {
      var ended = script
      ended.events += rest
      let found = try Self.explain(ended)
      #expect(!found.reached.contains(.authentication) && found.reached.contains(.identification))
      #expect(found.point.id == (rest.isEmpty ? "authentication-missing" : "reset-mid-session"))
      #expect(found.stage == .authentication && found.turn == .device(.message(0xAA00)))
    }
    // The capture begins after both exchanges.
    let lines = String(decoding: script.capture, as: UTF8.self).split(separator: "\n").suffix(1)
    let later = try #require(ExplanationTests.explain(Array(lines.joined(separator: "\n").utf8)).first)
    #expect(later.reached.contains(.authentication))
  }

  // MARK: Limits of this program

  /// Returns a capture of this program with its comment for the end, as text or as pcapng.
  static func own(_ end: DisconnectCause, _ format: CaptureWriter.Format, up: Bool) throws -> Explanation {
    var script = Script()
    script.events = up ? [.message(.device, Script.message(0xAA00))] : []
    var lines = String(decoding: script.capture, as: UTF8.self).split(separator: "\n")[...]
    if !up { lines = lines.prefix(1) }
    var writer = CaptureWriter(format)
    var bytes = writer.header
    func add(_ side: Side, _ content: [UInt8], _ comment: String? = nil) {
      bytes += writer.record(
        CaptureWriter.Record(nanoseconds: 1, from: side, bytes: content, comment: comment))
    }
    for line in lines {
      let words = line.split(separator: " ")
      add(words[1] == "A>D" ? .accessory : .device, try #require(Hex.bytes(words[2])))
    }
    add(.device, [], CaptureNote.disconnected(end))
    return try #require(ExplanationTests.explain(bytes).first)
  }

  @Test(arguments: [CaptureWriter.Format.text, .pcapng], [true, false]) func theOwnTimeoutIsNamed(
    format: CaptureWriter.Format, up: Bool
  ) throws {
    let found = try Self.own(.timeout, format, up: up)
    #expect(found.point.id == (up ? "certificate-unanswered" : "detect-unanswered"))
    #expect(found.causes.first?.id == "own-timeout" && !found.history.hasNoEnd)
    let asked = try Self.own(.requested, format, up: up)
    #expect(!asked.causes.map(\.id).contains("own-timeout"))
    #expect(asked.causes.map(\.id).contains("own-request") == up)
    let closed = try Self.own(.transportClosed, format, up: true)
    #expect(closed.point.id == "transport-closed", "\(closed.finding.map { $0.detail } ?? "")")
    #expect(closed.last?.step == .transportClosed)
  }

  /// A session that this program ends because the peer is silent is no orderly end, although nothing is open.
  @Test func aSilentPeerIsNoOrderlyEnd() throws {
    let script = ExplanationTests.identified(receiving: [], then: [.message(.device, ExplanationTests.time)])
    var reset = script
    reset.events.append(.reset(.device))
    let lines = String(decoding: reset.capture, as: UTF8.self).split(separator: "\n").map(String.init)
    for (note, id) in [("timeout", "reset-mid-session"), ("requested", "ended")] {
      let text = (lines.dropLast() + ["# disconnected: \(note)"] + lines.suffix(1)).joined(separator: "\n")
      let found = try #require(ExplanationTests.explain(Array(text.utf8)).first)
      #expect(found.point.id == id && found.causes.map(\.id).contains("own-silence") == (note == "timeout"))
    }
  }

  /// Each text capture of a failure without comments of this program, written as pcapng, has the same explanation.
  @Test(arguments: ExplanationTests.names("failures").filter { $0.hasSuffix(".txt") })
  func theFormatOfACaptureDoesNotMatter(name: String) throws {
    let bytes = try ExplanationTests.file("failures/\(name)")
    let text = String(decoding: bytes, as: UTF8.self)
    guard !text.contains("# disconnected:") else { return }
    let whole = ExplanationTests.explain(bytes).map(ExplanationTests.substance)
    var writer = CaptureWriter(.pcapng)
    var capture = writer.header
    for line in text.split(separator: "\n") {
      guard let (time, from, bytes) = try TextRecords.parse(line.utf8) else { continue }
      capture += writer.record(
        CaptureWriter.Record(nanoseconds: time.map { Int64($0 * 1e9) }, from: from, bytes: bytes))
    }
    #expect(ExplanationTests.explain(capture).map(ExplanationTests.substance) == whole)
  }

  /// The captures of failures whose cause is in the packets, written as btsnoop.
  @Test(arguments: [
    "damaged-packet", "damaged-packet.device", "session-refused.closed", "session-unanswered.closed",
    "identification-rejected.absent", "authentication-missing.notified",
  ])
  func aBluetoothLogHasTheSameExplanation(name: String) throws {
    let bytes = try ExplanationTests.file("failures/\(name).txt")
    var writer = CaptureWriter(.btsnoop)
    var capture = writer.header
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard let (time, from, bytes) = try TextRecords.parse(line.utf8) else { continue }
      capture += writer.record(
        CaptureWriter.Record(nanoseconds: time.map { Int64($0 * 1e9) }, from: from, bytes: bytes))
    }
    let whole = ExplanationTests.explain(bytes).map(ExplanationTests.substance)
    #expect(ExplanationTests.explain(capture).map(ExplanationTests.substance) == whole)
  }

  // MARK: Resets

  /// An RST right after a message that the identification does not list is no orderly end; later it is one.
  @Test func aResetAfterAnUnlistedMessageNamesTheMessage() throws {
    let uuid = Script.Event.message(.device, ExplanationTests.time)
    for (listed, side, isOrderly) in [
      ([0xEA00], Side.accessory, false), ([0xEA00, 0x4E0B], .accessory, true), ([0xEA00], .device, true),
    ] as [([UInt16], Side, Bool)] {
      let found = try Self.explain(ExplanationTests.identified(receiving: listed, then: [uuid, .reset(side)]))
      #expect(found.point.isComplete == isOrderly)
      #expect(found.causes.map(\.id).contains("message-not-listed") == !isOrderly)
    }
  }

  @Test func aResetAfterAMessageThatCannotBeReadNamesTheMessage() throws {
    let cut: [UInt8] = [0x40, 0x40, 0x00, 0x07, 0xAE, 0x01, 0x00]
    var script = ExplanationTests.identified(receiving: [0xEA00, 0xAE01], then: [.message(.device, cut)])
    script.events.append(.reset(.accessory))
    let found = try Self.explain(script)
    #expect(found.history.fault?.id == 0xAE01 && found.turn == .device(.message(0xAE01)) && !found.point.isComplete)
    #expect(found.causes.map(\.id).contains("unreadable-payload"))
    // The sender of the message resets for another reason; the message is named all the same.
    script.events[script.events.count - 1] = .reset(.device)
    let sender = try Self.explain(script)
    #expect(sender.point.id == "message-breaks-schema" && sender.turn == .device(.message(0xAE01)))
    #expect(!sender.causes.map(\.id).contains("unreadable-payload"))
  }

  @Test func otherCommentsOfATextHaveNoEffect() throws {
    let ended: [Script.Event] = [.message(.device, ExplanationTests.time), .reset(.device)]
    var capture = ExplanationTests.identified(receiving: [0x4E0B], then: ended).capture
    capture += Array("# disconnected: by hand\n# the end\n".utf8)
    let found = try #require(ExplanationTests.explain(capture).first)
    #expect(found.history.comment == nil && found.point.id == "ended")
  }

  @Test func aSideThatEndsBeforeItsLimitDidNotGiveUp() throws {
    var script = ExplanationTests.identified(receiving: [0xEA00], then: [.message(.device, ExplanationTests.time)])
    script.events += [.again, .reset(.device)]
    #expect(try Self.explain(script).point.id == "ended")
    script.events = Array(script.events.dropLast())
    script.events += Array(repeating: .again, count: 30) + [.reset(.device)]
    #expect(try Self.explain(script).point.id == "gave-up")
  }

  // MARK: Mistakes that no message waits for

  private static func point(_ receiving: [UInt16], _ events: [Script.Event]) throws -> String {
    try explain(ExplanationTests.identified(receiving: receiving, then: events)).point.id
  }

  @Test func dataUnderWayAtAResetIsNoMistake() throws {
    let status = Script.Event.message(
      .accessory, Script.message(0xEA03, Script.parameter(0, [0, 9]), Script.parameter(1, [0])))
    let ended: [Script.Event] = [.message(.device, ExplanationTests.time), .reset(.device)]
    for (count, point) in [(0, "ended"), (1, "ended"), (5, "ended"), (6, "data-after-reset")] {
      #expect(try Self.point([0x4E0B], ended + Array(repeating: status, count: count)) == point, "\(count)")
    }
    // Data of the side that reset the link is no mistake.
    let own = Script.Event.message(.device, ExplanationTests.time)
    #expect(try Self.point([0x4E0B], ended + Array(repeating: own, count: 6)) == "ended")
  }

  @Test func dataOfAClosedSessionIsAMistakeUnlessItWasUnderWay() throws {
    func open(_ session: UInt8) -> [Script.Event] {
      let id = Script.parameter(1, [0, session])
      return [
        .message(.device, Script.message(0xEA00, Script.parameter(0, [1]), id)),
        .message(.accessory, Script.message(0xEA03, Script.parameter(0, [0, session]), Script.parameter(1, [0]))),
        .data(.device, session: UInt16(session), [1]), .data(.accessory, session: UInt16(session), [1]),
      ]
    }
    let close = Script.Event.message(.device, Script.message(0xEA01, Script.parameter(0, [0, 1])))
    let late = Script.Event.data(.accessory, session: 1, [2])
    let listed: [UInt16] = [0xEA00, 0xEA01]
    #expect(try Self.point(listed, open(1) + [close, late]) != "session-id-wrong")
    #expect(try Self.point(listed, open(1) + [close, late, late]) == "session-id-wrong")
    #expect(try Self.point(listed, open(1) + [close] + open(2) + [late, late]) == "session-id-wrong")
    #expect(try Self.point(listed, open(1) + [close, late, late] + open(2)) != "session-id-wrong")
  }

  @Test func aFileThatFailsIsForgottenWhenOneSucceeds() throws {
    let setup = Script.Event.file(.device, 130, .setup, [0, 0, 0, 0, 0, 0, 0, 4, 0, 2])
    func sent(_ count: Int) -> Script.Event { .file(.device, 130, .onlyData, Array(repeating: 7, count: count)) }
    let failed: [Script.Event] = [
      setup, .file(.accessory, 130, .start, []), sent(3), .file(.accessory, 130, .failure, []),
    ]
    let kept: [Script.Event] = [
      setup, .file(.accessory, 130, .start, []), sent(4), .file(.accessory, 130, .success, []),
    ]
    #expect(try Self.point([0x5001], failed) == "file-failed")
    #expect(try Self.point([0x5001], kept + failed) == "file-failed")
    #expect(try Self.point([0x5001], failed + kept) != "file-failed")
  }

  @Test func dataWithAnIDThatIsUsedRightlyLaterIsForgotten() throws {
    let open: [Script.Event] = [
      .message(.device, Script.message(0xEA00, Script.parameter(0, [1]), Script.parameter(1, [0, 1]))),
      .message(.accessory, Script.message(0xEA03, Script.parameter(0, [0, 1]), Script.parameter(1, [0]))),
      .data(.device, session: 1, [1]),
    ]
    let lost = Script.Event.data(.accessory, session: 0x706F, [2])
    let listed: [UInt16] = [0xEA00, 0xEA01]
    #expect(try Self.point(listed, open + [lost]) == "session-id-unknown")
    #expect(try Self.point(listed, open + [lost, .data(.accessory, session: 1, [2])]) != "session-id-unknown")
    let swapped = try Self.explain(
      ExplanationTests.identified(receiving: listed, then: open + [.data(.accessory, session: 0x100, [2])]))
    #expect(swapped.causes.map(\.id) == ["id-bytes-swapped"])
  }

  @Test func aFileThatIsStartedWithItsOwnIDLaterIsNoMistake() throws {
    let setup = Script.Event.file(.device, 130, .setup, [0, 0, 0, 0, 0, 0, 0, 4, 0, 2])
    let wrong = Script.Event.file(.accessory, 2, .start, [])
    let right = Script.Event.file(.accessory, 130, .start, [])
    #expect(try Self.point([0x5001], [setup, wrong]) == "file-id-wrong")
    #expect(try Self.point([0x5001], [setup, wrong, right]) != "file-id-wrong")
    // The accessory's own file has an id of its own.
    let own = Script.Event.file(.accessory, 2, .setup, [0, 0, 0, 0, 0, 0, 0, 4, 0, 2])
    #expect(try Self.point([0x5001], [own, .file(.device, 2, .start, [])]) != "file-id-wrong")
  }

  @Test func onlyAResetDirectlyAfterTheStateIsTakenForIt() throws {
    func state(_ value: UInt8) -> Script.Event {
      .message(.device, Script.message(0xAE01, Script.parameter(5, [value])))
    }
    func point(_ events: [Script.Event]) throws -> String {
      let start = Script.Event.message(.accessory, Script.message(0xAE00, Script.parameter(5, [])))
      return try Self.point([0xAE01, 0x4E0B], [start] + events)
    }
    #expect(try point([state(2), .reset(.accessory)]) == "reset-at-power")
    #expect(try point([state(0), .reset(.accessory)]) == "reset-at-power")
    #expect(try point([state(1), .reset(.accessory)]) == "ended")
    #expect(try point([state(2), .reset(.device)]) == "ended")
    let later = Script.Event.message(.device, ExplanationTests.time)
    #expect(try point([state(2), later, .reset(.accessory)]) == "ended")
  }

  @Test func aMessageThatIsSentAgainRightlyIsNoMistake() throws {
    let broken = Script.Event.message(.device, Script.message(0x4E0B, Script.parameter(0, [1])))
    let right = Script.Event.message(.device, ExplanationTests.time)
    #expect(try Self.point([0x4E0B], [broken]) == "message-breaks-schema")
    #expect(try Self.point([0x4E0B], [broken, right]) != "message-breaks-schema")
  }

  /// One RST in silence is an orderly end, and so is a second one after another silence.
  @Test func onlyTheSameSilenceAgainIsATimeout() throws {
    let lines = String(decoding: try CaptureFiles.bytes("failures/idle-reset.txt"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    func point(_ lines: [String]) -> String? {
      ExplanationTests.explain(Array(lines.joined(separator: "\n").utf8 + [10])).first?.point.id
    }
    #expect(point(lines) == "idle-reset")
    let first = try #require(lines.firstIndex { $0.hasSuffix("# RST") })
    #expect(point(Array(lines[...first])) == "ended")
    let last = try #require(lines.lastIndex { $0.hasSuffix("# RST") })
    let words = lines[last].split(separator: " ", maxSplits: 1)
    let seconds = try #require(Double(words[0]))
    #expect(point(lines[..<last] + ["\(seconds + 5) \(words[1])"]) == "ended")
  }

  /// A packet that arrives late fills its gap, and a packet that only the capture lacks leaves none.
  @Test func aNumberIsLeftOutOnlyIfTheOtherSideMissesIt() throws {
    let lines = String(decoding: try CaptureFiles.bytes("explained/link.ack-takes-number.txt"), as: UTF8.self)
      .split(separator: "\n").map(String.init)
    let gap = try #require(lines.firstIndex { $0.contains("A>D") && $0.contains("402d") })
    func point(_ lines: [String]) -> String? {
      ExplanationTests.explain(Array(lines.joined(separator: "\n").utf8 + [10])).first?.point.id
    }
    #expect(point(lines) == "link-rule-broken")
    // Nothing of the device after the later packet.
    #expect(point(Array(lines[...gap])) == "challenge-missing")
  }
}
