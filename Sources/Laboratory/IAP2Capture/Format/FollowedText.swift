// swift-iap2 · Apache-2.0

import IAP2

/// A reader of a TCP stream as Wireshark and tshark show it in hexadecimal (CaptureFormats.md#followed-streams). The lines
/// of one end are indented, and the offsets of each end count its own bytes.
struct FollowedText: TextForm {
  /// A line with bytes.
  private struct Row {
    var sender: CaptureSender
    var offset: Int
    var bytes: [UInt8]

    /// The digits of an offset, and the characters of 16 pairs with one more space in their middle.
    private static let (offsetLength, bytesLength) = (8, 49)

    /// Returns nil for a line of another form.
    init?(_ line: Substring) {
      let bare = line.drop { $0 == " " || $0 == "\t" }
      let rest = bare.dropFirst(Self.offsetLength)
      guard let offset = Int(bare.prefix(Self.offsetLength), radix: 16), rest.hasPrefix("  "),
        let bytes = Hex.bytes(Substring(rest.dropFirst(2).prefix(Self.bytesLength).filter { $0 != " " && $0 != "\r" })),
        !bytes.isEmpty
      else { return nil }
      sender = bare.startIndex == line.startIndex ? .here : .there
      (self.offset, self.bytes) = (offset, bytes)
    }
  }

  private var serial = SerialRecords()

  /// Returns nil unless there are lines of both ends, whose offsets count the bytes of their end.
  init?(_ lines: [Substring]) {
    var counts: [CaptureSender: Int] = [:]
    // The last line of the sample may be cut.
    for row in lines.dropLast(lines.count > 2 ? 1 : 0).compactMap(Row.init) {
      guard row.offset == counts[row.sender, default: 0] else { return nil }
      counts[row.sender, default: 0] += row.bytes.count
    }
    guard counts.count == 2 else { return nil }
  }

  var kind: TextFormKind { .followedStream }

  mutating func take(_ line: Substring) -> TextOutcome {
    guard let row = Row(line) else { return TextOutcome() }
    let record = serial.add(row.bytes, from: row.sender, at: nil)
    return TextOutcome(records: record.map { [$0] } ?? [], hasBytes: true, hasOffset: true)
  }

  mutating func finish() -> [HexDump.Record] { serial.finish() }
}
