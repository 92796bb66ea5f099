// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@testable import IAP2Capture

/// Tests of logs of unknown layout, which are read according to CaptureFormats.md#text-logs. The texts are invented;
/// only the first line of the `.ips` form is published.
@Suite struct TextLogTests {
  static let header =
    #"{"bug_type":"202","timestamp":"2026-05-01 10:00:00.00 +0200","incident_id":"0A0B0C0D-0102-0304"}"#

  static func decode(
    _ text: String, pattern: String? = nil, words: [String: Side] = [:]
  ) throws -> CaptureAnalyzer<LineSink> {
    var options = CaptureAnalyzerOptions()
    if pattern != nil || !words.isEmpty { options.log = try TextLog(pattern: pattern, words: words) }
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    analyzer.append(Array(text.utf8))
    analyzer.finish()
    return analyzer
  }

  static func ids(_ analyzer: CaptureAnalyzer<LineSink>) -> [UInt16] {
    analyzer.sink.lines.compactMap(FilterTests.id)
  }

  @Test func anAccessoryLogIsReadByItsContent() throws {
    let analyzer = try Self.decode(
      Self.header + """

        accessory attached
        2026-05-01 10:00:01.5 +0200 conn 7 out <40400006 1d00>
        2026-05-01 10:00:02.5 +0200 conn 7 in <4040
          0006 ae02>
        """)
    #expect(Self.ids(analyzer) == [0x1D00, 0xAE02])
    // The time is 2026-05-01 08:00:01.5 UTC.
    #expect(analyzer.sink.lines.first?.time == 1_777_622_401.5)
    // The log is that of a phone: the messages show that "out" is from the device.
    #expect(analyzer.sink.lines.map(\.from) == [.device, .accessory])
    #expect(analyzer.counts.otherLines == 2)
  }

  @Test func aPatternNamesWhatALineHas() throws {
    let analyzer = try Self.decode(
      Self.header + """

        #1 t=0.25 PHONE=>CAR len 6 : 40-40-00-06-1D-00
        #2 t=0.50 CAR=>PHONE len 6 : 40-40-00-06-1D-01
        #1 t=0.75 CAR=>PHONE len 9 : 40-40-00-09-AE-01
        nothing here
        """,
      pattern: #"^#(?<conn>\d+) t=(?<time>[\d.]+) (?<dir>\S+) len (?<length>\d+) : (?<hex>[0-9A-F-]+)"#,
      words: ["phone=>car": .device, "CAR=>PHONE": .accessory])
    let lines = analyzer.sink.lines.filter { FilterTests.id(of: $0) != nil }
    #expect(lines.map(\.time) == [0.25, 0.5])
    #expect(lines.map(\.from) == [.device, .accessory])
    #expect(lines.map(\.flow) == [0, 1])
    // A record with fewer bytes than its line states is reported as cut.
    #expect(analyzer.counts.cut == 1 && analyzer.counts.otherLines == 2)
  }

  @Test func aPatternStatesTheSideOfItsLines() throws {
    let log = try TextLog(
      pattern: "^other (?<hex>.*)$", sides: [("^down (?<hex>.*)$", .accessory), ("^up (?<hex>.*)$", .device)])
    var options = CaptureAnalyzerOptions()
    options.log = log
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    analyzer.append(Array("up 404000060001\ndown 404000060002\nother 404000060003\nup 404000060004\n".utf8))
    analyzer.finish()
    #expect(Self.ids(analyzer) == [1, 2, 3, 4])
    let sides = analyzer.sink.lines.filter { $0.layer == "control" }.map(\.from)
    #expect(sides[0] == .device && sides[1] == .accessory && sides[3] == .device)
    #expect(throws: TextLog.Problem.missingGroup) { try TextLog(sides: [("x", .device)]) }
  }

  @Test func linesThatThePatternDoesNotFitAreReadByTheirContent() throws {
    let text = "x 40 40 00 06 1d 00\n12:00:01 rx 40 40 00 06 1d 02\n"
    #expect(Self.ids(try Self.decode(text, pattern: "^x (?<hex>.*)$")) == [0x1D00, 0x1D02])
  }

  @Test func directionWordsOfALogAreMapped() throws {
    let text = "host 404000060001\nunit 404000060001\n"
    #expect(try Self.decode(text).sink.lines.first?.from == .accessory)
    let analyzer = try Self.decode(text, words: ["HOST": .device, "unit": .accessory])
    #expect(analyzer.sink.lines.filter { $0.layer == "control" }.map(\.from) == [.device, .accessory])
  }

  static let forms = [
    "data={ff 55 02 00 ee 10}", "data=ff 55 02 00 ee 10", "buf=[ff,55,02,00,ee,10]", "x=(ff 55 02 00 ee 10)",
    #"bytes="ff 55 02 00 ee 10""#, "data=<ff550200 ee10>", "len=6 <ff550200ee10>", "ff:55:02:00:ee:10",
    "FF-55-02-00-EE-10", #"\xff\x55\x02\x00\xee\x10"#, "data={FF550200EE10}", "10:00:01 rx ff 55 02 00 ee 10",
    "00000000: ff55 0200 ee10  .U....", "0000  ff 55 02 00 ee 10   .U....",
    "00000000  ff 55 02 00 ee 10                                 |.U....|\n00000006",
  ]

  @Test(arguments: forms) func bytesAreFoundInEveryUsualNotation(text: String) throws {
    let analyzer = try Self.decode(text + "\n")
    #expect(analyzer.sink.lines.map(\.content) == [.detect] && analyzer.counts.cut == 0)
  }

  /// The time to read a line is linear in its length.
  @Test func aLogLineOfManyWordsIsRead() throws {
    let analyzer = try Self.decode("x " + String(repeating: "ff ", count: 50_000) + "\n")
    #expect(analyzer.counts.records == 1)
  }

  @Test func aPatternWithoutBytesIsRefused() {
    #expect(throws: TextLog.Problem.missingGroup) { try TextLog(pattern: "(?<time>.*)") }
    #expect { try TextLog(pattern: "(") } throws: { error in
      if case .notAPattern = error as? TextLog.Problem { true } else { false }
    }
  }

  @Test func connectionsOfALogAreBounded() throws {
    let text = (0..<3000).map { "c\($0) 404000060001\n" }.joined()
    let analyzer = try Self.decode(text, pattern: "^c(?<conn>[0-9]+) (?<hex>.*)$")
    #expect(Self.ids(analyzer).count == 3000 && analyzer.flowKeys.count == 1024)
  }
}
