// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

@Suite struct ExplanationTests {
  static let captures = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../captures/")

  static func names(_ folder: String) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: captures.appending(path: folder).path()).sorted()
    } catch { return [] }
  }

  static func file(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: captures.appending(path: name)))
  }

  static func explain(_ bytes: [UInt8], pieces: Int = 1 << 20) -> [Explanation] {
    var analyzer = CaptureAnalyzer(sink: ExplanationSink())
    var rest = bytes[...]
    while !rest.isEmpty {
      analyzer.append(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    analyzer.finish()
    return Explanation.all(analyzer)
  }

  /// Returns the parts of an explanation that do not depend on the format of the capture.
  static func substance(_ explanation: Explanation) -> [String] {
    let reached = explanation.reached.filter { $0 != .enumeration }.map(\.rawValue).joined(separator: " ")
    return [
      explanation.point.id, reached, explanation.last?.step.name ?? "", explanation.last?.from?.rawValue ?? "",
      explanation.turn.ownerName, explanation.turn.steps.map(\.name).joined(separator: " "),
      explanation.causes.map(\.id).joined(separator: " "),
    ]
  }

  /// The stage, the side whose turn it is, and the expected steps of each capture. They are written for these tests and
  /// not taken from the list of stop points.
  static let shown: [String: (SessionStage, Side?, [SessionStep])] = [
    "role-switch-refused": (.enumeration, .device, [.hostRole]),
    "role-switch-not-asked": (.enumeration, .accessory, [.roleSwitch]),
    "role-switch-silent": (.enumeration, .accessory, [.usbInterface]),
    "interface-missing": (.enumeration, .accessory, [.usbInterface]),
    "interface-silent": (.enumeration, .accessory, [.detect]),
    "not-iap2": (.detect, .accessory, [.detect]),
    "checksums-only": (.negotiation, nil, [.synchronize]),
    "one-side-only": (.authentication, nil, []),
    "authentication-failed": (.authentication, .accessory, [.detect]),
    "identification-rejected": (.identification, .accessory, [.detect]),
    "identification-rejected.list": (.identification, .accessory, [.message(0x1D01), .message(0x1D05)]),
    "identification-rejected.absent": (.identification, .accessory, [.message(0x1D01), .message(0x1D05)]),
    "identification-cancelled": (.identification, .accessory, [.reset]),
    "rule-broken": (.negotiation, .device, [.synchronizeAnswer]),
    "rule-ignored": (.features, .device, []),
    "answer-owed": (.features, .device, [.message(0xAE01)]),
    "transport-closed": (.authentication, .accessory, [.message(0xAA03)]),
    "detect-unanswered.rfcomm": (.detect, .device, [.detect]),
    "transport-closed.usb": (.authentication, .accessory, [.message(0xAA01)]),
    "message-unfinished": (.identification, .accessory, [.restOfMessage]),
    "link-rule-broken": (.authentication, .accessory, [.correctPacket]),
    "file-unanswered": (.features, .accessory, [.file]),
    "cut-off": (.externalAccessory, .accessory, [.restOfPacket]),
    "gave-up": (.authentication, .accessory, [.acknowledgement]),
    "damaged-packet": (.authentication, .accessory, [.message(0xAA01)]),
    "damaged-packet.device": (.authentication, .device, [.validPacket]),
    "half-open": (.features, .accessory, [.acknowledgement]),
    "started-over": (.detect, .device, [.detect, .reset]),
    "reset-in-negotiation": (.negotiation, .accessory, [.detect]),
    "ended.burst": (.complete, nil, []),
    "reset-mid-session.loop": (.authentication, .accessory, [.message(0xAA01)]),
    "reset-mid-session.timeout": (.authentication, .accessory, [.message(0xAA01)]),
    "detect-answered-by-iap1": (.detect, .device, [.detect]),
    "detect-answered-by-other-bytes": (.detect, .device, [.detect]),
    "detect-unanswered": (.detect, .device, [.detect]),
    "accessory-silent": (.detect, .accessory, [.detect]),
    "syn-not-sent": (.negotiation, .accessory, [.synchronize]),
    "counter-offers": (.negotiation, .device, [.acknowledgement, .synchronizeAnswer]),
    "syn-unusable": (.negotiation, .device, [.synchronizeAnswer, .reset]),
    "syn-unanswered": (.negotiation, .device, [.synchronizeAnswer]),
    "synack-unconfirmed": (.negotiation, .accessory, [.acknowledgement, .synchronizeAnswer]),
    "certificate-unanswered": (.authentication, .accessory, [.message(0xAA01)]),
    "challenge-missing": (.authentication, .device, [.message(0xAA02)]),
    "challenge-unanswered": (.authentication, .accessory, [.message(0xAA03)]),
    "verdict-missing": (.authentication, .device, [.message(0xAA05), .message(0xAA04)]),
    "nothing-asked": (.authentication, .device, [.message(0xAA00), .message(0x1D00)]),
    "authentication-missing": (.authentication, .device, [.message(0xAA00)]),
    "authentication-missing.notified": (.authentication, .device, [.message(0xAA00)]),
    "identification-not-started": (.identification, .device, [.message(0x1D00)]),
    "identification-unanswered": (.identification, .accessory, [.message(0x1D01)]),
    "identification-unjudged": (.identification, .device, [.message(0x1D02), .message(0x1D03)]),
    "nothing-subscribed": (.features, .accessory, [.message(0x5000)]),
    "session-not-opened": (.externalAccessory, .device, [.message(0xEA00)]),
    "session-unanswered": (.externalAccessory, .accessory, [.message(0xEA03)]),
    "session-refused": (.externalAccessory, .device, [.message(0xEA01)]),
    "session-unanswered.closed": (.externalAccessory, .accessory, [.detect]),
    "session-refused.closed": (.externalAccessory, .accessory, [.detect]),
    "session-early-data": (.externalAccessory, .device, [.externalAccessoryData]),
    "session-silent": (.externalAccessory, nil, [.externalAccessoryData]),
    "session-closed": (.externalAccessory, nil, []),
    "data-after-reset": (.features, .accessory, [.detect]),
    "session-id-wrong": (.externalAccessory, .accessory, [.externalAccessoryData]),
    "file-failed": (.features, .device, [.file]),
    "file-failed.kept": (.features, .accessory, [.file]),
    "session-id-unknown": (.externalAccessory, .accessory, [.externalAccessoryData]),
    "file-id-wrong": (.features, .accessory, [.file]),
    "reset-at-power": (.features, .accessory, [.detect]),
    "call-unknown": (.features, .accessory, [.message(0x415B)]),
    "passphrase-missing": (.carPlay, .accessory, [.message(0x5703)]),
    "message-breaks-schema": (.features, .accessory, [.message(0x5000)]),
    "session-without-link": (.externalAccessory, .accessory, [.synchronize]),
    "component-unknown": (.features, .accessory, [.message(0x6802)]),
    "message-too-early": (.features, .accessory, [.message(0x5000)]),
    "idle-reset": (.features, .accessory, [.detect]),
    "records-cut": (.authentication, nil, []),
    "wifi-not-asked": (.carPlay, .device, [.message(0x5702)]),
    "wifi-unanswered": (.carPlay, .accessory, [.message(0x5703)]),
    "wifi-not-used": (.carPlay, .device, [.message(0x4300)]),
    "hand-over-missing": (.carPlay, .device, [.message(0x4300)]),
    "carplay-not-offered": (.carPlay, .device, [.message(0x4300)]),
    "carplay-not-started": (.carPlay, .accessory, [.message(0x4301)]),
    "carplay-silent": (.carPlay, .device, [.carPlayConnection]),
  ]

  @Test func everyStopPointHasACaptureAndEveryCaptureAStopPoint() {
    let files = Self.names("failures").map { String($0.prefix(while: { $0 != "." })) }
    let points = StopPoint.all.filter { $0.stage != .complete }.map(\.id)
    // One capture shows a cause that a close in order cannot rule out.
    #expect(Set(files) == Set(points).union(["ended"]))
    #expect(Set(StopPoint.all.map(\.id)).count == StopPoint.all.count)
  }

  @Test(arguments: names("failures")) func aCaptureThatStopsIsExplained(name: String) throws {
    let explanations = Self.explain(try Self.file("failures/\(name)"))
    let stem = name.split(separator: ".").dropLast().joined(separator: ".")
    let found = try #require(explanations.first)
    let (stage, owner, steps) = try #require(Self.shown[stem])
    #expect(explanations.count == 1)
    #expect(found.point.id == name.prefix { $0 != "." })
    #expect(found.stage == stage && found.turn.owner == owner && found.turn.steps == steps)
    #expect(found.point.isComplete == ["session-closed", "ended.burst"].contains(stem))
    #expect(found.causes.isEmpty == (stem == "session-closed"))
  }

  /// usbmon's text has 32 bytes of a transfer: a message that is cut was sent all the same.
  @Test func noRuleIsBrokenByWhatACutPacketMayHave() throws {
    let text = """
      a0 1000000 C Bi:1:005:1 0 6 = ff550200 ee10
      c0 1010000 S Bo:1:005:2 -115 6 = ff550200 ee10
      a1 1020000 C Bi:1:005:1 0 29 = ff5a001d 802b0000 df010508 0005dc00 491e0301 00020201 02030201 99
      c1 1030000 S Bo:1:005:2 -115 29 = ff5a001d c0642b00 3b010508 0005dc00 491e0301 00020201 02030201 99
      a2 1040000 C Bi:1:005:1 0 9 = ff5a0009 402b6400 cf
      c2 1050000 S Bo:1:005:2 -115 16 = ff5a0010 40652b01 c6404000 06aa00d0
      a3 1060000 C Bi:1:005:1 0 84 = ff5a0054 402c6501 81404000 4aaa0100 44000000 00000000 00000000 00000000
      c3 1070000 S Bo:1:005:2 -115 52 = ff5a0034 40662c01 a0404000 2aaa0200 24000000 01020304 05060708 090a0b0c
      a4 1080000 C Bi:1:005:1 0 84 = ff5a0054 402d6601 7f404000 4aaa0300 44000000 00000000 00000000 00000000
      c4 1090000 S Bo:1:005:2 -115 16 = ff5a0010 40672d01 c2404000 06aa05cb
      c5 1100000 S Bo:1:005:2 -115 16 = ff5a0010 40682d01 c1404000 061d005d

      """
    let found = try #require(Self.explain(Array(text.utf8)).first)
    #expect(found.history.cutPackets == 3 && found.history.breach == nil && !found.point.isOfRule)
  }

  @Test func aClosedTransportIsReportedWithItsSideAndTime() throws {
    for (name, from) in [
      ("transport-closed.pcap", Side.accessory), ("transport-closed.usb.pcap", nil),
      ("detect-unanswered.rfcomm.btsnoop", .device),
    ] {
      let found = try #require(Self.explain(try Self.file("failures/\(name)")).first)
      let end = try #require(found.history.end)
      #expect(found.last == end && end.step == .transportClosed && end.from == from, "\(name)")
    }
  }

  @Test(arguments: names("sessions")) func aGoodSessionEndsInOrder(name: String) throws {
    let found = try #require(Self.explain(try Self.file("sessions/\(name)")).first)
    #expect(found.point.id == "ended" && found.point.isComplete)
    #expect(found.reached.contains(.externalAccessory) && found.reached.contains(.authentication))
    #expect(found.last?.step == .reset && found.last?.from == .device)
  }

  @Test func everyCauseHasItsEvidence() {
    for cause in StopPoint.all.flatMap(\.causes) {
      #expect(!cause.text.isEmpty && !cause.check.isEmpty && cause.evidence.contains(".md#"), "\(cause.id)")
      // A cause without a source has no confidence.
      if cause.evidence.contains("no source") { #expect(cause.confidence == nil, "\(cause.id)") }
      if cause.evidence == "Sources.md#inferred" { #expect(cause.confidence == .low, "\(cause.id)") }
    }
    for point in StopPoint.all {
      #expect(Set(point.causes.map(\.id)).count == point.causes.count, "\(point.id)")
    }
  }

  /// No request is open, so the RST counts as a close in order. One source reports that a car resets for want of the
  /// UUID.
  @Test func aResetWithoutAnOpenRequestIsAnOrderlyEnd() throws {
    let burst = try #require(Self.explain(try Self.file("failures/ended.burst.txt")).first)
    #expect(burst.point.id == "ended" && burst.causes.map(\.id) == ["messages-too-fast"])
    for (listed, side, causes) in [
      ([0xEA00, 0x4E0B, 0x4E0C], Side.accessory, ["uuid-not-sent"]), ([0xEA00, 0x4E0B], .accessory, []),
      ([0xEA00, 0x4E0B, 0x4E0C], .device, []),
    ] as [([UInt16], Side, [String])] {
      let script = Self.identified(receiving: listed, then: [.message(.device, Self.time), .reset(side)])
      let found = try #require(Self.explain(script.capture).first)
      #expect(found.point.id == "ended" && found.point.isComplete && found.causes.map(\.id) == causes)
    }
    // With an EA session that waits for its status, the RST is not a close in order.
    let owed = Self.identified(
      receiving: [0xEA00, 0x4E0C],
      then: [
        .message(
          .device,
          SessionScript.message(
            0xEA00, SessionScript.parameter(0, [1]), SessionScript.parameter(1, [0, 7]))), .reset(.accessory),
      ])
    let found = try #require(Self.explain(owed.capture).first)
    #expect(found.point.id == "reset-mid-session" && found.causes.map(\.id).contains("uuid-not-sent"))
  }

  static let time = SessionScript.message(
    0x4E0B, SessionScript.parameter(0, [0, 0, 0, 0, 1, 2, 3, 4]), SessionScript.parameter(1, [0, 60]),
    SessionScript.parameter(2, [0]))

  /// Returns a session that is authenticated and identified, with an accessory that lists these messages.
  static func identified(
    sending sent: [UInt16] = [0xEA03], receiving listed: [UInt16], then events: [SessionScript.Event]
  ) -> SessionScript {
    var script = SessionScript.plain
    // The messages are too slow to be a burst.
    script.secondsPerRecord = 0.2
    let identification = SessionScript.message(
      0x1D01, SessionScript.text(0, "Emu"), SessionScript.text(1, "M1"), SessionScript.text(2, "Acme"),
      SessionScript.text(3, "1"), SessionScript.text(4, "1.0"), SessionScript.text(5, "1"),
      SessionScript.parameter(6, sent.flatMap(\.bigEndianBytes)),
      SessionScript.parameter(7, listed.flatMap(\.bigEndianBytes)),
      SessionScript.parameter(8, [0]), SessionScript.parameter(9, [0, 0]),
      SessionScript.parameter(
        10,
        SessionScript.parameter(0, [1]) + SessionScript.text(1, "com.acme.p") + SessionScript.parameter(2, [0])),
      SessionScript.text(12, "en"), SessionScript.text(13, "en"))
    script.events = Array(script.events.prefix(6))
    script.events += [
      .message(.accessory, identification), .message(.device, SessionScript.message(0x1D02)),
    ]
    script.events += events
    return script
  }

  /// A read of a transport can hold several packets. Two messages in one record do not necessarily share a packet.
  @Test func messagesShareAPacketOnlyWhereOneCarriesBoth() throws {
    let burst = String(decoding: try Self.file("failures/ended.burst.txt"), as: UTF8.self).split(separator: "\n")
    let joined = try #require(burst.firstIndex { $0.contains("aa05cbff5a") })
    let read = try #require(Self.explain(Array(burst[...joined].joined(separator: "\n").utf8)).first)
    let packet = try #require(Self.explain(try Self.file("failures/identification-unanswered.txt")).first)
    #expect(read.point.id == "identification-unanswered" && packet.point.id == read.point.id)
    #expect(!read.causes.map(\.id).contains("first-message-only"))
    #expect(packet.causes.map(\.id).contains("first-message-only"))

    // The requests for the certificate and for the identification are sent as two packets, then as one.
    let linkUp = try Self.worked().prefix(5).joined(separator: "\n") + "\nD>A "
    for (hex, isShared) in [
      ("ff5a001040652b01c640400006aa00d0ff5a001040662b01c5404000061d005d", false),
      ("ff5a001640652b01c040400006aa00404000061d002d", true),
    ] {
      let found = try #require(Self.explain(Array((linkUp + hex).utf8)).first)
      #expect(found.point.id == "certificate-unanswered" && found.history.errors == 0)
      #expect(found.causes.map(\.id).contains("first-message-only") == isShared)
    }
  }

  @Test func connectionsKeepTheNumbersOfTheCapture() throws {
    var options = CaptureAnalyzerOptions()
    options.log = try TextLog(pattern: "^c(?<conn>[0-9]+) (?<dir>[AD]>[AD]) (?<hex>.*)$", words: [:])
    var analyzer = CaptureAnalyzer(options: options, sink: ExplanationSink())
    analyzer.append(Array("c4 A>D 0102030405060708\n".utf8))
    for line in try Self.worked() { analyzer.append(Array("c9 \(line.prefix { $0 != "#" })\n".utf8)) }
    analyzer.finish()
    #expect(analyzer.flowKeys.count == 2)
    #expect(Explanation.all(analyzer).map(\.connection) == [2])
  }

  @Test func aLimitThatNoPacketNeedsDoesNotMakeAnOfferUnusable() throws {
    // The SYN of the worked session with 200 retransmissions instead of 30 (0x1E → 0xC8, its checksum 170 less).
    let syn = "ff5a001d802b0000df0105080005dc0049c803010002020102030201ef"
    let lines = try Self.worked().prefix(2) + ["A>D \(syn)"]
    let found = try #require(Self.explain(Array(lines.joined(separator: "\n").utf8)).first)
    #expect(found.point.id == "syn-unanswered" && found.history.damagedPackets.accessory == 0)
  }

  // MARK: Steps from the comments of a file

  static func worked() throws -> [String] {
    String(decoding: try file("synthetic/worked-session.txt"), as: UTF8.self).split(separator: "\n").map(String.init)
      .filter { !$0.hasPrefix("#") }
  }

  /// Returns the step of a record from its comment, without any decoder.
  static func step(_ line: String) -> SessionStep? {
    guard let comment = line.split(separator: "#").dropFirst().first?.trimmingCharacters(in: .whitespaces) else {
      return .detect
    }
    switch comment {
    case "syn": return .synchronize
    case "synack": return .synchronizeAnswer
    case "ack": return .acknowledgement
    case "ea-data": return .externalAccessoryData
    case "ft-start": return .file
    case "rst": return .reset
    default: return UInt16(comment, radix: 16).map { .message($0) }
    }
  }

  @Test func aTruncatedSessionExpectsItsNextRecord() throws {
    let lines = try Self.worked()
    var compared = 0
    for count in 1..<lines.count {
      let found = try #require(Self.explain(Array(lines[..<count].joined(separator: "\n").utf8)).first)
      let next = lines[count]
      #expect(found.last?.record == count)
      guard let step = Self.step(next), step != .reset else {
        #expect(found.point.isComplete, "cut after \(count)")
        continue
      }
      let owner: Side = next.hasPrefix("A>D") ? .accessory : .device
      #expect(found.turn.owner == owner || found.turn.owner == nil, "cut after \(count): \(found.point.id)")
      #expect(found.turn.steps.contains(step), "cut after \(count): \(found.point.id)")
      compared += 1
    }
    #expect(compared == 16)
  }

  @Test func everyFormatHasTheSameExplanation() throws {
    let text = try #require(Self.explain(try Self.file("synthetic/worked-session.txt")).first)
    for name in Self.names("formats") {
      let explanations = Self.explain(try Self.file("formats/\(name)"))
      #expect(explanations.count == 1, "\(name)")
      #expect(explanations.first.map(Self.substance) == Self.substance(text), "\(name)")
    }
  }

  // MARK: Pieces and damage

  @Test(arguments: names("failures")) func dividedRecordsHaveTheSameExplanation(name: String) throws {
    let bytes = try Self.file("failures/\(name)")
    let whole = Self.explain(bytes).map(Self.substance)
    #expect(Self.explain(bytes, pieces: 1).map(Self.substance) == whole)
    // A packet with a wrong header checksum is recognized only if it is received whole.
    guard name.hasSuffix(".txt"), name != "checksums-only.txt" else { return }
    // Each record is divided into two.
    var lines: [String] = []
    for line in String(decoding: bytes, as: UTF8.self).split(separator: "\n") {
      guard !line.hasPrefix("#") else {
        lines.append(String(line))
        continue
      }
      let words = line.split(separator: " ")
      let hex = try #require(words.dropFirst(2).first)
      let half = hex.count / 4 * 2
      for part in [hex.prefix(half), hex.dropFirst(half)] where !part.isEmpty {
        lines.append("\(words[0]) \(words[1]) \(part)")
      }
    }
    #expect(Self.explain(Array(lines.joined(separator: "\n").utf8)).map(Self.substance) == whole)
  }

  @Test(arguments: names("failures")) func aLongerCaptureKeepsItsReachedStages(name: String) throws {
    // These captures start the link again.
    guard name.hasSuffix(".txt"), !["reset-mid-session.loop.txt", "idle-reset.txt"].contains(name) else { return }
    let lines = String(decoding: try Self.file("failures/\(name)"), as: UTF8.self).split(separator: "\n")
      .filter { !$0.hasPrefix("#") }
    var reached: Set<SessionStage> = []
    for count in lines.indices {
      guard let found = Self.explain(Array(lines[...count].joined(separator: "\n").utf8)).first else { continue }
      let now = Set(found.reached).subtracting([.complete])
      #expect(reached.isSubset(of: now), "\(name), record \(count + 1)")
      reached = now
    }
  }

  @Test(arguments: names("failures")) func damageDoesNotStopTheExplanation(name: String) throws {
    let bytes = try Self.file("failures/\(name)")
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<30 {
      var damaged = bytes
      for _ in 0...random(8) { damaged[random(damaged.count)] = UInt8(random(256)) }
      if random(3) == 0 { damaged.removeSubrange(random(damaged.count)..<damaged.count) }
      for explanation in Self.explain(damaged) { #expect(explanation.turn.steps.count <= 16, "\(name)") }
    }
  }

  @Test func manySessionsDoNotFillMemory() throws {
    var script = SessionScript.plain
    script.events = Array(script.events.prefix(8))
    for number in 0..<500 as Range<UInt16> {
      script.events.append(
        .message(
          .device,
          SessionScript.message(
            0xEA00, SessionScript.parameter(0, [1]), SessionScript.parameter(1, number.bigEndianBytes))))
      script.events.append(.data(.accessory, session: 40_000 + number, [1]))
    }
    let found = try #require(Self.explain(script.capture).first)
    #expect(found.history.link.externalAccessories.count <= LinkHistory.maximumSessions)
    #expect(found.point.id == "session-unanswered")
  }
}
