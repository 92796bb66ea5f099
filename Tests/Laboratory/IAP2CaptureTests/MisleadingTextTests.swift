// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Texts whose lines look like another form, and lines that no program should have written.
@Suite struct MisleadingTextTests {
  private static func lines(_ text: String) -> [DecodedLine] { LinkLog.read(Array(text.utf8)).sink.lines }

  private static func detects(_ text: String, from side: Side? = nil) -> Int {
    lines(text).count { line in
      if case .detect = line.content { side.map { line.from == $0 } ?? true } else { false }
    }
  }

  private static let detect = "ff 55 02 00 ee 10"

  /// Digits in pairs are the bytes, whatever stands beside them.
  @Test(arguments: [
    "00000000  \(detect) 62 27 41 42 27 0a 0d 0a 0d 0a  |.U....b'AB'.....|",
    "0000   \(detect) 5b 31 20 32 20 33 20 34 5d 00   .U....[1 2 3 4].",
    "TX: \(detect) (1, 2, 3, 4)",
    "Rob's \"unit\" said 'hi': \(detect)",
    "0xffffffff81000000 \(detect)",
    "[  100.000000] iap tx: \(detect)                                .U....",
    "[iap2_link.c:1042] \(detect)", "main.c:1042: \(detect)",
    "TX \(detect)  ab...", "TX \(detect) 29", "iap tx: 00000010: \(detect) 41 42   .U....AB",
  ])
  func charactersBesideBytesAreNoOtherForm(text: String) { #expect(Self.detects(text + "\n") == 1) }

  @Test(arguments: [
    // A length below zero, and offsets at the ends of their range.
    "< ACL Data TX: Handle 42 flags 0x00 dlen 19  #1 [hci0] 1.5\n      Channel: 64 len -1 [PSM 3]\n        0b ef 15\n",
    "0x7fffffffffffffff ff 5a 00 1a\n0x7ffffffffffffffe 00 01 02 03\n",
    "0xffffffffffffffff ff 5a 00 1a\n0x0000000000000000 00 01 02 03\n",
    // Quotes that nothing closes: without a memory of them, this would take hours.
    String(repeating: "\\\"", count: 100_000) + "\n",
    String(repeating: "b'\\'", count: 50_000) + "\n",
  ])
  func linesThatNoProgramWritesAreReadToTheirEnd(text: String) { #expect(Self.detects(text) == 0) }

  /// Dots among the characters are no gap.
  @Test func charactersOfADumpCutNothing() {
    let analyzer = LinkLog.read(Array("tx: 00 01 02   ...\ntx: \(Self.detect)   .U....\n".utf8))
    #expect(analyzer.counts.cut == 0)
  }

  /// The first byte of a message may look like the number of its bytes.
  @Test(arguments: ["RX bytes: {}", "RX 6 bytes: {}", "RX len 6: {}", "RX (6) {}", "RX size=6 {}", "RX length: {}"])
  func numbersOfBytesAreNoBytes(form: String) {
    let text = form.replacing("{}", with: "40 40 00 06 57 00")
    let messages = Self.lines(text + "\n").compactMap { line in
      if case .control(let id, _, _, _) = line.content { id } else { nil }
    }
    #expect(messages == [RequestWiFiInformation.id])
  }

  /// The first line is a change of a state, and the others name the ends.
  @Test func namesOfStatesAreNoEnds() {
    let text = "state IDLE -> DETECT\nAP -> CHIP: \(Self.detect)\nCHIP -> AP: \(Self.detect)\n"
    #expect(Self.detects(text, from: .accessory) == 1 && Self.detects(text, from: .device) == 1)
    let headings = "car -> phone:\n\(Self.detect)\nphone -> car:\n\(Self.detect)\n"
    #expect(Self.detects(headings, from: .accessory) == 1 && Self.detects(headings, from: .device) == 1)
  }

  @Test func aClockTimeIsNoOffset() {
    let analyzer = LinkLog.read(Array("on 2024-01-02 12:34:56: 42 bytes received\nTX \(Self.detect)\n".utf8))
    #expect(analyzer.counts.records == 1 && analyzer.sink.lines.map(\.content) == [.detect])
  }

  /// More than two names are no two ends.
  @Test func arrowsFromManyNamesAreDirections() {
    let text = "a -> bus: \(Self.detect)\nb -> bus: \(Self.detect)\nb -> bus: \(Self.detect)\n"
    #expect(Self.detects(text, from: .accessory) == 3)
  }

  @Test(arguments: [
    "time,dir,data\n0.1,TX,ff,55,02,00,ee,10\n0.2,RX,ff,55,02,00,ee,10\n",
    "Time,Device,Direction,Data\n0.1,05,TX,ff550200ee10\n0.2,05,RX,ff550200ee10\n",
    "Time,Dir,Data\n0.1,TX,FF 55 02 00 EE 10 |.U....|\n0.2,RX,{FF 55 02 00 EE 10}\n",
  ])
  func tablesWithTheirBytesInManyCellsAreRead(text: String) {
    #expect(Self.detects(text, from: .accessory) == 1 && Self.detects(text, from: .device) == 1)
  }

  @Test func aListOverLinesKeepsItsNotation() throws {
    let message = try #require(Self.lines("rx {\n40 40 00 06 57 00\n}\n").first)
    guard case .control(let id, _, _, _) = message.content else { return #expect(Bool(false), "\(message)") }
    #expect(id == RequestWiFiInformation.id)
  }
}
