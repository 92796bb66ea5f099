// swift-iap2 · Apache-2.0

import IAP2

/// A parser of pcap: a header, then records (CaptureFormats.md#pcap-magic).
struct Pcap: Sendable {
  private var isLittleEndian = true
  private var nanosecondsPerUnit: Int64 = 1000
  private var encapsulation: CaptureEncapsulation?

  static let headerByteCount = 24
  private static let recordHeaderByteCount = 16

  /// Returns the byte order and the time unit that the first four bytes state; nil when they are no magic number.
  static func magic(_ bytes: RawSpan) -> (isLittleEndian: Bool, nanosecondsPerUnit: Int64)? {
    guard bytes.byteCount >= 4 else { return nil }
    switch bytes.integer(0, isLittleEndian: false) as UInt32 {
    case 0xA1B2_C3D4: return (false, 1000)
    case 0xA1B2_3C4D: return (false, 1)
    case 0xD4C3_B2A1: return (true, 1000)
    case 0x4D3C_B2A1: return (true, 1)
    default: return nil
    }
  }

  mutating func next(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard let encapsulation else { return header(bytes, at: &offset) }
    guard bytes.byteCount - offset >= Self.recordHeaderByteCount else { return .more(Self.recordHeaderByteCount) }
    let seconds: UInt32 = bytes.integer(offset, isLittleEndian: isLittleEndian)
    let fraction: UInt32 = bytes.integer(offset + 4, isLittleEndian: isLittleEndian)
    let captured = Int(bytes.integer(offset + 8, isLittleEndian: isLittleEndian) as UInt32)
    let original = Int(bytes.integer(offset + 12, isLittleEndian: isLittleEndian) as UInt32)
    guard captured <= CaptureLimits.recordByteCount else {
      return .damage(.recordTooLong(byteCount: captured, limit: CaptureLimits.recordByteCount), isFatal: true)
    }
    let end = offset + Self.recordHeaderByteCount + captured
    guard bytes.byteCount >= end else { return .more(end - offset) }
    let frame = CaptureFrame(
      number: 0, nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(fraction) * nanosecondsPerUnit,
      encapsulation: encapsulation, range: (end - captured)..<end, originalByteCount: original, offset: 0)
    offset = end
    return .frame(frame)
  }

  private mutating func header(_ bytes: RawSpan, at offset: inout Int) -> FormatStep {
    guard bytes.byteCount - offset >= Self.headerByteCount, let magic = Self.magic(bytes) else {
      return .more(Self.headerByteCount)
    }
    isLittleEndian = magic.isLittleEndian
    nanosecondsPerUnit = magic.nanosecondsPerUnit
    // The upper half of the word holds flags.
    let word: UInt32 = bytes.integer(offset + 20, isLittleEndian: isLittleEndian)
    encapsulation = CaptureEncapsulation(linkType: word & 0xFFFF, isLittleEndian: isLittleEndian)
    offset += Self.headerByteCount
    return .passed
  }
}
