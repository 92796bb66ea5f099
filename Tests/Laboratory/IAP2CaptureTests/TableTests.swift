// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Tables that logic analyzers and oscilloscopes export, and texts with one byte a line. Each has the whole worked
/// session.
@Suite struct TableTests {
  private typealias Row = @Sendable (Double, String, UInt8) -> String

  private static func digits(_ byte: UInt8) -> String { WorkedSession.hex([byte]).uppercased() }
  private static func fixed(_ time: Double) -> String { "\((time * 1e9).rounded() / 1e9)" }
  private static func only(_ name: String, _ wanted: String, _ byte: UInt8) -> String {
    name == wanted ? digits(byte) : ""
  }
  private static let saleae = "name,type,start_time,duration,data,error"

  private static let tables: [String: (head: String, row: Row)] = [
    "Saleae Logic 2": (saleae, { "\"\($1)\",\"data\",\(fixed($0)),0.0000868,0x\(digits($2))," }),
    "Saleae Logic 2, own names": (
      saleae,
      { "\"Async Serial\($1 == "TX" ? "" : " [1]")\",\"data\",\(fixed($0)),0.0000868,0x\(digits($2))," }
    ),
    "Saleae Logic 1": (
      "Time [s],Value,Parity Error,Framing Error", { time, _, byte in "\(fixed(time)),\(byte),," }
    ),
    "Saleae analyzer": (
      "Time [s],Analyzer Name,Decoded Protocol Result",
      {
        let character = (0x41..<0x5B).contains($2) ? WorkedSession.characters([$2]) : "\($2)"
        return "\(fixed($0)),UART \($1),'\(character)' (0x\(digits($2)))"
      }
    ),
    "column of each direction": (
      "Time,TX,RX,Error", { "\(fixed($0)),\(only($1, "TX", $2)),\(only($1, "RX", $2))," }
    ),
    "times with units": ("Time,TX,RX", { "\(fixed($0 * 1000))ms,\(only($1, "TX", $2)),\(only($1, "RX", $2))" }),
    "decimal commas": (
      "#Bus,UART1\nIndex;Time;Tx;Rx",
      { "0;\(fixed($0).replacing(".", with: ","));\(only($1, "TX", $2));\(only($1, "RX", $2))" }
    ),
    "settings with digits above": (
      "Model,MSO44\nBus Type,RS-232C\nAddress,FF\nTime,TX,RX",
      { "\(fixed($0)),\(only($1, "TX", $2).lowercased()),\(only($1, "RX", $2).lowercased())" }
    ),
    "settings above": (
      "PicoScope 6\r\n\r\nChannel;Start Time;End Time;Data;Errors\r", { "\($1);\(fixed($0));0;\(digits($2))h;\r" }
    ),
    "tabs": (
      "Time(s)\tRx(hex)\tTx(hex)", { "\(fixed($0))\t\(only($1, "RX", $2))\t\(only($1, "TX", $2))" }
    ),
  ]

  private static func bytes() -> [(time: Double, name: String, byte: UInt8)] {
    var time = 0.1
    var all: [(time: Double, name: String, byte: UInt8)] = []
    for record in WorkedSession.records {
      for byte in record.bytes {
        all.append((time, record.from == .accessory ? "TX" : "RX", byte))
        time += 0.0000868
      }
      time += 0.01
    }
    return all
  }

  @Test(arguments: tables.keys.sorted()) func tablesOfBytesAreRead(name: String) throws {
    let (head, row) = try #require(Self.tables[name])
    let text = head + "\n" + Self.bytes().map { row($0.time, $0.name, $0.byte) + "\n" }.joined()
    let analyzer = TextFormTests.read(text, .table)
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    #expect(analyzer.counts.records == WorkedSession.records.count)
    #expect(analyzer.sink.lines.first?.time == 0.1)
    // Only a table without names leaves the sides to guesses.
    let hasGuess = analyzer.notices.contains { if case .unstatedSenders = $0 { true } else { false } }
    #expect(hasGuess == (name == "Saleae Logic 1"))
  }

  /// Bytes of both directions may lie between one another.
  @Test func bytesOfBothDirectionsAreKeptApart() {
    let (tx, rx) = (WorkedSession.records[0].bytes, WorkedSession.records[1].bytes)
    let rows = zip(tx, rx).enumerated().map { number, pair in
      "0.\(number),TX,\(Self.digits(pair.0))\n0.\(number),RX,\(Self.digits(pair.1))\n"
    }
    let analyzer = TextFormTests.read("time,channel,data\n" + rows.joined(), .table)
    #expect(analyzer.sink.lines.map(\.content) == [.detect, .detect])
    #expect(analyzer.sink.lines.map(\.from) == [.accessory, .device])
  }

  @Test(arguments: ["time,a,b\n1,2,3\n", "Time,Voltage\n0.1,3.3\n", "name,age\nTX,FF\n", "time,data\n1,xyz\n"])
  func tablesWithoutBytesAreNone(text: String) {
    #expect(LinkLog.read(Array(text.utf8)).reader.textReading?.form != .table)
  }

  // MARK: Levels

  /// Returns the level changes of both lines of the session.
  ///
  /// - Parameters:
  ///   - step: The time between two samples in seconds; nil for exact times.
  ///   - isInverted: Whether the lines are low at rest.
  private static func levels(
    rate: Double, head: String = "Time [s],RX,TX", step: Double? = nil, isInverted: Bool = false
  ) -> String {
    func digit(_ level: Bool) -> Int { level == isInverted ? 0 : 1 }
    var text = head + "\n0.0,\(digit(true)),\(digit(true))\n"
    var level = [true, true]
    for (time, name, byte) in bytes() {
      let line = name == "RX" ? 0 : 1
      let bits = [false] + (0..<8).map { byte >> UInt8($0) & 1 == 1 } + [true]
      for (number, bit) in bits.enumerated() where bit != level[line] {
        level[line] = bit
        let exact = time * 115_200 / rate + Double(number) / rate
        let now = step.map { (exact / $0).rounded(.up) * $0 } ?? exact
        text += "\(fixed(now)),\(digit(level[0])),\(digit(level[1]))\n"
      }
    }
    return text
  }

  @Test(arguments: [
    (115_200.0, "Time [s],RX,TX"), (57_600, "Time [s],Channel 0,Channel 1"), (9600, "Time[s],rx,tx"),
    (31_250, "Time [s],RX,TX"),
  ]) func levelsOfSerialLinesAreRead(rate: Double, head: String) {
    let analyzer = TextFormTests.read(Self.levels(rate: rate, head: head), .levels)
    #expect(WorkedSession.findings(analyzer) == WorkedSession.findings)
    #expect(analyzer.counts.records == WorkedSession.records.count)
  }

  /// A sample rate of some samples a bit, lines of RS-232, and a disturbance before the first byte.
  @Test(arguments: [
    levels(rate: 115_200, step: 1e-6), levels(rate: 9600, step: 2e-5), levels(rate: 115_200, isInverted: true),
    levels(rate: 115_200).replacing("0.0,1,1\n", with: "0.0,1,1\n0.00001,0,1\n0.00001005,1,1\n"),
  ]) func levelsOfOtherLinesAreRead(text: String) {
    #expect(WorkedSession.findings(TextFormTests.read(text, .levels)) == WorkedSession.findings)
  }

  @Test func aByteWithoutAStopBitIsDropped() {
    var line = SerialLine(bitTime: 1)
    // A start bit that stays low for eleven bits, then a byte 0x0F.
    for (level, time) in [(true, 0.0), (false, 10), (true, 21), (false, 30), (true, 31), (false, 35)] {
      #expect(line.take(isHigh: level, at: time) == nil)
    }
    #expect(line.take(isHigh: true, at: 39) == nil)
    let late = line.take(isHigh: true, at: .infinity)
    #expect(late?.byte == 0x0F && late?.start == 30)
  }

  // MARK: One byte a line

  private static let lines: [String: @Sendable (Int, String, UInt8) -> String] = [
    "sigrok": { "uart-1: \($1) data: \(digits($2))\n" },
    "sigrok, one line": { _, _, byte in "uart-1: Start bit\nuart-1: \(digits(byte))\nuart-1: Stop bit\n" },
    "PulseView": { "\($0 * 100)-\($0 * 100 + 86) UART: \($1) data: \(digits($2))\n" },
    "Arduino": { _, _, byte in String(byte, radix: 16, uppercase: true) + "\n" },
    "C": { _, _, byte in "0x" + WorkedSession.hex([byte]) + "\r\n" },
  ]

  @Test(arguments: lines.keys.sorted()) func oneByteALineIsRead(name: String) throws {
    let line = try #require(Self.lines[name])
    let text = Self.bytes().enumerated().map { line($0, $1.name, $1.byte) }.joined()
    #expect(WorkedSession.findings(TextFormTests.read(text, .byteLines)) == WorkedSession.findings)
  }

  @Test func numbersOnLinesOfTheirOwnAreNoBytes() {
    let text = (0..<40).map { "\($0)\n" }.joined()
    #expect(LinkLog.read(Array(text.utf8)).counts.decoded == 0)
  }
}
