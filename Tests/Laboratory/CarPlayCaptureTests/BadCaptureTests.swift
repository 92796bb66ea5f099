// swift-iap2 · Apache-2.0

import Basics
import CaptureSupport
import CarPlayAnalysis
import CarPlayCapture
import CarPlaySession
import IAP2
import IAP2Capture
import Testing

/// Captures without keys, with wrong ones, incomplete and damaged ones.
@Suite struct BadCaptureTests {
  /// The records of a pcap file with times in nanoseconds, each with its header.
  static func records(_ bytes: [UInt8]) -> (header: [UInt8], records: [[UInt8]]) {
    var records: [[UInt8]] = []
    var rest = bytes.dropFirst(24)
    while rest.count >= 16 {
      let count = rest.dropFirst(8).prefix(4).reversed().reduce(0) { $0 << 8 | Int($1) }
      records.append(Array(rest.prefix(16 + count)))
      rest = rest.dropFirst(16 + count)
    }
    return (Array(bytes.prefix(24)), records)
  }

  @Test("Without keys sizes and times remain, and one line says why", arguments: Sample.allCases)
  func noKeys(sample: Sample) throws {
    let (open, closed) = try (lines(sample.bytes, keys: sample.keyLog), lines(sample.bytes))
    #expect(closed.findings(.problem).map(\.text).count == 1)
    #expect(closed.findings(.problem)[0].text.contains("no key log has the secret"))
    // Pairing and the first bytes of the session are in the clear.
    #expect(closed.findings(.request).count == 5)
    #expect(!closed.findings(.sealed).isEmpty)
    // The headers of pictures are in the clear, and a tag of 16 bytes is behind each picture.
    let sizes = { (lines: [DecodedLine], kind: String) in
      lines.findings(.picture).filter { $0.text.contains(kind) }.compactMap { finding in
        finding.fields.first { $0.name == .byteCount }.flatMap { Int($0.value.text) }
      }
    }
    #expect(sizes(closed, "frame") == sizes(open, "frame").map { $0 + 16 })
    #expect(sizes(closed, "configuration") == sizes(open, "configuration"))
    // The clock is in the clear, and of other datagrams their number and sizes remain.
    let clocks = { (lines: [DecodedLine]) in lines.findings(.clock).map(\.text).filter { $0.hasPrefix("clock") } }
    // With keys, a clock is known only behind the answer that names its port.
    #expect(clocks(closed).suffix(clocks(open).count) == clocks(open)[...])
    let sealed = closed.findings(.sealed).filter { $0.text.hasPrefix("datagrams to port") }
    let counts = sealed.flatMap { $0.values(.packets) }.compactMap { Int($0.text) }
    let datagrams = try PartialCaptureTests.packets(sample).packets.filter(\.isUDP).count
    #expect(!counts.isEmpty && counts.reduce(0, +) == datagrams - closed.findings(.clock).count)
  }

  @Test("The keys of another session open nothing")
  func otherKeys() throws {
    let found = try lines(Sample.phone.bytes, keys: Sample.headUnit.keyLog)
    #expect(found == (try lines(Sample.phone.bytes)))
  }

  @Test("A wrong secret is named where it fails")
  func wrongSecret() throws {
    let text = String(decoding: try Sample.phone.keyLog, as: UTF8.self).split(separator: "\n").map { line in
      line.hasPrefix("CARPLAY_PAIR_VERIFY") ? String(line.dropLast(4)) + "0000" : String(line)
    }
    let found = try lines(Sample.phone.bytes, keys: Array(text.joined(separator: "\n").utf8))
    let reasons = found.findings(.problem).map(\.text)
    #expect(reasons.count == 2 && reasons.allSatisfy { $0.hasPrefix("control: the tag of frame 0 is wrong") })
  }

  @Test("Lines of a key log that are no secret are named, and the others are used")
  func badKeyLog() throws {
    var secrets = SessionSecrets()
    let bad = """
      # a comment

      CARPLAY_PAIR_VERIFY 00 zz
      TLS 00 00
      CARPLAY_PAIR_SETUP 00
      CARPLAY_PAIR_SETUP 0 00
      CARPLAY_PAIR_VERIFY 00 0011

      """
    let problems = secrets.add(Array(bad.utf8) + (try Sample.phone.keyLog))
    #expect(problems.map(\.line) == [3, 4, 5, 6, 7])
    let words = ["the secret is not", "its first word", "it has 2 words", "the key is not", "the secret has 2 bytes"]
    #expect(zip(problems, words).allSatisfy { $0.reason.hasPrefix($1) }, "\(problems)")
    #expect(secrets.count == 3)
    let many = secrets.add(Array(String(repeating: "TLS\n", count: 1000).utf8))
    #expect(many.count == SessionSecrets.maximumProblemCount)
  }

  @Test("A wrong secret of a key hides no right one, whatever their order", arguments: Sample.allCases, [true, false])
  func twoSecrets(sample: Sample, isWrongFirst: Bool) throws {
    let keys = try sample.keyLog
    let wrong = Self.wrongSecrets(keys)
    let both = isWrongFirst ? wrong + keys : keys + wrong
    #expect(try lines(sample.bytes, keys: both) == lines(sample.bytes, keys: keys))
    // Without findings, messages are read for their keys alone.
    #expect(try Self.isOpened(sample.bytes, keys: both, reportsFindings: false))
  }

  @Test("A wrong secret of auth-setup hides no right one", arguments: [true, false])
  func twoAuthSecrets(isWrongFirst: Bool) throws {
    let (bytes, keys) = (
      try CaptureFiles.bytes("carplay/peer-phone-210.pcap"), try CaptureFiles.bytes("carplay/peer-phone-210.keys")
    )
    let wrong = Self.wrongSecrets(keys)
    #expect(try lines(bytes, keys: isWrongFirst ? wrong + keys : keys + wrong) == lines(bytes, keys: keys))
  }

  @Test("More secrets of a key than the limit are named")
  func manySecrets() {
    var secrets = SessionSecrets()
    let text = (0...SessionSecrets.maximumCountOfKey).map { number in
      "CARPLAY_PAIR_VERIFY 00 \(String(repeating: "0", count: 62))0\(number)\n"
    }
    #expect(secrets.add(Array(text.joined().utf8)).first?.line == SessionSecrets.maximumCountOfKey + 1)
    #expect(secrets.count == SessionSecrets.maximumCountOfKey)
  }

  /// Returns a key log with a digit of each secret changed.
  static func wrongSecrets(_ keys: [UInt8]) -> [UInt8] {
    let lines = String(decoding: keys, as: UTF8.self).split(separator: "\n")
    return Array(lines.map { "\($0.dropLast())\($0.last == "0" ? "1" : "0")\n" }.joined().utf8)
  }

  /// Returns whether the requests behind pairing are opened.
  private static func isOpened(_ bytes: [UInt8], keys: [UInt8], reportsFindings: Bool) throws -> Bool {
    var secrets = SessionSecrets()
    secrets.add(keys)
    let recorder = CarPlayRecorder()
    var options = CaptureAnalyzerOptions()
    options.sessions = CarPlaySessions(secrets, recorder: recorder, reportsFindings: reportsFindings)
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    analyzer.append(bytes)
    analyzer.finish()
    return recorder.session?.exchanges.contains { $0.request.path?.hasPrefix("rtsp") == true } == true
  }

  @Test("A file that ends anywhere has the findings of its complete packets", arguments: Sample.allCases)
  func truncated(sample: Sample) throws {
    let (bytes, keys) = (try sample.bytes, try sample.keyLog)
    let whole = try lines(bytes, keys: keys).findings(.request).map(\.text)
    for end in stride(from: 30, to: bytes.count, by: 1499) {
      let found = try lines(Array(bytes.prefix(end)), keys: keys).findings(.request).map(\.text)
      #expect(whole.starts(with: found))
    }
  }

  @Test("A capture that lacks packets says so")
  func incomplete() throws {
    let (header, records) = Self.records(try Sample.phone.bytes)
    let keys = try Sample.phone.keyLog
    // Record 32 has the request for a stream.
    let holed = try lines(header + (records.prefix(31) + records.dropFirst(40)).joined(), keys: keys)
    #expect(holed.findings(.problem).contains { $0.text.contains("not captured before it: ") })
  }

  @Test("Packets in another order give the same messages")
  func reordered() throws {
    var (header, records) = Self.records(try Sample.headUnit.bytes)
    for index in stride(from: 20, to: records.count - 1, by: 7) { records.swapAt(index, index + 1) }
    let found = try lines(header + records.joined(), keys: Sample.headUnit.keyLog)
    let whole = try lines(Sample.headUnit.bytes, keys: Sample.headUnit.keyLog)
    #expect(Set(found.findings(.request).map(\.text)) == Set(whole.findings(.request).map(\.text)))
    #expect(found.findings(.problem).isEmpty)
  }

  @Test("An answer that was recorded before its request is read behind it", arguments: Sample.allCases)
  func swappedSides(sample: Sample) throws {
    let (header, records) = Self.records(try sample.bytes)
    let keys = try sample.keyLog
    let whole = try lines(sample.bytes, keys: keys).findings
    let texts = { (findings: [SessionFinding], layer: SessionFinding.Layer) in
      findings.filter { $0.layer == layer }.map(\.text)
    }
    // Bytes 26 to 33 of a packet behind Ethernet are its addresses, and the ports follow: the sides differ.
    let isPhone = { (record: [UInt8]) in record[50..<52] == records[0][50..<52] }
    for place in 3..<40 where isPhone(records[place]) != isPhone(records[place + 1]) {
      var some = records
      some.swapAt(place, place + 1)
      let found = try lines(header + some.joined(), keys: keys).findings
      for layer in [SessionFinding.Layer.request, .answer, .problem, .sealed] {
        #expect(texts(found, layer) == texts(whole, layer), "record \(place)")
      }
    }
  }

  @Test("Datagrams that a capture has twice count as repeated", arguments: ["peer-phone", "peer-phone-210"])
  func repeatedDatagrams(name: String) throws {
    let (header, records) = try Self.records(CaptureFiles.bytes("carplay/\(name).pcap"))
    let keys = try CaptureFiles.bytes("carplay/\(name).keys")
    // Behind the headers of the record and of Ethernet, byte 9 of the IP header is the protocol: 17 is UDP.
    let twice = records.flatMap { $0[16 + 14 + 9] == 17 ? [$0, $0] : [$0] }
    let (one, two) = (Extracted(), Extracted())
    let texts = { (lines: [DecodedLine]) in
      lines.findings(.sound).map(\.text).filter { $0.contains(#/ packets? from /#) }
    }
    let before = texts(try lines(header + records.joined(), keys: keys, extract: one.extraction))
    let found = texts(try lines(header + twice.joined(), keys: keys, extract: two.extraction))
    let repeated = found.filter { $0.contains(" repeated") }
    #expect(!repeated.isEmpty)
    #expect(found.map { $0.replacing(#/, \d+ repeated/#, with: "") } == before)
    for name in ["mainAudio", "alternateAudio"] { #expect(one.bytes(name) == two.bytes(name)) }
  }

  @Test("Damaged bytes have the same findings in pieces of any size", arguments: 1...40 as ClosedRange<UInt64>)
  func damaged(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var bytes = try Sample.phone.bytes
    for _ in 0..<Int.random(in: 1...200, using: &generator) {
      bytes[Int.random(in: 24..<bytes.count, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
    }
    let found = try lines(bytes, keys: Sample.phone.keyLog)
    #expect(found == (try lines(bytes, keys: Sample.phone.keyLog, size: 61)))
  }

  @Test("The size of the pieces makes no difference", arguments: Sample.allCases)
  func pieces(sample: Sample) throws {
    let whole = try lines(sample.bytes, keys: sample.keyLog)
    #expect(whole == (try lines(sample.bytes, keys: sample.keyLog, size: 61)))
  }

  @Test("A capture that begins with an answer has the rest of its session", arguments: Sample.allCases)
  func beginsWithAnswer(sample: Sample) throws {
    let (header, records) = Self.records(try sample.bytes)
    let first = try #require(
      records.firstIndex { $0.firstRange(of: Array("RTSP/1.0 200".utf8)) != nil })
    let found = try lines(header + records[first...].flatMap { $0 }, keys: sample.keyLog).findings
    let whole = try lines(sample.bytes, keys: sample.keyLog).findings
    #expect(found.first { $0.layer == .answer }?.text.hasPrefix("200 OK") == true)
    #expect(found.filter { $0.layer == .request } == Array(whole.filter { $0.layer == .request }.dropFirst()))
  }

  @Test(
    "A size that no screen has is shown within bounds", arguments: [Float.greatestFiniteMagnitude, .infinity, .nan])
  func wildSize(width: Float) throws {
    var bytes = try Sample.phone.bytes
    // The header of the configuration has the size 320 × 240 twice.
    let size = Float(320).bitPattern.littleEndianBytes + Float(240).bitPattern.littleEndianBytes
    for start in bytes.indices where bytes[start...].starts(with: size) {
      bytes.replaceSubrange(start..<start + 4, with: width.bitPattern.littleEndianBytes)
    }
    let found = try lines(bytes, keys: Sample.phone.keyLog).findings(.picture).map(\.text)
    #expect(found.contains { $0.contains(", \(width == .greatestFiniteMagnitude ? 65_536 : 0) × 240, ") })
  }

  @Test("Two sessions in a file have their numbers")
  func twoSessions() throws {
    let (header, one) = Self.records(try Sample.phone.bytes)
    let (_, other) = Self.records(try Sample.headUnit.bytes)
    let found = try lines(header + (one + other).joined(), keys: Sample.phone.keyLog + Sample.headUnit.keyLog)
    let numbers = found.filter { if case .session = $0.content { true } else { false } }.map(\.flow)
    #expect(Set(numbers) == [0, 1])
    #expect(found.findings(.problem).isEmpty)
  }
}
