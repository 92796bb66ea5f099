// swift-iap2 · Apache-2.0

import IAP2

/// A reader of the text that BlueZ's btmon prints (CaptureFormats.md#btmon-text).
///
/// Each data packet becomes an ACL packet again: L2CAP channel, RFCOMM header and check sequence stand in the text
/// beside the payload. Commands and events are not read.
struct BtmonText: TextForm {
  /// A data packet whose lines are being read.
  fileprivate struct Packet {
    var time: Double?
    var isSent: Bool
    var handle: UInt16 = 0
    var channel: UInt16?
    /// The length of the L2CAP frame's payload.
    var byteCount = 0
    /// The fields of an RFCOMM frame, by their names in the text.
    var fields: [Substring: UInt16] = [:]
    var isRFCOMM = false
    var dump: [UInt8] = []
  }

  private var packet: Packet?
  /// The number of spaces before a text within another one.
  private let indent: Int

  /// The beginnings of lines that only btmon prints.
  private static let heads = [
    "Bluetooth monitor ver", "< ACL Data TX:", "> ACL Data RX:", "< HCI Command: ", "> HCI Event: ", "= New Index: ",
    "= Open Index: ", "@ MGMT ",
  ]

  /// Returns nil unless one of the lines is of this form.
  init?(_ lines: [Substring]) {
    let indents = lines.lazy.compactMap { line -> Int? in
      let plain = TextMarkup.plain(line)
      let bare = plain.drop { $0 == " " }
      return Self.heads.contains(where: bare.hasPrefix) ? plain.utf8.count - bare.utf8.count : nil
    }
    guard let indent = indents.first else { return nil }
    self.indent = indent
  }

  var kind: TextFormKind { .btmon }

  mutating func take(_ line: Substring) -> TextOutcome {
    let plain = TextMarkup.plain(line.prefix { $0 != "\r" })
    let line = plain.dropFirst(plain.prefix(indent).prefix { $0 == " " }.count)
    // A packet begins with its mark at the start of a line; its details are indented.
    if let first = line.first, "<>=@".contains(first) {
      let whole = takePacket()
      packet = Packet(line)
      return TextOutcome(records: whole.map { [$0] } ?? [], hasBytes: whole != nil || packet != nil)
    }
    guard packet != nil else { return TextOutcome() }
    packet?.note(line.drop { $0 == " " })
    return TextOutcome(hasBytes: true)
  }

  mutating func finish() -> [HexDump.Record] { takePacket().map { [$0] } ?? [] }

  private mutating func takePacket() -> HexDump.Record? {
    defer { packet = nil }
    return packet?.record
  }
}

extension BtmonText.Packet {
  /// Returns nil for a line that does not begin a data packet, such as
  /// `> ACL Data RX: Handle 2 flags 0x02 dlen 18  #1 [hci0] 91.977373` does.
  fileprivate init?(_ line: Substring) {
    guard line.dropFirst().hasPrefix(" ACL Data ") else { return nil }
    isSent = line.first == "<"
    let words = line.split(separator: " ")
    if let index = words.firstIndex(of: "Handle"), index + 1 < words.count, let number = UInt16(words[index + 1]) {
      handle = number & 0xFFF
    }
    // The time is at the end: seconds, or a date and a clock time.
    time = words.last.flatMap { Double($0) } ?? HexDump.Line.time(words.suffix(2).joined(separator: " ")[...])
  }

  /// Takes a line of details.
  fileprivate mutating func note(_ line: Substring) {
    if line.hasPrefix("Channel: ") {
      let words = line.split(separator: " ")
      channel = words.count > 1 ? UInt16(words[1]) : nil
      byteCount = words.count > 3 && words[2] == "len" ? Int(UInt16(words[3]) ?? 0) : 0
    } else if line.hasPrefix("RFCOMM: ") {
      isRFCOMM = true
    } else if let field = Self.field(line) {
      // Messages of the multiplexer repeat a name further down.
      if fields[field.name] == nil { fields[field.name] = field.value }
    } else if dump.count <= UInt16.max {
      dump += Self.bytes(line)
    }
  }

  private static let names: Set<Substring> = ["Address", "Control", "Length", "FCS", "Credits"]

  /// Returns the field of a line such as `Address: 0x09 cr 0 dlci 0x02`; nil for another line.
  private static func field(_ line: Substring) -> (name: Substring, value: UInt16)? {
    guard let colon = line.firstIndex(of: ":"), names.contains(line[..<colon]) else { return nil }
    let word = line[colon...].dropFirst().split(separator: " ").first ?? ""
    let value = word.hasPrefix("0x") ? UInt16(word.dropFirst(2), radix: 16) : UInt16(word)
    return value.map { (line[..<colon], $0) }
  }

  /// Returns the bytes of a line of the dump: at most 16 pairs of digits before their characters.
  private static func bytes(_ line: Substring) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = line[...]
    while bytes.count < 16, let byte = Hex.bytes(rest.prefix(2)), byte.count == 1 {
      rest = rest.dropFirst(2)
      // Two spaces precede the characters.
      guard rest.isEmpty || rest.hasPrefix(" ") else { return [] }
      bytes += byte
      rest = rest.dropFirst()
    }
    return bytes
  }

  /// The packet as a record; nil without the bytes of a channel.
  fileprivate var record: HexDump.Record? {
    guard let channel, let (payload, isCut) = payload, payload.count <= UInt16.max - 4 else { return nil }
    let l2cap = UInt16(payload.count).littleEndianBytes + channel.littleEndianBytes + payload
    // The packet boundary flag: a whole frame from the host, or one that the host received.
    let header = (handle | (isSent ? 0 : 0x2000)).littleEndianBytes + UInt16(l2cap.count).littleEndianBytes
    return HexDump.Record(
      time: time, sender: .unknown, bytes: header + l2cap, isElided: isCut,
      encapsulation: .hci(type: HCIPacket.acl, isSent: isSent))
  }

  /// The payload of the L2CAP frame, and whether the text lacks a part of it; nil without one.
  private var payload: (bytes: [UInt8], isCut: Bool)? {
    guard isRFCOMM else {
      return dump.isEmpty ? nil : (Array(dump.prefix(byteCount)), dump.count < byteCount)
    }
    guard let address = fields["Address"], let control = fields["Control"], let check = fields["FCS"] else {
      return nil
    }
    // The dump has the check sequence behind the payload.
    let length = Int(fields["Length"] ?? 0)
    let data = dump.prefix(length)
    let credits = fields["Credits"].map { [UInt8(truncatingIfNeeded: $0)] } ?? []
    let size: [UInt8] =
      data.count < 128
      ? [UInt8(data.count) << 1 | 1]
      : [UInt8(data.count & 0x7F) << 1, UInt8(truncatingIfNeeded: data.count >> 7)]
    let head = [UInt8(truncatingIfNeeded: address), UInt8(truncatingIfNeeded: control)]
    return (head + size + credits + data + [UInt8(truncatingIfNeeded: check)], data.count < length)
  }
}

extension UInt16 {
  fileprivate var littleEndianBytes: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(self >> 8)] }
}
