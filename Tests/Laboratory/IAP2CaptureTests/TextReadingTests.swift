// swift-iap2 · Apache-2.0

import CaptureSupport
import IAP2
import Testing

@testable import IAP2Capture

/// Texts in other encodings, with line numbers, and what is said of them.
@Suite struct TextReadingTests {
  private static let files = [
    "formats/dump-arrows.txt", "formats/dump-log.txt", "formats/dump-hexdump.txt", "synthetic/worked-session.txt",
  ]

  private static func utf16(_ bytes: [UInt8], isLittleEndian: Bool, hasMark: Bool) -> [UInt8] {
    let units = (hasMark ? [0xFEFF] : []) + Array(String(decoding: bytes, as: UTF8.self).utf16)
    return units.flatMap { unit in
      let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
      return isLittleEndian ? pair.reversed() : pair
    }
  }

  private static func lines(_ analyzer: CaptureAnalyzer<LineSink>) -> [DecodedLine] {
    analyzer.sink.lines.map { DecodedLine(record: $0.record, time: $0.time, from: $0.from, content: $0.content) }
  }

  @Test(arguments: files) func everyEncodingHasTheSameFindings(name: String) throws {
    let bytes = try CaptureFiles.bytes(name)
    let plain = Self.lines(LinkLog.read(bytes))
    #expect(!plain.isEmpty)
    var encoded = [(TextEncoding.utf8WithMark, [0xEF, 0xBB, 0xBF] + bytes)]
    for (isLittleEndian, hasMark) in [(true, true), (true, false), (false, true), (false, false)] {
      encoded.append(
        (
          .utf16(isLittleEndian: isLittleEndian, hasMark: hasMark),
          Self.utf16(bytes, isLittleEndian: isLittleEndian, hasMark: hasMark)
        ))
    }
    for (encoding, file) in encoded {
      for piece in [name.contains("arrows") ? 1 : 7, 1 << 20] {
        let analyzer = LinkLog.read(file, piece: piece)
        #expect(Self.lines(analyzer) == plain, "\(encoding) in pieces of \(piece)")
        #expect(analyzer.reader.textReading?.encoding == encoding)
        #expect(analyzer.counts.byteCount == file.count)
      }
    }
  }

  @Test func charactersBeyondUTF16UnitsAreConverted() {
    var converter = UTF16Converter(isLittleEndian: true)
    let text = "a\u{E9}\u{20AC}\u{1F600}b"
    let bytes = Self.utf16(Array(text.utf8), isLittleEndian: true, hasMark: false)
    #expect(bytes.flatMap { converter.take([$0]) } == Array(text.utf8))
    // A unit without its pair, and half a character.
    #expect(converter.take([0x3D, 0xD8, 0x41, 0x00, 0x3D, 0xD8, 0x00]) == Array("\u{FFFD}A".utf8))
    #expect(converter.finish() == Array("\u{FFFD}".utf8) && converter.finish().isEmpty)
  }

  /// A pattern without a match is the first thing to look at.
  @Test(arguments: [("xyz(?<hex>.*)", true), ("TX: (?<hex>.*)", false)])
  func aPatternThatNoLineMatchesIsNamed(pattern: String, isNamed: Bool) throws {
    var options = CaptureAnalyzerOptions()
    options.log = try TextLog(pattern: pattern)
    var analyzer = CaptureAnalyzer(options: options, sink: LineSink())
    analyzer.append(Array("TX: ff 55 02 00 ee 10\nRX: ff 55 02 00 ee 10\n".utf8))
    analyzer.finish()
    #expect(analyzer.reader.textReading?.lacksMatches == isNamed)
    let texts = analyzer.notices.map(CaptureNoticeText.text)
    #expect(texts.contains { $0.contains("no line matches a pattern") } == isNamed)
  }

  @Test func packetsOfATransportAreNamed() throws {
    let header: [UInt8] = [0x04, 0x03, 0x0B, 0x00, 0x0B, 0x00]
    let dumps = WorkedSession.records.prefix(3).map { record in
      WorkedSession.rows(header + record.bytes) { offset, row in
        let place = String(offset, radix: 16)
        let padded = String(repeating: "0", count: 4 - place.count) + place
        return "\(padded)  \(WorkedSession.hex(row))   \(WorkedSession.characters(row))"
      }
    }
    let analyzer = LinkLog.read(Array(dumps.joined(separator: "\n").utf8))
    #expect(analyzer.reader.textReading?.hasWholePackets == true)
    #expect(analyzer.notices.map(CaptureNoticeText.text).contains { $0.contains("text2pcap") })
    #expect(try LinkLog.read(CaptureFiles.bytes("formats/dump-log.txt")).reader.textReading?.hasWholePackets == false)
  }

  @Test func bytesThatAreNoTextAreNotConverted() {
    let files: [[UInt8]] = [
      [], [0], [0x41], [0, 0], [0x41, 0], [0, 1, 0, 2], [0x41, 0, 0x42, 0, 0, 0x43, 0x44, 0x45],
    ]
    for bytes in files { #expect(TextEncoding.detect(bytes, isFinished: true) == .utf8, "\(bytes)") }
    #expect(TextEncoding.detect([0x41], isFinished: false) == nil)
    #expect(TextEncoding.detect([0x41, 0, 0x42, 0], isFinished: false) == nil)
  }

  private static let styles: [@Sendable (Int, Substring) -> String] = [
    { "\($0)  \($1)" }, { "\($0):\($1)" }, { "\($0): \($1)" }, { "   \($0)\t\($1)" }, { "\($0 + 995)  \($1)" },
    { "\($0)| \($1)" },
  ]

  @Test(arguments: styles.indices) func lineNumbersBeforeTheOffsetAreNoBytes(style: Int) throws {
    let bytes = try CaptureFiles.bytes("formats/dump-hexdump.txt")
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    let numbered = lines.enumerated().map { $1.isEmpty ? "" : Self.styles[style]($0 + 1, $1) }.joined(separator: "\n")
    let analyzer = LinkLog.read(Array(numbered.utf8))
    #expect(Self.lines(analyzer) == Self.lines(LinkLog.read(bytes)))
    #expect(analyzer.reader.textReading?.hasLineNumbers == true)
  }

  /// These lines have an offset and groups of bytes, and no line number.
  @Test(arguments: [
    ("00000010: ff5a 0009 4065 0100 f9", 9), ("0000 ff5a 0009 4065", 6),
    ("12 34 56 78", 4), ("0010 0020 0030 0040", 6),
  ]) func groupsOfBytesAreNoOffsetAfterALineNumber(line: String, count: Int) {
    let read = HexDump.Line(line[...], nil)
    #expect(!read.hasNumber && read.bytes.count == count)
  }

  @Test func theFormOfATextIsReported() throws {
    func notice(_ bytes: [UInt8]) -> String? {
      LinkLog.read(bytes).notices.lazy.compactMap {
        if case .text = $0 { CaptureNoticeText.text($0) } else { nil }
      }.first
    }
    let own = try CaptureFiles.bytes("synthetic/worked-session.txt")
    #expect(notice(own) == nil)
    let encoded = try #require(notice(Self.utf16(own, isLittleEndian: true, hasMark: true)))
    #expect(encoded.contains("read as the project's text form in UTF-16") && encoded.contains("if that is wrong"))
    let dump = try #require(notice(try CaptureFiles.bytes("formats/dump-hexdump.txt")))
    #expect(dump.contains("with offsets, directions") && dump.contains("records in") && dump.contains("--pattern"))
    let log = try #require(notice(try CaptureFiles.bytes("formats/dump-log.txt")))
    #expect(log.contains("with times, directions"))
  }
}
