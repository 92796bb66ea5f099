// swift-iap2 · Apache-2.0

import CarPlayCapture
import Foundation
import IAP2
import IAP2Analysis
import IAP2Capture
import Testing

/// JSON, filters and secrets inside a capture.
@Suite struct OutputTests {
  @Test("JSON lines are those of the encoded findings", arguments: Sample.allCases)
  func json(sample: Sample) throws {
    var secrets = SessionSecrets()
    secrets.add(try sample.keyLog)
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets)
    var analyzer = CaptureAnalyzer(options: options, sink: BothSinks(JSONSink(), LineSink()))
    analyzer.append(try sample.bytes)
    analyzer.finish()
    let texts = String(decoding: analyzer.sink.first.takeBytes(), as: UTF8.self).split(separator: "\n")
    let found = analyzer.sink.second.take()
    #expect(texts.count == found.count)
    for (text, line) in zip(texts, found) {
      let encoded = try JSONSerialization.jsonObject(with: try JSONEncoder().encode(line))
      let written = try JSONSerialization.jsonObject(with: Data(text.utf8))
      #expect(encoded as? NSDictionary == written as? NSDictionary)
    }
  }

  @Test(
    "Filters select by layers, fields and the keys of bodies",
    arguments: [
      ("carPlayRequest and body.streams.type = 110", 1), ("method = SETUP and carPlayRequest", 6),
      ("statusCode = 200 and path = \"/info\"", 1), ("isKeyFrame = true", 3), ("proof ~ right", 6),
      ("stream = bufferedAudio and packets > 0", 3), ("header ~ \"^User-Agent\" and path = \"/pair-setup\"", 3),
      ("body.statusFlags", 1), ("carPlayProblem", 0), ("carPlayPicture and byteCount > 1000", 3),
    ])
  func filter(text: String, count: Int) throws {
    let found = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog, filter: text)
    #expect(found.count == count, "\(found.findings.map(\.text))")
  }

  @Test("The field session is the number of the CarPlay session")
  func session() throws {
    let (header, one) = BadCaptureTests.records(try Sample.phone.bytes)
    let (_, other) = BadCaptureTests.records(try Sample.headUnit.bytes)
    let (bytes, keys) = try (header + (one + other).joined(), Sample.phone.keyLog + Sample.headUnit.keyLog)
    for (number, sample) in [Sample.phone, .headUnit].enumerated() {
      let found = try lines(bytes, keys: keys, filter: "session = \(number + 1) and carPlayRequest")
      let alone = try lines(sample.bytes, keys: sample.keyLog, filter: "carPlayRequest")
      #expect(found.findings.map(\.text) == alone.findings.map(\.text) && !found.isEmpty)
      let table = FieldTable(try ["session", "path"].map { name throws in try FindingField(parsing: name) })
      #expect(found.compactMap(table.row).first == "\(number + 1)\t/pair-setup")
      // Every finding of a session has the field, so it alone makes no row.
      #expect(try lines(bytes, keys: keys, filter: "carPlayPicture").compactMap(table.row).isEmpty)
    }
  }

  @Test(
    "Without findings, the summary and the explanation stay the same", arguments: Sample.allCases, [true, false])
  func withoutFindings(sample: Sample, hasKeys: Bool) throws {
    var secrets = SessionSecrets()
    if hasKeys { secrets.add(try sample.keyLog) }
    let bytes = try sample.bytes
    func read(explains: Bool, reportsFindings: Bool) -> FilterSink<BothSinks<SummarySink, ExplanationSink>> {
      var options = CaptureAnalyzerOptions()
      options.sessions = CarPlaySessions(secrets, explains: explains, reportsFindings: reportsFindings)
      var analyzer = CaptureAnalyzer(
        options: options, sink: FilterSink(BothSinks(SummarySink(), ExplanationSink())))
      analyzer.append(bytes)
      analyzer.finish()
      return analyzer.sink
    }
    for explains in [true, false] {
      let whole = read(explains: explains, reportsFindings: true)
      let brief = read(explains: explains, reportsFindings: false)
      #expect(brief.hasDecoded)
      #expect(brief.base.first.summary == whole.base.first.summary)
      #expect(brief.base.second.sessions.map(\.explanation) == whole.base.second.sessions.map(\.explanation))
      #expect(brief.base.second.sessions.count == (explains ? 1 : 0))
    }
  }

  @Test("Secrets inside a pcapng file open it as a key log does")
  func secretsInside() throws {
    let path = NetworkCaptureWriter.Path(
      local: .init(address: [127, 0, 0, 1], port: 7778), remote: .init(address: [127, 0, 0, 1], port: 50_000))
    // The control connection of the capture, written again.
    let found = try lines(Sample.phone.bytes, keys: Sample.phone.keyLog)
    var writer = NetworkCaptureWriter()
    var bytes = writer.header + DecryptionSecrets.bytes(try Sample.phone.keyLog)
    bytes += writer.record(.opened(isOwn: false), on: path, nanoseconds: 0)
    for (isOwn, piece) in try Self.control(Sample.phone.bytes) {
      bytes += writer.record(.bytes(piece, isOwn: isOwn), on: path, nanoseconds: 0)
    }
    let written = try lines(bytes)
    #expect(written.findings(.request).map(\.text) == found.findings(.request).map(\.text))
  }

  /// The bytes of the control connection at port 7778, and whether the head unit sent them.
  private static func control(_ bytes: [UInt8]) throws -> [(Bool, [UInt8])] {
    var pieces: [(Bool, [UInt8])] = []
    var rest = bytes.dropFirst(24)
    while rest.count >= 16 {
      let count = rest.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      // Ethernet, IPv4 and TCP, whose header has the number of its words.
      let packet = Array(rest.dropFirst(16).prefix(count).dropFirst(14))
      rest = rest.dropFirst(16 + count)
      guard packet.count > 40, packet[9] == 6 else { continue }
      let ports = (Int(packet[20]) << 8 | Int(packet[21]), Int(packet[22]) << 8 | Int(packet[23]))
      let data = Array(packet.dropFirst(20 + Int(packet[32] >> 4) * 4))
      if !data.isEmpty, ports.0 == 7778 || ports.1 == 7778 { pieces.append((ports.0 == 7778, data)) }
    }
    return pieces
  }
}
