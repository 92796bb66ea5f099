// swift-iap2 · Apache-2.0

import IAP2

/// A reader of texts with one byte a line, as decoders of serial lines print them: `uart-1: FF`, `RX data: FF`, or the
/// digits alone (CaptureFormats.md#byte-lines).
struct ByteLines: TextForm {
  private let words: SenderWords
  /// The names before the bytes in the lines so far, the first ones.
  private var names: [Substring]
  private var serial = SerialRecords()

  /// The fewest lines that show this form. A line with a byte alone may be anything.
  private static let minimumLineCount = 6
  /// The maximum number of names before the bytes: those of two lines, with what decoders add to them.
  private static let maximumNameCount = 4

  /// Returns nil unless the bytes of the first lines have the beginning of a packet or of detect.
  init?(_ lines: [Substring], _ words: SenderWords) {
    let found = lines.compactMap(Self.byte)
    var names: [Substring] = []
    for name in found.map(\.name) where !names.contains(name) {
      guard names.count < Self.maximumNameCount else { return nil }
      names.append(name)
    }
    // Decoders print start and stop bits on lines of their own.
    guard found.count >= Self.minimumLineCount, found.count * 4 > lines.count,
      names.contains(where: { name in Self.begins(found.filter { $0.name == name }.map(\.byte)) })
    else { return nil }
    (self.words, self.names) = (words, names)
  }

  private static func begins(_ bytes: [UInt8]) -> Bool {
    zip(bytes, bytes.dropFirst()).contains { $0 == 0xFF && ($1 == 0x55 || $1 == 0x5A) }
  }

  var kind: TextFormKind { .byteLines }

  mutating func take(_ line: Substring) -> TextOutcome {
    guard let (byte, name) = Self.byte(line) else { return TextOutcome() }
    // A copy, so that the line is not kept.
    if names.count < Self.maximumNameCount, !names.contains(name) { names.append(String(name)[...]) }
    let record = serial.add([byte], from: words.sender(name, of: names), at: nil)
    return TextOutcome(records: record.map { [$0] } ?? [], hasBytes: true)
  }

  mutating func finish() -> [HexDump.Record] { serial.finish() }

  /// Returns the byte at the end of a line and the name before it, without numbers of samples; nil for another line.
  private static func byte(_ line: Substring) -> (byte: UInt8, name: Substring)? {
    let words = line.split { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let last = words.last, words.count <= 6 else { return nil }
    let digits = last.hasPrefix("0x") || last.hasPrefix("0X") ? last.dropFirst(2) : last
    guard digits.utf8.count <= 2, let byte = UInt8(digits, radix: 16) else { return nil }
    let name = words.dropLast().filter { word in !word.allSatisfy { $0.isNumber || "-:.".contains($0) } }
    // A byte without a name must have nothing else on its line.
    guard words.count == 1 || name.contains(where: { $0.hasSuffix(":") }) else { return nil }
    guard let first = name.first, let end = name.last else { return (byte, "") }
    return (byte, line[first.startIndex..<end.endIndex])
  }
}
