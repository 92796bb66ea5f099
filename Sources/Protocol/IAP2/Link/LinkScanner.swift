// swift-iap2 · Apache-2.0

/// The unit found at an offset of a byte stream.
package enum LinkScan: Sendable, Hashable {
  /// A whole packet with valid checksums.
  case packet(LinkHeader, at: Int)
  /// The detect sequence of six bytes.
  case detect(at: Int)
  /// A well-formed iAP1 frame other than the detect sequence.
  case legacyFrame(Range<Int>)
  /// A whole packet with a valid header and a wrong payload checksum.
  case badPayloadChecksum(LinkHeader, at: Int)
  /// A packet start with a wrong header checksum or an impossible length. One byte of it is to be skipped.
  case badHeader(LinkHeader, at: Int, reason: LinkHeaderDamage)
  /// Bytes that are not part of any unit.
  case garbage(Range<Int>)
  /// An incomplete unit. The caller keeps the bytes from here until it has at least `need` of them.
  case incomplete(at: Int, need: Int)
  /// The end of the bytes.
  case end
}

/// A scanner that finds packets, detect sequences and iAP1 frames in a byte stream, and the bytes between them.
///
/// A wrong header checksum skips one byte. A wrong payload checksum drops the whole packet. All other bytes up to the
/// next possible start are garbage (Link.md#packet-edges).
package enum LinkScanner {
  /// The detect sequence `FF 55 02 00 EE 10`, which the accessory sends until the device echoes it. Evidence:
  /// Link.md#detect-sequence (high).
  package static let detect: [UInt8] = [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]

  /// Returns the unit at `offset`. The caller continues after that unit.
  @inline(__always)
  package static func scan(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    let available = bytes.byteCount &- offset
    if available >= LinkHeader.byteCount, bytes.bigEndian16(offset) == LinkHeader.start {
      let header = LinkHeader(bytes, at: offset)
      if header.byteCount >= LinkHeader.byteCount, header.checksum == bytes.byte(offset &+ 8) {
        guard available >= header.byteCount else { return .incomplete(at: offset, need: header.byteCount) }
        if header.byteCount == LinkHeader.byteCount { return .packet(header, at: offset) }
        let end = offset &+ header.byteCount
        return Checksum.sum(bytes, (offset &+ LinkHeader.byteCount)..<end) == 0
          ? .packet(header, at: offset) : .badPayloadChecksum(header, at: offset)
      }
      return .badHeader(header, at: offset, reason: header.checksum == bytes.byte(offset &+ 8) ? .length : .checksum)
    }
    return scanOther(bytes, from: offset)
  }

  /// Scans everything but a packet whose header bytes are all present.
  @inline(never)
  static func scanOther(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    let available = bytes.byteCount &- offset
    guard available > 0 else { return .end }
    switch bytes.byte(offset) {
    case LinkHeader.start0:
      guard available >= 2 else { return .incomplete(at: offset, need: 2) }
      switch bytes.byte(offset + 1) {
      case LinkHeader.start1: return .incomplete(at: offset, need: LinkHeader.byteCount)
      case 0x55: return legacy(bytes, from: offset, start: offset + 1)
      default: return garbage(bytes, from: offset)
      }
    case 0x55: return legacy(bytes, from: offset, start: offset)
    default: return garbage(bytes, from: offset)
    }
  }

  /// Scans an iAP1 frame: `55`, length, as many bytes, checksum. Length 0 announces a two-byte length.
  private static func legacy(_ bytes: RawSpan, from offset: Int, start: Int) -> LinkScan {
    let available = bytes.byteCount - start
    guard available >= 2 else { return .incomplete(at: offset, need: start - offset + 2) }
    let short = Int(bytes.byte(start + 1))
    let total = short + 3
    // Only frames of at most 16 bytes count, such as the detect sequence and the answers of lingo 0. Waiting for a
    // longer one would block the stream. A longer one is garbage even if it is complete, so that the result does not
    // depend on how the reads cut the stream. Length 0 announces a longer frame.
    guard short > 0, total <= 16 else { return garbage(bytes, from: offset) }
    guard available >= total else { return .incomplete(at: offset, need: start - offset + total) }
    guard Checksum.sum(bytes, (start + 1)..<(start + total)) == 0 else { return garbage(bytes, from: offset) }
    let isDetect = start > offset && (1..<5).allSatisfy { bytes.byte(start + $0) == detect[$0 + 1] }
    return isDetect ? .detect(at: offset) : .legacyFrame(offset..<(start + total))
  }

  /// Returns the bytes up to the next one that may start a unit.
  private static func garbage(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    var end = offset + 1
    while end < bytes.byteCount, bytes.byte(end) != 0xFF, bytes.byte(end) != 0x55 { end += 1 }
    return .garbage(offset..<end)
  }
}
