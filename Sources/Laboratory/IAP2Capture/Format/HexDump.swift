// swift-iap2 · Apache-2.0

import IAP2

/// A builder of records from the lines of a text dump: `0000  ff 5a …` over several lines, one record per line with
/// arrows or times before it, bytes between `<` and `>`, or numbers as programs print them
/// (CaptureFormats.md#text-content).
struct HexDump: Sendable {
  struct Record: Sendable {
    var time: Double?
    var sender: CaptureSender
    var bytes: [UInt8]
    /// Whether the log left out bytes: `...`.
    var isElided = false
    /// The name of the connection in the log.
    var connection: String?
    /// The encapsulation of the bytes; nil for link bytes or a message of the sender.
    var encapsulation: CaptureEncapsulation?
  }

  /// The content of a single line.
  struct Line {
    var time: Double?
    var sender: CaptureSender?
    /// The number before the bytes: how many bytes of the record precede them.
    var offset: Int?
    var bytes: [UInt8] = []
    /// Bytes that count only where the record before them is incomplete. Elsewhere they may be any number.
    var doubtful: [UInt8] = []
    var isElided = false
    var opens = false
    var closes = false
    /// Whether a line number stands before the offset.
    var hasNumber = false
    /// The only word of the line as a hexadecimal number. The last line of a dump states the length so.
    var total: Int?
    /// The text before the bytes.
    var lead: Substring = ""
    /// Whether nothing but a sender stands beside the bytes.
    var isBare = false
    /// The names around the arrow of the line, in the order in which the bytes go.
    var route: (from: Substring, to: Substring)?
  }

  /// The record that was begun and is not known to be whole.
  private(set) var pending: Record?
  /// The number of bytes that the pending record's dump has before its first line.
  private var origin = 0
  private var extent = PacketExtent()
  private var isOpen = false
  /// Whether the pending record is known to be whole.
  private var isWhole = false
  /// The time and the sender of a heading before a dump.
  private var heading: (time: Double?, sender: CaptureSender?) = (nil, nil)
  /// The sender of the line before, if that had bytes. The next line with bytes has the same one, unless it states
  /// another.
  private var carried: CaptureSender?
  /// The text before the bytes of the last line with bytes.
  private var lead: Substring = ""

  /// Takes a line and returns the record before it, when the line shows that this record is whole.
  mutating func add(_ line: Line) -> Record? {
    if let total = line.total, let pending, pending.bytes.count == total { return takePending() }
    var line = line
    let isOfItsTime = line.time == nil || line.time == pending?.time
    // The last line of a dump may have one byte; behind other words, it is a number.
    if line.bytes.isEmpty, !line.doubtful.isEmpty, isOfItsTime, line.isBare || line.lead == lead, isIncomplete {
      line.bytes = line.doubtful
    }
    if !line.bytes.isEmpty { lead = line.lead }
    // A dump whose end is missing does not take what a log says next.
    if isOpen, line.time != nil || line.sender != nil || (pending?.bytes.count ?? 0) >= PacketExtent.maximumByteCount {
      isOpen = false
    }
    if line.bytes.isEmpty, !isOpen {
      let whole = line.time != nil || line.sender != nil ? takePending() : nil
      heading = (line.time ?? heading.time, line.sender ?? heading.sender)
      carried = nil
      return whole
    }
    if isOpen || continues(line) {
      pending?.bytes += line.bytes
      if line.isElided { pending?.isElided = true }
      if line.closes { isOpen = false }
      return nil
    }
    let whole = takePending()
    let sender = line.sender ?? heading.sender ?? carried ?? .unknown
    begin(
      Record(time: line.time ?? heading.time, sender: sender, bytes: line.bytes, isElided: line.isElided),
      origin: line.offset)
    isOpen = line.opens
    carried = sender
    return whole
  }

  /// Begins a record with a line that matched the user's pattern. Such a line is a whole record.
  mutating func hold(_ line: TextLog.Line) {
    begin(
      Record(
        time: line.time ?? heading.time, sender: line.sender ?? heading.sender ?? .unknown, bytes: line.bytes,
        isElided: line.isElided, connection: line.connection), origin: nil)
    isWhole = true
    carried = nil
  }

  private mutating func begin(_ record: Record, origin: Int?) {
    pending = record
    self.origin = origin ?? 0
    extent = PacketExtent()
    isWhole = false
    heading = (nil, nil)
  }

  mutating func takePending() -> Record? {
    isOpen = false
    defer { pending = nil }
    return pending
  }

  /// Whether the pending record ends within a packet.
  private var isIncomplete: Bool {
    mutating get {
      guard let pending, !isWhole, !pending.isElided, pending.bytes.count < PacketExtent.maximumByteCount else {
        return false
      }
      return extent.isIncomplete(pending.bytes)
    }
  }

  /// Returns whether a line has the next bytes of the pending record: their offset says so, or the packet that the
  /// record ends with lacks them.
  private mutating func continues(_ line: Line) -> Bool {
    guard let pending, !pending.bytes.isEmpty, pending.bytes.count < CaptureLimits.recordByteCount else {
      return false
    }
    if let offset = line.offset { return offset &- origin == pending.bytes.count }
    guard heading.sender == nil, line.sender == nil || line.sender == pending.sender, !line.opens else { return false }
    return isIncomplete && !LinkContent.begins(line.bytes.rawBytes)
  }

  /// Returns whether the bytes are a whole control message, as in a log above the link layer.
  static func isMessage(_ bytes: [UInt8]) -> Bool {
    bytes.count >= ControlHeader.byteCount && bytes.starts(with: ControlHeader.start.bigEndianBytes)
      && Int(bytes.rawBytes.bigEndian16(2)) == bytes.count
  }
}

/// The extent of the packets with which a record begins.
///
/// Each call goes on where the last one stopped, so a record of many lines is measured once.
struct PacketExtent: Sendable {
  private var end = 0

  /// The maximum length of a record that is put together by the lengths of its packets: two of the longest packets.
  static let maximumByteCount = 1 << 17
  /// The bytes of an iAP1 frame around its payload, of which detect is one: start, length and checksum.
  private static let legacyOverhead = 4

  /// Returns whether the bytes end within a packet, a control message or a detect sequence. The bytes are those of the
  /// last call, with further ones.
  mutating func isIncomplete(_ bytes: [UInt8]) -> Bool {
    while end < bytes.count {
      guard let count = Self.byteCount(bytes[end...], isFirst: end == 0) else { return false }
      guard count > 0 else { return true }
      end += count
    }
    return end > bytes.count
  }

  /// Returns the length that the bytes state; 0 if they are too few to state it, nil if they are no packet.
  private static func byteCount(_ bytes: ArraySlice<UInt8>, isFirst: Bool) -> Int? {
    let start = bytes.startIndex
    guard bytes.count >= 2 else { return bytes[start] == 0xFF || isFirst && bytes[start] == 0x40 ? 0 : nil }
    let kind = UInt16(bytes[start]) << 8 | UInt16(bytes[start + 1])
    guard bytes.count >= 4 else { return [0xFF55, LinkHeader.start, ControlHeader.start].contains(kind) ? 0 : nil }
    let length = Int(bytes[start + 2]) << 8 | Int(bytes[start + 3])
    switch kind {
    case 0xFF55: return Int(bytes[start + 2]) + legacyOverhead
    case LinkHeader.start: return length >= LinkHeader.byteCount ? length : nil
    case ControlHeader.start where isFirst: return length >= ControlHeader.byteCount ? length : nil
    default: return nil
    }
  }
}
