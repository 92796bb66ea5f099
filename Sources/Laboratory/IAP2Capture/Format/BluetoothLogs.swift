// swift-iap2 · Apache-2.0

import IAP2

/// A parser of btsnoop, which is big-endian throughout (CaptureFormats.md#btsnoop).
struct BTSnoop: Sendable {
  private var dataLink: UInt32?
  /// The number of packets that the writer had dropped up to the last record.
  private var drops: UInt32 = 0
  /// The state of a file whose times are microseconds in the upper of two words; nil for one with times of 64 bits.
  private var upperWord: UpperWord?
  private var hasRead = false

  /// The microseconds of a time's upper word, which wrap around after 71 minutes, and the sum of their steps.
  private struct UpperWord: Sendable {
    var last: UInt32
    var elapsed: Int64 = 0
  }

  /// Whether the times are microseconds in the upper word. They count from the first record.
  var countsInUpperWord: Bool { upperWord != nil }

  static let magic: [UInt8] = Array("btsnoop\0".utf8)
  static let headerByteCount = 16
  private static let recordHeaderByteCount = 24
  /// The zero of Unix time in btsnoop's microseconds.
  static let epochMicroseconds: Int64 = 0x00DC_DDB3_0F2F_8000

  enum DataLink {
    static let withoutType: UInt32 = 1001
    static let h4: UInt32 = 1002
    static let monitor: UInt32 = 2001
  }

  mutating func next(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard let dataLink else { return header(bytes, at: &offset) }
    guard bytes.byteCount - offset >= Self.recordHeaderByteCount else { return .more(Self.recordHeaderByteCount) }
    let original = Int(bytes.integer(offset, isLittleEndian: false) as UInt32)
    let included = Int(bytes.integer(offset + 4, isLittleEndian: false) as UInt32)
    let flags: UInt32 = bytes.integer(offset + 8, isLittleEndian: false)
    let dropped: UInt32 = bytes.integer(offset + 12, isLittleEndian: false)
    if dropped > drops {
      defer { drops = dropped }
      return .damage(.dropped(Int(dropped - drops)), isFatal: false)
    }
    let time: Int64 = bytes.integer(offset + 16, isLittleEndian: false)
    guard included <= CaptureLimits.recordByteCount else {
      return .damage(.recordTooLong(byteCount: included, limit: CaptureLimits.recordByteCount), isFatal: true)
    }
    let end = offset + Self.recordHeaderByteCount + included
    guard bytes.byteCount >= end else { return .more(end - offset) }
    offset = end
    return .frame(
      CaptureFrame(
        number: 0, nanoseconds: nanoseconds(time),
        encapsulation: Self.encapsulation(dataLink, flags), range: (end - included)..<end,
        originalByteCount: original, offset: 0))
  }

  /// Returns the time since the Unix epoch, or since the first record where the upper word counts. Times beyond 64 bits
  /// are returned as the nearest.
  private mutating func nanoseconds(_ time: Int64) -> Int64 {
    let upper = UInt32(truncatingIfNeeded: time >> 32)
    if let last = upperWord?.last {
      let elapsed = (upperWord?.elapsed ?? 0) &+ Int64(Int32(bitPattern: upper &- last)) * 1000
      upperWord = UpperWord(last: upper, elapsed: elapsed)
      return elapsed
    }
    let (microseconds, isTooEarly) = time.subtractingReportingOverflow(Self.epochMicroseconds)
    let (nanoseconds, isTooFar) = microseconds.multipliedReportingOverflow(by: 1000)
    let nearest = isTooEarly || isTooFar ? (time < 0 ? .min : .max) : nanoseconds
    defer { hasRead = true }
    // Some writers leave the lower word 0 and count microseconds in the upper one (FieldBehavior.md#f31).
    guard !hasRead, upper != 0, UInt32(truncatingIfNeeded: time) == 0, !CaptureClock.range.contains(nearest) else {
      return nearest
    }
    upperWord = UpperWord(last: upper)
    return 0
  }

  private static func encapsulation(_ dataLink: UInt32, _ flags: UInt32) -> CaptureEncapsulation {
    let isSent = flags & 1 == 0
    switch dataLink {
    case DataLink.h4: return .hciH4(isSent: isSent)
    case DataLink.monitor:
      return .linuxMonitorPacket(
        opcode: UInt16(truncatingIfNeeded: flags), adapter: UInt16(truncatingIfNeeded: flags >> 16))
    default:
      // Bit 1 distinguishes commands and events from data. Nothing distinguishes SCO data from ACL data.
      let type = flags & 2 == 0 ? HCIPacket.acl : isSent ? HCIPacket.command : HCIPacket.event
      return .hci(type: type, isSent: isSent)
    }
  }

  private mutating func header(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard bytes.byteCount - offset >= Self.headerByteCount else { return .more(Self.headerByteCount) }
    let version: UInt32 = bytes.integer(offset + 8, isLittleEndian: false)
    guard version == 1 else { return .damage(.unsupportedVersion(version), isFatal: true) }
    let link: UInt32 = bytes.integer(offset + 12, isLittleEndian: false)
    guard [DataLink.withoutType, DataLink.h4, DataLink.monitor].contains(link) else {
      return .damage(.unsupportedDataLink(link), isFatal: true)
    }
    dataLink = link
    offset += Self.headerByteCount
    return .passed
  }
}

/// The H4 types of packets between Bluetooth host and controller.
enum HCIPacket {
  static let command: UInt8 = 1
  static let acl: UInt8 = 2
  static let voice: UInt8 = 3
  static let event: UInt8 = 4
  static let isochronous: UInt8 = 5
}

/// A parser of Apple's PacketLogger files: records without a file header, in either byte order
/// (CaptureFormats.md#packetlogger).
struct PacketLogger: Sendable {
  let isLittleEndian: Bool

  private static let recordHeaderByteCount = 13
  /// The bytes of the record header that a record's length includes: time and type.
  private static let lengthOverhead = 9

  /// Returns the byte order that makes the first record plausible; nil if the bytes are no PacketLogger file.
  static func isLittleEndian(_ bytes: RawSpan) -> Bool? {
    guard bytes.byteCount >= recordHeaderByteCount else { return nil }
    for isLittleEndian in [false, true] where looksRight(bytes, at: 0, isLittleEndian) { return isLittleEndian }
    return nil
  }

  private static func looksRight(_ bytes: RawSpan, at offset: Int, _ isLittleEndian: Bool) -> Bool {
    let length: UInt32 = bytes.integer(offset, isLittleEndian: isLittleEndian)
    let micro: UInt32 = bytes.integer(offset + 8, isLittleEndian: isLittleEndian)
    return (9...65_535).contains(length) && micro < 1_000_000 && types[bytes.byte(offset + 12)] != nil
  }

  /// The H4 type and the direction of each record type; nil inside for types that are not packets.
  private static let types: [UInt8: (type: UInt8, isSent: Bool)?] = [
    0x00: (HCIPacket.command, true), 0x01: (HCIPacket.event, false), 0x02: (HCIPacket.acl, true),
    0x03: (HCIPacket.acl, false), 0x08: (HCIPacket.voice, true), 0x09: (HCIPacket.voice, false), 0x0A: nil,
    0x0B: nil, 0x12: (HCIPacket.isochronous, true), 0x13: (HCIPacket.isochronous, false), 0xF7: nil, 0xF8: nil,
    0xF9: nil, 0xFA: nil, 0xFB: nil, 0xFC: nil, 0xFD: nil, 0xFE: nil,
  ]

  func next(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard bytes.byteCount - offset >= Self.recordHeaderByteCount else { return .more(Self.recordHeaderByteCount) }
    let length = Int(bytes.integer(offset, isLittleEndian: isLittleEndian) as UInt32)
    guard length >= Self.lengthOverhead else { return .damage(.badRecord, isFatal: true) }
    guard length <= CaptureLimits.recordByteCount else {
      return .damage(.recordTooLong(byteCount: length, limit: CaptureLimits.recordByteCount), isFatal: true)
    }
    let end = offset + 4 + length
    guard bytes.byteCount >= end else { return .more(end - offset) }
    let seconds: UInt32 = bytes.integer(offset + 4, isLittleEndian: isLittleEndian)
    let micro: UInt32 = bytes.integer(offset + 8, isLittleEndian: isLittleEndian)
    let packet = Self.types[bytes.byte(offset + 12)] ?? nil
    let range = (offset + Self.recordHeaderByteCount)..<end
    offset = end
    return .frame(
      CaptureFrame(
        number: 0, nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(micro) * 1000,
        encapsulation: packet.map { .hci(type: $0.type, isSent: $0.isSent) } ?? .note, range: range,
        originalByteCount: range.count, offset: 0))
  }
}
