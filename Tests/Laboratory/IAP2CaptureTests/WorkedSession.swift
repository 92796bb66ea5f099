// swift-iap2 · Apache-2.0

import CaptureSupport
import IAP2
import Testing

@testable import IAP2Capture

/// The worked session of the repository, which tests write in the forms of other programs.
enum WorkedSession {
  /// The records: their sender and their bytes.
  static let records: [(from: Side, bytes: [UInt8])] = {
    do {
      return try String(decoding: CaptureFiles.bytes("synthetic/worked-session.txt"), as: UTF8.self)
        .split(separator: "\n").compactMap { try TextRecords.parse($0.utf8) }.map { ($0.from, $0.bytes) }
    } catch { return [] }
  }()

  /// Returns the findings of a capture without their records and times.
  static func findings(_ analyzer: CaptureAnalyzer<LineSink>) -> [DecodedLine] {
    analyzer.sink.lines.map { DecodedLine(record: 0, time: nil, from: $0.from, content: $0.content) }
  }

  /// The findings of the session in the project's own form.
  static let findings: [DecodedLine] = {
    do { return findings(LinkLog.read(try CaptureFiles.bytes("synthetic/worked-session.txt"))) } catch { return [] }
  }()

  /// Returns pairs of digits between separators.
  static func hex(_ bytes: some Sequence<UInt8>, _ separator: String = " ") -> String {
    bytes.map { Hex.text([$0]) }.joined(separator: separator)
  }

  /// Returns the lines of a dump, with this many bytes each.
  static func rows(_ bytes: [UInt8], _ width: Int = 16, _ line: (Int, [UInt8]) -> String) -> String {
    stride(from: 0, to: bytes.count, by: width)
      .map { line($0, Array(bytes[$0..<min($0 + width, bytes.count)])) + "\n" }.joined()
  }

  /// Returns the characters of a dump.
  static func characters(_ bytes: [UInt8]) -> String {
    String(bytes.map { (0x20..<0x7F).contains($0) ? Character(Unicode.Scalar($0)) : "." })
  }

  /// Returns the text of a byte string as Python or Rust prints it.
  static func escaped(_ bytes: [UInt8], quote: UInt8, _ letters: [UInt8: String]) -> String {
    bytes.map { byte in
      if let text = letters[byte] { return text }
      if byte == quote || byte == UInt8(ascii: "\\") { return "\\" + characters([byte]) }
      return (0x20..<0x7F).contains(byte) ? characters([byte]) : "\\x" + Hex.text([byte])
    }.joined()
  }
}
