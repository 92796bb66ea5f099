// swift-iap2 · Apache-2.0

/// What lies at some place of a byte stream.
public enum LinkScan: Sendable, Hashable {
  /// A whole packet with valid checksums.
  case packet(LinkHeader, at: Int)
  /// The detect sequence, six bytes.
  case detect(at: Int)
  /// A well-formed iAP1 frame that is not the detect sequence.
  case legacyFrame(Range<Int>)
  /// A whole packet whose header is valid and whose payload checksum is not.
  case badPayloadChecksum(LinkHeader, at: Int)
  /// A packet start whose header checksum is wrong or whose length is impossible: one byte of it is passed over.
  case badHeader(LinkHeader, at: Int, reason: HeaderDamage)
  /// Bytes that belong to nothing known.
  case garbage(Range<Int>)
  /// From here on the bytes must be kept: at least `need` bytes are wanted to go on.
  case incomplete(at: Int, need: Int)
  /// Nothing is left.
  case end

  public enum HeaderDamage: Sendable, Hashable { case checksum, length }
}

/// Finds packets, detect sequences and iAP1 frames in a byte stream and says what it had to pass over.
///
/// Rules (Link.md#packet-edges): a wrong header checksum moves on by one byte; a wrong payload checksum drops
/// the whole packet; anything else up to the next possible start is garbage.
public enum LinkScanner {
  /// `FF 55 02 00 EE 10`: sent by the accessory until the device echoes it. Evidence: Link.md#detect-sequence (high).
  public static let detect: [UInt8] = [0xFF, 0x55, 0x02, 0x00, 0xEE, 0x10]

  /// Looks at `offset`; the caller goes on after what it is told.
  @inline(__always)
  public static func scan(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    let available = bytes.byteCount &- offset
    if available >= LinkHeader.byteCount, bytes.bigEndian16(offset) == 0xFF5A {
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

  /// Everything but a packet with all its header bytes there.
  @inline(never)
  static func scanOther(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    let available = bytes.byteCount &- offset
    guard available > 0 else { return .end }
    switch bytes.byte(offset) {
    case 0xFF:
      guard available >= 2 else { return .incomplete(at: offset, need: 2) }
      switch bytes.byte(offset + 1) {
      case 0x5A: return .incomplete(at: offset, need: LinkHeader.byteCount)
      case 0x55: return legacy(bytes, from: offset, start: offset + 1)
      default: return garbage(bytes, from: offset)
      }
    case 0x55: return legacy(bytes, from: offset, start: offset)
    default: return garbage(bytes, from: offset)
    }
  }

  /// An iAP1 frame: `55`, length, so many bytes, checksum; length 0 announces a two-byte length.
  private static func legacy(_ bytes: RawSpan, from offset: Int, start: Int) -> LinkScan {
    let available = bytes.byteCount - start
    guard available >= 2 else { return .incomplete(at: offset, need: start - offset + 2) }
    let short = Int(bytes.byte(start + 1))
    let total = short + 3
    // Only a short frame, as the answers of lingo 0 and the detect sequence are, is worth waiting for; a long one is none
    // even where it is whole, or it would depend on the reads what is found in it. Length 0 announces a long one.
    guard short > 0, total <= 16 else { return garbage(bytes, from: offset) }
    guard available >= total else { return .incomplete(at: offset, need: start - offset + total) }
    guard Checksum.sum(bytes, (start + 1)..<(start + total)) == 0 else { return garbage(bytes, from: offset) }
    let isDetect = start > offset && (1..<5).allSatisfy { bytes.byte(start + $0) == detect[$0 + 1] }
    return isDetect ? .detect(at: offset) : .legacyFrame(offset..<(start + total))
  }

  /// From here to the next byte that could start something.
  private static func garbage(_ bytes: RawSpan, from offset: Int) -> LinkScan {
    var end = offset + 1
    while end < bytes.byteCount, bytes.byte(end) != 0xFF, bytes.byte(end) != 0x55 { end += 1 }
    return .garbage(offset..<end)
  }
}
