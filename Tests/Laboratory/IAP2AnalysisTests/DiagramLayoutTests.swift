// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Synchronization
import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

/// Rows of alike steps, comments of live captures, and the page's script.
@Suite struct DiagramLayoutTests {
  private typealias Script = SessionScript

  private static func capture(_ events: [Script.Event], secondsPerRecord: Double = 0.01) -> [UInt8] {
    var script = Script()
    script.events = events
    script.secondsPerRecord = secondsPerRecord
    return script.capture
  }

  private static func document(_ capture: [UInt8], _ time: DiagramTime) throws -> DiagramDocument {
    var analyzer = CaptureAnalyzer(sink: SequenceDiagramSink())
    analyzer.append(capture)
    analyzer.finish()
    let diagram = analyzer.diagram
    try #require(diagram.connections.count == 1)
    return DiagramDocument(name: "a", diagram: diagram, transports: ["text"], start: nil, time: time)
  }

  private static func written(
    _ capture: [UInt8], _ format: DiagramDocument.Format, _ time: DiagramTime = .folded(pause: 0.2)
  ) throws -> String {
    var text = ""
    try document(capture, time).write(format) { text += $0 }
    return text
  }

  private static func rows(_ capture: [UInt8], _ time: DiagramTime = .folded(pause: 0.2)) throws -> [Int] {
    let connection = try #require(try document(capture, time).diagram.connections.first)
    return DiagramLayout(connection, time).rows.compactMap { if case .step = $0.kind { $0.count } else { nil } }
  }

  private static let update = Script.Event.message(.device, Script.message(0xAE01, Script.parameter(6, [0, 50])))

  // MARK: Rows

  @Test(arguments: [DiagramTime.folded(pause: 0.2), .scaled]) func equalConsecutiveStepsShareARow(time: DiagramTime)
    throws
  {
    // With a second between the records, each step but the first of the run follows a silence.
    for seconds in [0.01, 1] {
      let capture = Self.capture(Array(repeating: Self.update, count: 540), secondsPerRecord: seconds)
      #expect(try Self.rows(capture, time).suffix(2) == [1, 540])
      for format in DiagramDocument.Format.allCases {
        let text = try Self.written(capture, format, time)
        #expect(text.contains("0xAE01 × 540<") && text.contains("the first of 540 alike, until record 544"))
      }
    }
  }

  @Test func differentStepsAreRowsOfTheirOwn() throws {
    let other = Script.Event.message(.device, Script.message(0x4E09, Script.text(0, "Phone")))
    let answer = Script.Event.message(.accessory, Script.message(0xAE03))
    func counts(_ events: [Script.Event]) throws -> [Int] { Array(try Self.rows(Self.capture(events)).dropFirst(4)) }
    let run = Array(repeating: Self.update, count: DiagramLayout.shortestRun)
    #expect(try counts(run + [other] + run) == [4, 1, 4])
    #expect(try counts(Array(run.dropLast())) == [1, 1, 1])
    #expect(try counts([Self.update, answer, Self.update, answer, Self.update, answer, Self.update]).count == 7)
  }

  @Test func aLongSilenceEndsARun() throws {
    let lines = String(decoding: Self.capture(Array(repeating: Self.update, count: 20)), as: UTF8.self)
      .split(separator: "\n")
    let late = try lines.suffix(10).map { line in
      let space = try #require(line.firstIndex(of: " "))
      return "\((try #require(Double(line[..<space]))) + 60)\(line[space...])"
    }
    let capture = Array((lines.dropLast(10).map(String.init) + late).joined(separator: "\n").utf8)
    #expect(try Self.rows(capture).suffix(2) == [10, 10])
  }

  // MARK: Comments

  /// The event reaches the log after the bytes that follow it, with its own time.
  @Test func aCommentOfALiveCaptureStandsWhereItHappened() throws {
    var writer = CaptureWriter(.pcapng)
    var capture = writer.header
    for line in String(decoding: Script.plain.capture, as: UTF8.self).split(separator: "\n") {
      guard let (time, from, bytes) = try TextRecords.parse(line.utf8) else { continue }
      capture += writer.record(
        CaptureWriter.Record(nanoseconds: time.map { Int64($0 * 1e9) }, from: from, bytes: bytes))
    }
    let whole = try #require(try Self.document(capture, .scaled).diagram.connections.first?.steps)
    let start = try #require(analyzerStart(capture))
    for place in 1..<whole.count where whole[place].time != whole[place - 1].time {
      let time = start + Int64(((try #require(whole[place].time)) * 1e9).rounded()) - 1_000_000
      let comment = writer.record(
        CaptureWriter.Record(nanoseconds: time, from: .accessory, bytes: [], comment: "identified"))
      let steps = try #require(try Self.document(capture + comment, .scaled).diagram.connections.first?.steps)
      #expect(steps.firstIndex { $0.content == .comment("identified") } == place)
      #expect(steps.count == whole.count + 1)
    }
  }

  private func analyzerStart(_ capture: [UInt8]) -> Int64? {
    var analyzer = CaptureAnalyzer(sink: LineSink())
    analyzer.append(capture)
    analyzer.finish()
    return analyzer.startNanoseconds
  }

  @Test func aLogWritesTheTimeOfAnEvent() throws {
    let stored = Mutex<[UInt8]>([])
    let store: @Sendable ([UInt8]) -> Bool = { bytes in
      stored.withLock { $0 += bytes }
      return true
    }
    let log = CaptureLog(.pcapng, now: { 5_000 }, store: store)
    log.connection()(.accessory, LinkScanner.detect)
    log.note("identified", from: .accessory, age: 2_000)
    log.note("later", from: .accessory, age: -1)
    var reader = CaptureReader()
    reader.append(stored.withLock { $0 })
    reader.finish()
    var times: [Int64?] = []
    while let item = reader.next() { if case .frame(let frame) = item { times.append(frame.nanoseconds) } }
    #expect(times == [5_000, 3_000, 5_000])
  }

  // MARK: Document

  @Test func aHeadingIsDividedAndNotCut() throws {
    let words = (0..<80).map { "word\($0)" }
    let lines = Markup.lines(words.joined(separator: " "), columns: 60)
    #expect(lines.count > 5 && lines.allSatisfy { $0.count <= 60 })
    #expect(lines.joined(separator: " ") == words.joined(separator: " "))
    #expect(
      Markup.lines("", columns: 9).isEmpty
        && Markup.lines("long" + String(repeating: "x", count: 99), columns: 9) == ["longxxxx…"])
  }

  @Test func bothDocumentsAreLightAndDark() throws {
    for format in DiagramDocument.Format.allCases {
      let text = try Self.written(Script.plain.capture, format)
      #expect(text.contains("@media (prefers-color-scheme:dark)") && text.contains("#8ab4f8"))
    }
  }

  /// A wrong digest would make browsers refuse the script.
  @Test func thePolicyHasTheDigestOfTheOnlyScript() throws {
    let page = try Self.written(Script.plain.capture, .html)
    let scripts = page.matches(of: /<script>([\s\S]*?)<\/script>/).map { String($0.output.1) }
    #expect(scripts == [DiagramScript.text])
    #expect(
      page.contains("script-src 'sha256-\(Data(SHA256.digest(Array(DiagramScript.text.utf8))).base64EncodedString())'"))
    #expect(page.matches(of: /<input type="checkbox" value="/).count == SequenceDiagram.Subject.connection.layers.count)
    #expect(!(try Self.written(Script.plain.capture, .svg)).contains("<script"))
    #expect(Hex.text(SHA256.digest(Array("abc".utf8))).hasPrefix("ba7816bf8f01cfea"))
  }
}

/// SHA-256 (FIPS 180-4), to check the digest in a page's policy.
private enum SHA256 {
  static func digest(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    while padded.count % 64 != 56 { padded.append(0) }
    let bitCount = UInt64(message.count * 8)
    padded += (0..<8).map { UInt8(truncatingIfNeeded: bitCount >> UInt64(8 * (7 - $0))) }
    var state = start
    for block in stride(from: 0, to: padded.count, by: 64) { add(padded[block..<(block + 64)], to: &state) }
    return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> UInt32(8 * (3 - $0))) } }
  }

  private static func add(_ block: ArraySlice<UInt8>, to state: inout [UInt32]) {
    var words = stride(from: block.startIndex, to: block.endIndex, by: 4).map { start in
      block[start..<(start + 4)].reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
    }
    for index in 16..<64 {
      let (a, b) = (words[index - 15], words[index - 2])
      let first = turned(a, 7) ^ turned(a, 18) ^ a >> 3
      let second = turned(b, 17) ^ turned(b, 19) ^ b >> 10
      words.append(words[index - 16] &+ first &+ words[index - 7] &+ second)
    }
    var v = state
    for index in 0..<64 {
      let choice = v[4] & v[5] ^ ~v[4] & v[6]
      let sum = turned(v[4], 6) ^ turned(v[4], 11) ^ turned(v[4], 25)
      let first = v[7] &+ sum &+ choice &+ factors[index] &+ words[index]
      let majority = v[0] & v[1] ^ v[0] & v[2] ^ v[1] & v[2]
      let second = (turned(v[0], 2) ^ turned(v[0], 13) ^ turned(v[0], 22)) &+ majority
      v = [first &+ second, v[0], v[1], v[2], v[3] &+ first, v[4], v[5], v[6]]
    }
    for index in 0..<8 { state[index] &+= v[index] }
  }

  private static func turned(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }

  private static let primes = (2...311).filter { number in !(2..<number).contains { number % $0 == 0 } }
  private static let start = primes.prefix(8).map { fraction(Double($0).squareRoot()) }
  private static let factors = primes.map { fraction(cbrt(Double($0))) }

  private static func fraction(_ root: Double) -> UInt32 { UInt32((root - root.rounded(.down)) * 4_294_967_296) }
}
