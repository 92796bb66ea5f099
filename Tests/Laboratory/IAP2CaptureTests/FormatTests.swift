// swift-iap2 · Apache-2.0

import CaptureSupport
import Foundation
import IAP2
import IAP2Fuzzing
import Testing

@testable import IAP2Capture

/// Tests with captures/formats: one session as other programs would have captured it, written by tools/captures/record
/// formats from the public descriptions of the formats.
@Suite struct FormatTests {
  /// Returns the content of a capture, without record numbers, times and offsets.
  static func contents(
    _ bytes: [UInt8], pieces: Int = 1 << 20, swapped: Bool = false
  ) -> (lines: [DecodedLine], counts: CaptureCounts) {
    var options = CaptureAnalyzerOptions()
    options.swapsSides = swapped
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    var rest = bytes[...]
    while !rest.isEmpty {
      analyzer.append(Array(rest.prefix(pieces)))
      rest = rest.dropFirst(pieces)
    }
    analyzer.finish()
    // Comments of the capturing program are not part of the session.
    let lines = analyzer.sink.lines.filter { $0.layer != "comment" }.map { line in
      var content = line.content
      if case .error(let message, _) = content { content = .error(message: message, offset: 0) }
      return DecodedLine(record: 0, time: nil, from: line.from, content: content)
    }
    return (lines, analyzer.counts)
  }

  static let session: [DecodedLine] = {
    do { return contents(try CaptureFiles.bytes("synthetic/worked-session.txt")).lines } catch { return [] }
  }()

  @Test func everyFormatHasItsCapture() { #expect(CaptureFiles.formats.count == 23 && Self.session.count == 38) }

  @Test(arguments: CaptureFiles.formats) func theSameSessionIsFoundInEveryFormat(name: String) throws {
    let bytes = try CaptureFiles.bytes("formats/\(name)")
    #expect(Self.contents(bytes).lines == Self.session)
    // The same file, appended byte by byte.
    #expect(Self.contents(bytes, pieces: 1).lines == Self.session)
  }

  @Test(arguments: CaptureFiles.formats) func aCaptureMayEndAtAnyByte(name: String) throws {
    let bytes = try CaptureFiles.bytes("formats/\(name)")
    for end in stride(from: 0, to: bytes.count, by: max(1, bytes.count / 150)) {
      let (lines, _) = Self.contents(Array(bytes[..<end]))
      let whole = lines.filter { if case .error = $0.content { false } else { true } }
      // The first lines of a text decide its form, so a cut may change the form. A cut never adds packets.
      #expect(whole.count <= Self.session.count, "\(name) cut at \(end)")
    }
  }

  @Test(arguments: CaptureFiles.formats) func damageDoesNotStopTheReader(name: String) throws {
    let bytes = try CaptureFiles.bytes("formats/\(name)")
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func random(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<60 {
      var damaged = bytes
      for _ in 0...random(8) { damaged[random(damaged.count)] = UInt8(random(256)) }
      if random(4) == 0 { damaged.removeSubrange(random(damaged.count)..<damaged.count) }
      if random(4) == 0 {
        damaged.insert(contentsOf: [UInt8](repeating: 0xFF, count: random(40)), at: random(damaged.count + 1))
      }
      let (lines, counts) = Self.contents(damaged)
      #expect(lines.count < 4000 && counts.records <= damaged.count)
    }
  }

  @Test func fastLinesEqualTheLinesOfTheEncoder() throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    for name in ["synthetic/worked-session.txt", "synthetic/damaged.txt", "real/boya-mini2.txt"]
      + CaptureFiles.formats.map({ "formats/\($0)" })
    {
      let bytes = try CaptureFiles.bytes(name)
      var lines = CaptureAnalyzer(sink: LineSink())
      var json = CaptureAnalyzer(sink: JSONSink())
      lines.append(bytes)
      json.append(bytes)
      lines.finish()
      json.finish()
      // JSON lines do not contain comments.
      let findings = lines.sink.lines.filter { $0.layer != "comment" }
      let expected = try findings.map {
        String(decoding: JSONEscape.oneLine(Array(try encoder.encode($0))), as: UTF8.self)
      }
      let found = String(decoding: json.sink.takeBytes(), as: UTF8.self).split(separator: "\n").map(String.init)
      #expect(found == expected, "\(name)")
    }
  }

  /// U+0085 and U+2028 end a line for some readers, U+009B begins a command of a terminal, and a bidirectional mark
  /// reverses the text behind it.
  @Test func unsafeCharactersOfJSONAreEscaped() throws {
    let text = "a\u{7F}\u{85}\u{9B}\u{61C}\u{200E}\u{200F}\u{2028}\u{2029}\u{202E}\u{2066}\u{2069}é→"
    let json = JSONEscape.oneLine(Array(try JSONEncoder().encode([text])))
    let expected = #"["a\u007f\u0085\u009b\u061c\u200e\u200f\u2028\u2029\u202e\u2066\u2069é→"]"#
    #expect(String(decoding: json, as: UTF8.self) == expected)
    #expect(try JSONDecoder().decode([String].self, from: Data(json)) == [text])
  }

  @Test func fastLinesCoverEveryKindOfValue() throws {
    var distinct = DistinctBytes()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let times: [Double?] = [nil, 0, 0.00001, 0.0001, 0.014, 1.5, 12, 1e-9, 123_456.789012345, 1e12, 0.1 + 0.2, -3.25]
    for (index, entry) in MessageCatalog.all.enumerated() {
      let message = distinct.message(entry)
      let place = DecodedPlace(record: index, time: times[index % times.count], from: .device)
      var lines = LineSink()
      var json = JSONSink()
      lines.message(unsafe message.span.bytes, offset: 0, at: place)
      json.message(unsafe message.span.bytes, offset: 0, at: place)
      lines.error("quote \" slash / back \\ tab \t é \u{1} \u{7F}\u{85}\u{9B}\u{2028}\u{202E}", offset: 7, at: place)
      json.error("quote \" slash / back \\ tab \t é \u{1} \u{7F}\u{85}\u{9B}\u{2028}\u{202E}", offset: 7, at: place)
      let expected = try lines.lines.map {
        String(decoding: JSONEscape.oneLine(Array(try encoder.encode($0))), as: UTF8.self)
      }
      #expect(String(decoding: json.takeBytes(), as: UTF8.self) == expected.map { $0 + "\n" }.joined())
    }
  }

  @Test func timesKeepAllDigits() throws {
    for name in ["usbmon-big-endian.pcap", "usbpcap.pcapng", "usbmon.pcap", "rfcomm.pklg", "rfcomm-h4.btsnoop"] {
      var reader = CaptureReader()
      reader.append(try CaptureFiles.bytes("formats/\(name)"))
      reader.finish()
      var times: [Int64] = []
      while let item = reader.next() {
        if case .frame(let frame) = item { times.append(try #require(frame.nanoseconds)) }
      }
      // tools/captures/record formats begins at 1 700 000 000 s, and its records are ten milliseconds apart.
      #expect(times.first == 1_700_000_000_000_000_000, "\(name)")
      #expect(times.contains(1_700_000_000_010_000_000), "\(name)")
    }
  }

  /// Bytes in the middle of a TCP stream were not captured: this is reported, and decoding continues after them.
  @Test func bytesThatWereNotCapturedAreReported() {
    let sender: [UInt8] = [10, 0, 0, 2]
    let receiver: [UInt8] = [10, 0, 0, 1]
    func record(_ sequence: UInt32, _ data: [UInt8], acknowledges: UInt32? = nil) -> [UInt8] {
      let (sender, receiver) = acknowledges == nil ? (sender, receiver) : (receiver, sender)
      let total = UInt16(40 + data.count)
      let head: [UInt8] =
        [0x45, 0, UInt8(total >> 8), UInt8(total & 255), 0, 0, 0x40, 0, 64, 6, 0, 0] + sender + receiver
      let number = (0..<4).map { UInt8(truncatingIfNeeded: sequence >> (24 - 8 * $0)) }
      let answer = (0..<4).map { UInt8(truncatingIfNeeded: (acknowledges ?? 0) >> (24 - 8 * $0)) }
      let ports: [UInt8] = acknowledges == nil ? [0x1B, 0x58, 0xC7, 0x38] : [0xC7, 0x38, 0x1B, 0x58]
      let flags: UInt8 = acknowledges == nil ? 0x08 : 0x10
      let segment = ports + number + answer + [0x50, flags, 0xFF, 0xFF, 0, 0, 0, 0] + data
      let count = UInt32(head.count + segment.count)
      let length = (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
      return [UInt8](repeating: 0, count: 8) + length + length + head + segment
    }
    var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [101, 0, 0, 0]
    file += record(1000, LinkScanner.detect)
    // 100 bytes are missing. The bytes after them wait until they exceed a receive window.
    var sequence: UInt32 = 1106
    for _ in 0..<80 {
      file += record(sequence, [UInt8](repeating: 0, count: 60_000))
      sequence += 60_000
    }
    file += record(sequence, LinkScanner.detect)
    let lines = Self.contents(file).lines
    #expect(lines.first?.content == .detect && lines.last?.content == .detect)
    let lost = DecodedLine.Content.error(message: "bytes before these were not captured", offset: 0)
    #expect(lines.contains { $0.content == lost })
    // The bytes after a gap do not wait when the receiver has acknowledged the gap, or when the capture ends.
    let start = Array(file.prefix(24)) + record(1000, LinkScanner.detect)
    let early = record(1106, LinkScanner.detect)
    for rest in [early + record(1, [], acknowledges: 1112), early] {
      let found = Self.contents(start + rest).lines.map(\.content)
      #expect(found == [.detect, lost, .detect])
    }
    let inOrder = record(1006, [UInt8](repeating: 0, count: 100)) + record(1, [], acknowledges: 1112)
    #expect(!Self.contents(start + early + inOrder).lines.contains { $0.content == lost })
  }

  /// The header of each record has the number of packets that were dropped before it.
  @Test func packetsDroppedBeforeARecordAreReported() throws {
    var bytes = try CaptureFiles.bytes("formats/rfcomm-h4.btsnoop")
    let first = 16
    let length = bytes[(first + 4)..<(first + 8)].reduce(0) { $0 << 8 | Int($1) }
    let second = first + 24 + length
    var rest = second
    while rest + 24 <= bytes.count {
      bytes[rest + 15] = 3
      rest += 24 + bytes[(rest + 4)..<(rest + 8)].reduce(0) { $0 << 8 | Int($1) }
    }
    var analyzer = CaptureAnalyzer(sink: LineSink())
    analyzer.append(bytes)
    analyzer.finish()
    let damage = analyzer.sink.lines.filter(\.isOfFile)
    #expect(damage.count == 1 && damage.first?.record == 2)
    #expect(
      damage.first?.content
        == .error(message: "the capture program dropped 3 packets before this record", offset: second))
  }

  @Test func aFileThatIsNoCaptureIsNotReadToItsEnd() {
    var analyzer = CaptureAnalyzer(sink: LineSink())
    for _ in 0..<100 { analyzer.append([UInt8](repeating: 0, count: 1 << 16)) }
    analyzer.finish()
    #expect(
      analyzer.sink.lines.map(\.content) == [
        .error(message: "unknown format: neither a known capture format nor text", offset: 0)
      ]
    )
  }

  @Test func sidesCanBeSwapped() throws {
    let lines = Self.contents(try CaptureFiles.bytes("formats/usbmon.pcap"), swapped: true).lines
    #expect(lines.first { if case .synchronization = $0.content { true } else { false } }?.from == .device)
  }

  @Test func aFileWithoutPacketsReportsItsContents() throws {
    // The capture's link type is replaced: first by raw IP (228), then by one that is not read (3).
    let bytes = try CaptureFiles.bytes("formats/usbmon.pcap")
    var other = bytes
    other[20] = 228
    #expect(Self.contents(other).counts.network > 0)
    other[20] = 3
    let counts = Self.contents(other).counts
    #expect(counts.decoded == 0 && counts.unsupported == [3: counts.records])
  }

  @Test(arguments: CaptureWriter.Format.allCases) func writtenCapturesAreReadBack(format: CaptureWriter.Format) throws {
    var writer = CaptureWriter(format)
    var bytes = writer.header
    var expected: [(Int64?, Side, [UInt8])] = []
    for (index, line) in try CaptureFiles.bytes("synthetic/worked-session.txt").split(separator: 0x0A).enumerated() {
      guard let (_, from, packet) = try TextRecords.parse(String(decoding: line, as: UTF8.self)[...].utf8) else {
        continue
      }
      // A current time with more digits than a floating-point number of seconds has.
      let time = 1_767_225_600_002_000_000 + Int64(index) * 1_000_001_000 + (format == .btsnoop ? 0 : 1)
      expected.append((time, from, packet))
      bytes += writer.record(
        CaptureWriter.Record(nanoseconds: time, from: from, bytes: packet, comment: "event \(index)\nof many"))
    }
    // A record that has only a comment.
    bytes += writer.record(CaptureWriter.Record(nanoseconds: 0, from: .device, bytes: [], comment: "the end"))
    #expect(Self.contents(bytes).lines == Self.session)
    var reader = CaptureReader()
    reader.append(bytes)
    reader.finish()
    var times: [Int64?] = []
    while let item = reader.next() {
      if case .frame(let frame) = item, frame.byteCount > 4 { times.append(frame.nanoseconds) }
    }
    #expect(times == expected.map(\.0))
  }

  /// The HID reports of the capture, which another program divided.
  @Test func reportsOfAPhoneAreJoinedByTheirControlByte() throws {
    let bytes = try CaptureFiles.bytes("formats/usbmon-reports.pcap")
    var kinds: Set<UInt8> = []
    var reader = CaptureReader()
    reader.append(bytes)
    reader.finish()
    while let item = reader.next() {
      guard case .frame(let frame) = item else { continue }
      let record = reader.bytes(of: frame)
      if record.byteCount > 65 { kinds.insert(record.byte(65)) }
    }
    // The control bytes of reports that are alone, first, middle and last all occur.
    #expect(kinds.isSuperset(of: [0, 1, 2, 3]))
  }

  /// Found by fuzzing: with a comment that is not ASCII, short reads decided too early, and the rest was read as a
  /// dump.
  @Test func aTextIsDetectedFromItsLinesAndNotFromItsPieces() {
    let head = "# Aufgezeichnet in München.\n# A session of nobody.\n\n"
    let own = Array((head + "0.0 A>D ff550200ee10\n0.5 D>A ff550200ee10\nno record\n").utf8)
    let late = own + [UInt8](repeating: 0x0A, count: 5000) + [0]
    for (bytes, count) in [(own, 3), (late, 4)] {
      let whole = Self.contents(bytes)
      #expect(whole.lines.prefix(2).map(\.content) == [.detect, .detect])
      #expect(whole.lines.count == count)
      for length in [1, 7, 24, 30, 93] {
        let cut = Self.contents(bytes, pieces: length)
        #expect(cut.lines == whole.lines && cut.counts == whole.counts, "in pieces of \(length)")
      }
    }
  }

  /// Found by fuzzing: bytes that waited at the end of a capture were reported in a different order each time.
  @Test func pendingFindingsAtTheEndOfACaptureHaveAFixedOrder() {
    func record(port: UInt8, _ sequence: UInt8, _ data: [UInt8], isBack: Bool) -> [UInt8] {
      let ends: [[UInt8]] = [[10, 0, 0, 1], [10, 0, 0, 2]]
      let head: [UInt8] = [0x45, 0, 0, UInt8(40 + data.count), 0, 0, 0x40, 0, 64, 6, 0, 0]
      let addresses = isBack ? ends[1] + ends[0] : ends[0] + ends[1]
      let ports: [UInt8] = isBack ? [0x1B, 0x58, 0xC0, port] : [0xC0, port, 0x1B, 0x58]
      let segment = ports + [0, 0, 0, sequence, 0, 0, 0, 0, 0x50, 8, 0xFF, 0xFF, 0, 0, 0, 0] + data
      let length: [UInt8] = [UInt8(20 + segment.count), 0, 0, 0]
      return [UInt8](repeating: 0, count: 8) + length + length + head + addresses + segment
    }
    var file: [UInt8] = [0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0] + [UInt8](repeating: 0, count: 12) + [101, 0, 0, 0]
    let ports: [UInt8] = [9, 3, 27, 14, 1, 40, 22, 5, 33, 18]
    for sequence in [1, 50] as [UInt8] {
      for port in ports {
        for isBack in [false, true] { file += record(port: port, sequence, LinkScanner.detect, isBack: isBack) }
      }
    }
    var analyzer = CaptureAnalyzer(sink: LineSink())
    analyzer.append(file)
    analyzer.finish()
    let late = analyzer.sink.lines.filter { if case .error = $0.content { true } else { false } }
    // The end with the lower address is first; it also sent first.
    #expect(late.map(\.flow) == ports.indices.flatMap { [$0, $0] })
    #expect(late.map(\.from) == ports.flatMap { _ in [.accessory, .device] })
  }
}
