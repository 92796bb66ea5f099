// swift-iap2 · Apache-2.0

import IAP2

/// A builder of records from single bytes of several senders, as analyzers of serial lines report them. Bytes of one
/// packet become one record, with the time of its first byte.
struct SerialRecords: Sendable {
  private struct Line {
    var sender: CaptureSender
    var time: Double?
    var bytes: [UInt8] = []
    var extent = PacketExtent()
  }

  private var lines: [Line] = []

  /// Takes the next bytes of a sender and returns the record that they complete.
  mutating func add(_ bytes: [UInt8], from sender: CaptureSender, at time: Double?) -> HexDump.Record? {
    guard !bytes.isEmpty else { return nil }
    // There are five senders at most: two sides, two ends and one that is unknown.
    let index = lines.firstIndex { $0.sender == sender } ?? lines.count
    if index == lines.count { lines.append(Line(sender: sender)) }
    if lines[index].bytes.isEmpty { lines[index].time = time }
    lines[index].bytes += bytes
    let isOpen =
      lines[index].bytes.count < PacketExtent.maximumByteCount
      && lines[index].extent.isIncomplete(lines[index].bytes)
    return isOpen ? nil : take(index)
  }

  /// Returns the records that the end of the text completes, in the order of their times.
  mutating func finish() -> [HexDump.Record] {
    lines.indices.compactMap { take($0) }.sorted { ($0.time ?? 0) < ($1.time ?? 0) }
  }

  private mutating func take(_ index: Int) -> HexDump.Record? {
    let line = lines[index]
    guard !line.bytes.isEmpty else { return nil }
    lines[index] = Line(sender: line.sender)
    return HexDump.Record(time: line.time, sender: line.sender, bytes: line.bytes)
  }
}
