// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

@Suite struct ComparisonTests {
  typealias Script = SessionScript

  private static func compare(_ a: Script, _ b: Script, ignoring: Set<ComparisonRule> = []) throws -> SessionComparison
  {
    let rules = ComparisonRules(ignoring: ignoring)
    return SessionComparison(try a.record(rules: rules), try b.record(rules: rules), rules: rules)
  }

  private static func edited(_ edit: (inout Script) -> Void) -> Script {
    var script = Script.plain
    edit(&script)
    return script
  }

  private static func index(of id: UInt16, _ script: Script, from: Int = 0) -> Int {
    script.events.indices.first { index in
      guard index >= from, case .message(_, let bytes) = script.events[index] else { return false }
      return ControlHeader.id(of: bytes) == id
    } ?? 0
  }

  /// Returns the plain session with another message instead of the first one with this id.
  private static func replacing(_ id: UInt16, _ message: [UInt8]) -> Script {
    edited { script in
      let place = index(of: id, script)
      if case .message(let side, _) = script.events[place] { script.events[place] = .message(side, message) }
    }
  }

  private static func names(_ comparison: SessionComparison) -> [String] { comparison.differences.map(\.kind.name) }

  // MARK: Equal sessions

  @Test func everyFormatOfASessionIsEqualToEveryOther() throws {
    let records = try CaptureFiles.formats.map { try Script.record(of: CaptureFiles.bytes("formats/\($0)")) }
    #expect(records.count == 23)
    for (number, a) in records.enumerated() {
      #expect(a.steps.count == 17, "\(CaptureFiles.formats[number])")
      for b in records.indices {
        let comparison = SessionComparison(a, records[b])
        #expect(comparison.isEqual, "\(CaptureFiles.formats[number]) and \(CaptureFiles.formats[b])")
        #expect(comparison.rows.allSatisfy { $0.relation == .equal })
      }
    }
  }

  static let volatile: [(name: String, script: Script)] = [
    ("the same", .plain), ("sequence numbers", edited { $0.sequence = 200 }),
    ("packets of ten bytes", edited { $0.packetByteCount = 10 }),
    ("times", edited { ($0.start, $0.secondsPerRecord) = (1000, 0.7) }),
    (
      "session ids",
      edited { script in
        for side in Side.allCases {
          script.offer[side]?.sessions = [
            LinkSession(id: 12, type: .externalAccessory, version: 1), LinkSession(id: 10, type: .control, version: 2),
            LinkSession(id: 11, type: .fileTransfer, version: 2),
          ]
        }
      }
    ),
    ("an answer that was waited for", edited { $0.tries = 4 }),
    ("a repeated packet", edited { $0.events.insert(.again, at: 3) }),
    ("noise", edited { $0.events.insert(.noise(.device), at: 3) }),
    ("challenge", replacing(0xAA02, Script.message(0xAA02, Script.parameter(0, Array(33...64))))),
    ("signature", replacing(0xAA03, Script.message(0xAA03, Script.parameter(0, Array(65...128))))),
    (
      "clock",
      replacing(
        0x4E0B,
        Script.message(
          0x4E0B, Script.parameter(0, [0, 0, 0, 0, 9, 9, 9, 9]), Script.parameter(1, [0, 60]), Script.parameter(2, [0]))
      )
    ),
    ("order of a message list", replacing(0x1D01, Script.identification(sent: [0x41, 0x5B, 0xEA, 0x03]))),
    (
      "order of parameters",
      replacing(0xEA00, Script.message(0xEA00, Script.parameter(1, [0, 7]), Script.parameter(0, [1])))
    ),
    (
      "EA session id",
      edited { script in
        script.events = script.events.map { event in
          switch event {
          case .data(let side, 7, let bytes): return .data(side, session: 900, bytes)
          case .message(let side, let bytes) where [0xEA00, 0xEA03].contains(ControlHeader.id(of: bytes)):
            return .message(side, replaced([0, 7], [3, 132], in: bytes))
          default: return event
          }
        }
      }
    ),
    (
      "file id",
      edited { script in
        script.events = script.events.map { event in
          guard case .file(let side, 128, let operation, let bytes) = event else { return event }
          return .file(side, 200, operation, bytes)
        }
        script.events[index(of: 0x5001, script)] = .message(.device, Script.nowPlaying(title: "Song", artwork: 200))
      }
    ),
    (
      "calls",
      edited { script in
        script.events = script.events.map { event in
          guard case .message(let side, let bytes) = event else { return event }
          return .message(side, replaced(Array("two".utf8), Array("2.0".utf8), in: bytes))
        }
      }
    ),
  ]

  private static func replaced(_ old: [UInt8], _ new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for start in bytes.indices.dropLast(old.count - 1) where Array(bytes[start..<(start + old.count)]) == old {
      bytes.replaceSubrange(start..<(start + old.count), with: new)
    }
    return bytes
  }

  @Test(arguments: volatile.indices) func volatileValuesCauseNoDifference(index: Int) throws {
    let (name, script) = Self.volatile[index]
    let a = Script.plain
    #expect(index == 0 || script.capture != a.capture, "\(name)")
    for (one, other) in [(a, script), (script, a)] {
      let comparison = try Self.compare(one, other)
      #expect(comparison.differences.isEmpty, "\(name): \(comparison.differences)")
      #expect(comparison.rows.count == 23, "\(name)")
    }
  }

  @Test func volatileParametersAreReported() throws {
    func notes(_ name: String) throws -> [ComparisonNote] {
      let script = try #require(Self.volatile.first { $0.name == name }).script
      return try Self.compare(.plain, script).notes
    }
    #expect(try notes("the same").isEmpty)
    guard case .volatile(.challenge, count: 1)? = try notes("challenge").first else {
      Issue.record("no word of the challenge")
      return
    }
    #expect(try notes("session ids").map(\.name) == ["linkSessions", "linkSessions"])
    #expect(try notes("a repeated packet").map(\.name) == ["packets"])
    #expect(try notes("noise").map(\.name) == ["packets"])
    #expect(try notes("calls").map(\.name) == ["identifier", "volatile"])
    #expect(try notes("EA session id").map(\.name) == ["identifier", "volatile"])
  }

  @Test func sidesThatSpeakAtOnceHaveNoOrder() throws {
    let script = Self.edited { script in
      let call = Self.index(of: 0x415B, script)
      script.events.swapAt(call, call - 1)
    }
    let comparison = try Self.compare(.plain, script)
    #expect(comparison.isEqual)
    #expect(comparison.notes.contains { if case .order = $0 { true } else { false } })
  }

  // MARK: Different sessions

  static let different: [(name: String, script: Script, kinds: [String], row: Int)] = [
    ("window", edited { $0.offer[.accessory]?.maxOutstandingPackets = 5 }, ["link"], 2),
    ("agreed timeout", edited { $0.offer[.device]?.retransmissionTimeout = 1000 }, ["link"], 3),
    (
      "session types", edited { script in for side in Side.allCases { script.offer[side]?.sessions[2].version = 2 } },
      ["link", "link"], 2
    ),
    ("serial number", replacing(0x1D01, Script.identification(serial: "4")), ["parameter"], 10),
    ("message list", replacing(0x1D01, Script.identification(sent: [0xEA, 0x03])), ["parameter"], 10),
    ("certificate", replacing(0xAA01, Script.message(0xAA01, Script.parameter(0, Array(2...41)))), ["parameter"], 5),
    ("no challenge in it", replacing(0xAA02, Script.message(0xAA02)), ["parameter"], 6),
    ("unknown parameter", replacing(0x1D00, Script.message(0x1D00, Script.parameter(9, [1]))), ["parameter"], 9),
    ("bytes behind the parameters", replacing(0x1D00, Script.message(0x1D00, [1, 2])), ["messageBytes"], 9),
    ("title", replacing(0x5001, Script.nowPlaying(title: "Other", artwork: 128)), ["parameter"], 16),
    (
      "a message more",
      edited { $0.events.insert(.message(.device, Script.nowPlaying(title: "More", artwork: 1)), at: 8) },
      ["onlyInB"], 12
    ),
    ("a message less", edited { $0.events.remove(at: index(of: 0x1D02, $0)) }, ["onlyInA"], 11),
    (
      "another message", replacing(0x1D02, Script.message(0x1D03, Script.parameter(3, []))), ["onlyInA", "onlyInB"], 11
    ),
    (
      "another call accepted",
      replacing(0x415B, Script.message(0x415B, Script.parameter(0, [0]), Script.text(1, "one"))), ["identifier"], 20
    ),
    (
      "EA byte", edited { $0.events[11] = .data(.accessory, session: 7, Array(1...100)) }, ["externalAccessoryData"], 15
    ),
    (
      "EA bytes missing", edited { $0.events[12] = .data(.device, session: 7, Array(100..<199)) },
      ["externalAccessoryData"], 15
    ),
    (
      "another protocol",
      edited { script in
        script.events[index(of: 0xEA00, script)] = .message(
          .device, Script.message(0xEA00, Script.parameter(0, [2]), Script.parameter(1, [0, 7])))
      }, ["parameter", "onlyInA", "onlyInB"], 13
    ),
    ("file bytes", edited { $0.events[16] = .file(.device, 128, .onlyData, Array(1...50)) }, ["fileData"], 17),
    (
      "announced size", edited { $0.events[14] = .file(.device, 128, .setup, [0, 0, 0, 0, 0, 0, 0, 51, 0, 2]) },
      ["fileSetup"], 17
    ),
    ("failed file", edited { $0.events[17] = .file(.accessory, 128, .failure, []) }, ["fileOutcome"], 17),
    ("no reset", edited { $0.events.removeLast() }, ["onlyInA"], 22),
    ("data behind the reset", edited { $0.events.append(.data(.device, session: 7, [1])) }, ["onlyInB"], 23),
    ("nothing after the link", edited { $0.events = [] }, [String](repeating: "onlyInA", count: 19), 4),
  ]

  @Test(arguments: different.indices) func differencesAreFoundAndNamed(index: Int) throws {
    let (name, script, kinds, row) = Self.different[index]
    let comparison = try Self.compare(.plain, script)
    #expect(Self.names(comparison) == kinds, "\(name)")
    #expect(comparison.differences.first?.place == row, "\(name)")
    #expect(!comparison.isEqual)
    let changed = Set(comparison.rows.indices.filter { comparison.rows[$0].relation != .equal })
    #expect(changed == Set(comparison.differences.map(\.row)), "\(name)")
    // In the reverse comparison, a step that only A has is one that only B has.
    let back = try Self.compare(script, .plain)
    let mirrored = kinds.map { $0 == "onlyInA" ? "onlyInB" : $0 == "onlyInB" ? "onlyInA" : $0 }
    #expect(Self.names(back).sorted() == mirrored.sorted(), "\(name)")
  }

  @Test func aParameterIsNamedByItsPathAndBothValues() throws {
    let comparison = try Self.compare(.plain, Self.replacing(0x5001, Script.nowPlaying(title: "Other", artwork: 1)))
    guard case .parameter(let difference)? = comparison.differences.first?.kind else {
      Issue.record("no parameter")
      return
    }
    #expect(difference.path.map(\.id) == [0, 1])
    #expect(difference.path.map(\.name) == ["MediaItemAttributes", "MediaItemTitle"])
    #expect(difference.a == .text("Song") && difference.b == .text("Other"))
  }

  @Test func theFirstDivergenceInTimeComesFirst() throws {
    let script = Self.edited { script in
      // The first byte of the accessory's data follows the acceptance, and the file's content follows that.
      script.events[16] = .file(.device, 128, .onlyData, Array(1...50))
      script.events[11] = .data(.accessory, session: 7, [9] + Array(1..<100))
      script.events.append(.message(.device, Script.message(0x1D00)))
    }
    let comparison = try Self.compare(.plain, script)
    #expect(Self.names(comparison) == ["externalAccessoryData", "fileData", "onlyInB"])
    guard case .externalAccessoryData(.accessory, let place)? = comparison.differences.first?.kind else { return }
    #expect(place == DataStream.Difference(offset: 0, isExact: true))
  }

  @Test func optionalRulesHoldWhenAskedFor() throws {
    let elapsed = Script.message(
      0x5001, Script.parameter(0, Script.text(1, "Song") + Script.parameter(26, [128])),
      Script.parameter(1, Script.parameter(1, [0, 0, 0, 8])))
    let transport = Script.identification().dropFirst(6) + Script.parameter(16, Script.parameter(0, [0, 1]))
    let cases: [(ComparisonRule, Script)] = [
      (.certificate, Self.replacing(0xAA01, Script.message(0xAA01, Script.parameter(0, [1])))),
      (.playbackPosition, Self.replacing(0x5001, elapsed)),
      (.transports, Self.replacing(0x1D01, Script.message(0x1D01, Array(transport)))),
    ]
    for (rule, script) in cases {
      #expect(try Self.compare(.plain, script).differences.count == 1, "\(rule)")
      let comparison = try Self.compare(.plain, script, ignoring: [rule])
      #expect(comparison.isEqual, "\(rule)")
      #expect(comparison.notes.contains { if case .volatile(rule, count: 1) = $0 { true } else { false } }, "\(rule)")
    }
  }

  // MARK: Rules

  @Test func everyRuleIsAboutAParameterOfTheCatalog() throws {
    for line in VolatileParameter.all {
      let entry = try #require(MessageCatalog[line.message])
      var rows = entry.rows
      for id in line.path {
        let row = try #require(rows.first { $0.id == id }, "\(entry.name) \(line.path)")
        if case .group(let inner) = row.shape { rows = inner } else { rows = [] }
      }
    }
    #expect(Set(VolatileParameter.all.map(\.rule)) == Set(ComparisonRule.allCases))
  }

  @Test func theDocumentationHasEveryRule() throws {
    let page = CaptureFiles.root.appending(path: "../Sources/Laboratory/IAP2Capture/IAP2Capture.docc/IAP2Capture.md")
    let lines = try String(contentsOf: page, encoding: .utf8).split(separator: "\n")
    for rule in ComparisonRule.allCases {
      let line = try #require(lines.first { $0.hasPrefix("| `\(rule.rawValue)`") }, "\(rule)")
      #expect(line.hasSuffix(" \(rule.reason) |"), "\(rule)")
      for volatile in VolatileParameter.all where volatile.rule == rule {
        #expect(line.contains(MessageCatalog.text(volatile.message)), "\(rule)")
        let path = volatile.path.map(String.init).joined(separator: ".")
        #expect(line.contains(path.isEmpty ? "all of" : " \(path)"), "\(rule) \(volatile.message) \(path)")
      }
    }
  }

  /// The test finds identifiers by their names, so that a new message cannot be forgotten.
  @Test func everyIdentifierOfASessionHasARule() {
    let words = [
      "CallUUID", "FileTransferIdentifier", "TransferID", "ProtocolSessionIdentifier", "AuthenticationChallenge",
    ]
    func check(_ rows: [ParameterRow], _ path: [UInt16], _ entry: CatalogEntry) {
      for row in rows {
        if case .group(let inner) = row.shape { check(inner, path + [row.id], entry) }
        guard row.shape != .void, words.contains(where: row.name.contains) else { continue }
        #expect(
          VolatileParameter.all.contains { $0.message == entry.info.id && $0.path == path + [row.id] },
          "\(entry.name) \(row.name)")
      }
    }
    for entry in MessageCatalog.all { check(entry.rows, [], entry) }
  }

  // MARK: Bounds

  @Test func stepsAboveALimitAreStillCompared() throws {
    var limits = SessionRecordLimits()
    limits.steps = 8
    func compare(_ a: Script, _ b: Script) throws -> SessionComparison {
      SessionComparison(try a.record(limits: limits), try b.record(limits: limits))
    }
    let same = try compare(.plain, Self.edited { $0.sequence = 9 })
    #expect(same.isEqual && same.rows.count == 8)
    #expect(same.a.remainder(.device).steps == 12)
    let serial = try compare(.plain, Self.replacing(0x1D01, Script.identification(serial: "4")))
    #expect(Self.names(serial) == ["remainder"])
    let data = try compare(.plain, Self.edited { $0.events.remove(at: 12) })
    #expect(Self.names(data) == ["remainder"])
    limits = SessionRecordLimits()
    limits.messageByteCount = 60
    #expect(try Script.plain.record(limits: limits).steps.count < 10)
    limits = SessionRecordLimits()
    limits.headByteCount = 10
    let heads = try Script.plain.record(limits: limits)
    #expect(heads.externalAccessories[0].accessory.head.count == 10)
    #expect(heads.externalAccessories[0].device.head.isEmpty)
  }

  @Test func aLongSessionIsComparedInOrder() throws {
    func long(_ titles: Range<Int>) -> Script {
      Self.edited { script in
        script.events += titles.map { .message(.device, Script.nowPlaying(title: "Song \($0)", artwork: 1)) }
      }
    }
    let comparison = try Self.compare(long(0..<3000), long(1..<3001))
    #expect(Self.names(comparison) == ["onlyInA", "onlyInB"])
    #expect(comparison.differences.map(\.row) == [23, 3023])
  }

  @Test func streamsAreComparedByBytesWhateverTheirPackets() {
    func stream(_ bytes: [UInt8], pieces: Int) -> DataStream {
      var (stream, budget) = (DataStream(), 1 << 20)
      for start in stride(from: 0, to: bytes.count, by: pieces) {
        let piece = Array(bytes[start..<min(bytes.count, start + pieces)])
        stream.append(piece.rawBytes, after: 0, time: nil, budget: &budget)
      }
      return stream
    }
    let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    let whole = stream(bytes, pieces: 200_000)
    #expect(whole.difference(from: stream(bytes, pieces: 333)) == nil)
    #expect(whole.head.count == DataStream.maximumHeadByteCount)
    func difference(at offset: Int) -> DataStream.Difference? {
      var other = bytes
      other[offset] ^= 1
      return whole.difference(from: stream(other, pieces: 1000))
    }
    #expect(difference(at: 0) == DataStream.Difference(offset: 0, isExact: true))
    #expect(difference(at: 65_535) == DataStream.Difference(offset: 65_535, isExact: true))
    #expect(difference(at: 65_536) == DataStream.Difference(offset: 65_536, isExact: false))
    #expect(difference(at: 199_999) == DataStream.Difference(offset: 196_608, isExact: false))
    let shorter = stream(Array(bytes.prefix(100)), pieces: 100)
    #expect(whole.difference(from: shorter) == DataStream.Difference(offset: 100, isExact: true))
    let long = stream(Array(bytes.prefix(199_000)), pieces: 100)
    #expect(whole.difference(from: long) == DataStream.Difference(offset: 196_608, isExact: false))
  }

  @Test func eachConnectionOfACaptureIsComparedAsItsOwnSession() throws {
    var writer = CaptureWriter(.pcapng)
    var bytes = writer.header
    for (number, script) in [Script.plain, Self.edited { $0.events.removeLast() }].enumerated() {
      for line in script.capture.split(separator: 0x0A) {
        guard let (_, from, packet) = try TextRecords.parse(String(decoding: line, as: UTF8.self)[...].utf8) else {
          continue
        }
        bytes += writer.record(
          CaptureWriter.Record(nanoseconds: 0, from: from, connection: UInt16(number), bytes: packet))
      }
    }
    let (first, second) = (try Script.record(of: bytes), try Script.record(of: bytes, connection: 2))
    #expect(SessionComparison(first, try Script.plain.record()).isEqual)
    #expect(Self.names(SessionComparison(first, second)) == ["onlyInA"])
    #expect(throws: Script.NoSession.self) { try Script.record(of: bytes, connection: 3) }
  }

  @Test func aConnectionKeepsItsNumberAfterOneWithoutIAP2() throws {
    var writer = CaptureWriter(.pcapng)
    var bytes = writer.header
    let noise: [(Side, [UInt8])] = [(.accessory, [UInt8](repeating: 0x33, count: 40))]
    let plain = try Script.plain.capture.split(separator: 0x0A).compactMap { line -> (Side, [UInt8])? in
      try TextRecords.parse(String(decoding: line, as: UTF8.self)[...].utf8).map { ($0.1, $0.2) }
    }
    for (number, packets) in [noise, plain].enumerated() {
      for (from, packet) in packets {
        bytes += writer.record(
          CaptureWriter.Record(nanoseconds: 0, from: from, connection: UInt16(number), bytes: packet))
      }
    }
    var analyzer = CaptureAnalyzer(sink: SessionRecorder())
    analyzer.append(bytes)
    analyzer.finish()
    #expect(analyzer.flowKeys.count == 2 && analyzer.sink.connectionNumbers == [2])
    #expect(analyzer.sink.session?.flow == 1)
    #expect(try Script.record(of: bytes, connection: 2).steps.count == Script.plain.record().steps.count)
    #expect(throws: Script.NoSession.self) { try Script.record(of: bytes, connection: 1) }
  }

  @Test(arguments: ["usbmon.pcap", "rfcomm-h4.btsnoop", "tcp-raw.pcap", "dump-arrows.txt"])
  func damageDoesNotStopTheComparison(name: String) throws {
    let bytes = try CaptureFiles.bytes("formats/\(name)")
    let whole = try Script.record(of: bytes)
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0...random(8) { damaged[random(damaged.count)] = UInt8(random(256)) }
      do {
        let comparison = SessionComparison(whole, try Script.record(of: damaged))
        #expect(comparison.isEqual == comparison.rows.allSatisfy { $0.relation == .equal })
        #expect(comparison.rows.compactMap(\.a).sorted() == Array(whole.steps.indices))
      } catch is Script.NoSession {
        // The damaged capture has no session to compare.
      }
    }
  }
}
