// swift-iap2 · Apache-2.0

/// The control bits of a link packet. Evidence: Link.md#control-bits (high; the meaning of SLP is unverified).
public struct LinkControl: OptionSet, Sendable, Hashable {
  /// The control byte.
  public var rawValue: UInt8
  /// Creates control bits from the control byte.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// SYN: the packet has a synchronization payload.
  public static let synchronize = LinkControl(rawValue: 0x80)
  /// ACK: the acknowledgement field is valid.
  public static let acknowledge = LinkControl(rawValue: 0x40)
  /// EAK: the payload lists missing packets.
  public static let extendedAcknowledge = LinkControl(rawValue: 0x20)
  /// RST: the link is reset.
  public static let reset = LinkControl(rawValue: 0x10)
  /// SLP. Unverified: no public source describes its use. The link displays the bit and ignores it otherwise.
  package static let sleep = LinkControl(rawValue: 0x08)

  /// The protocol's names of the bits, from the highest bit to the lowest.
  package static let names: [(bit: LinkControl, name: String)] = [
    (.synchronize, "SYN"), (.acknowledge, "ACK"), (.extendedAcknowledge, "EAK"), (.reset, "RST"), (.sleep, "SLP"),
  ]

  /// The names of the bits that are set.
  package var names: [String] { Self.names.filter { contains($0.bit) }.map(\.name) }
}

/// A field of a byte layout, for output that shows bytes. Numbers are big-endian.
package struct WireField: Sendable {
  /// The meaning of a field.
  package enum Kind: Sendable {
    /// A number.
    case number
    /// The control byte of a link packet.
    case control
    /// Bytes that are constant or that follow from the others.
    case mark
  }

  /// The name of the field.
  package let name: String
  /// The size of the field in bytes.
  package let byteCount: Int
  /// The meaning of the field.
  package let kind: Kind

  init(_ name: String, _ byteCount: Int, _ kind: Kind = .number) {
    self.name = name
    self.byteCount = byteCount
    self.kind = kind
  }
}

/// The nine header bytes of a link packet.
///
/// `FF 5A`, length u16 (whole packet), control, sequence, acknowledgement, session, checksum.
public struct LinkHeader: Sendable, Hashable {
  /// The length field: the size of the whole packet in bytes.
  public var byteCount: Int
  /// The control bits.
  public var control: LinkControl
  /// The sequence number.
  public var sequence: SequenceNumber
  /// The last sequence number received in order. It is valid only with the ACK bit; real accessories leave other values
  /// here without it (Link.md#packet-ack: BOYA's SYN has 10).
  public var acknowledgement: SequenceNumber
  /// The id of the link session; 0 for packets of the link itself.
  public var session: UInt8

  /// The size of the header in bytes.
  package static let byteCount = 9
  /// The bytes that a packet with payload has beside it: the header and the payload checksum.
  package static let overheadByteCount = 10
  /// The first two bytes of every packet, as a big-endian number.
  package static let start: UInt16 = 0xFF5A
  static var start0: UInt8 { UInt8(start >> 8) }
  static var start1: UInt8 { UInt8(start & 0xFF) }

  /// Creates a header. The checksum follows from the other fields.
  package init(
    byteCount: Int, control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber, session: UInt8
  ) {
    self.byteCount = byteCount
    self.control = control
    self.sequence = sequence
    self.acknowledgement = acknowledgement
    self.session = session
  }

  /// The layout of the nine bytes, in order.
  package static let fields = [
    WireField("start", 2, .mark), WireField("length", 2), WireField("control", 1, .control), WireField("sequence", 1),
    WireField("acknowledgement", 1), WireField("session", 1), WireField("header checksum", 1, .mark),
  ]

  /// Reads the header at the start of a piece of a stream; nil if the piece does not start with one. The checksum is
  /// not checked.
  package init?(startOf piece: RawSpan) {
    guard piece.byteCount >= Self.byteCount, piece.byte(0) == Self.start0, piece.byte(1) == Self.start1 else {
      return nil
    }
    self.init(piece, at: 0)
  }

  /// Reads the header at an offset at which nine bytes exist.
  @inline(__always)
  init(_ bytes: RawSpan, at offset: Int) {
    byteCount = Int(bytes.bigEndian16(offset &+ 2))
    control = LinkControl(rawValue: bytes.byte(offset &+ 4))
    sequence = SequenceNumber(bytes.byte(offset &+ 5))
    acknowledgement = SequenceNumber(bytes.byte(offset &+ 6))
    session = bytes.byte(offset &+ 7)
  }

  /// The size of the payload in bytes. A packet of nine bytes has neither payload nor payload checksum.
  package var payloadByteCount: Int { byteCount > Self.byteCount ? byteCount - Self.overheadByteCount : 0 }

  /// Returns the range of the payload of a packet that starts at `offset`.
  @inline(__always)
  package func payload(at offset: Int) -> Range<Int> {
    let lower = offset &+ Self.byteCount
    return lower..<(lower &+ payloadByteCount)
  }

  /// The header checksum: the complement of the first eight bytes.
  @inline(__always)
  var checksum: UInt8 {
    let length = UInt16(truncatingIfNeeded: byteCount)
    let sum =
      Self.start0 &+ Self.start1 &+ UInt8(length >> 8) &+ UInt8(truncatingIfNeeded: length) &+ control.rawValue
      &+ sequence.rawValue &+ acknowledgement.rawValue &+ session
    return 0 &- sum
  }

  /// Writes the header to the first nine bytes of a packet.
  @inline(__always)
  func write(to packet: UnsafeMutableRawBufferPointer) {
    let length = UInt64(truncatingIfNeeded: byteCount) & 0xFFFF
    let start = UInt64(Self.start0) << 56 | UInt64(Self.start1) << 48 | length << 32
    let rest =
      UInt64(control.rawValue) << 24 | UInt64(sequence.rawValue) << 16 | UInt64(acknowledgement.rawValue) << 8
      | UInt64(session)
    unsafe packet.storeBytes(of: (start | rest).bigEndian, as: UInt64.self)
    unsafe packet.storeBytes(of: checksum, toByteOffset: 8, as: UInt8.self)
  }
}

/// Functions that build whole link packets.
package enum LinkPacket {
  /// The largest value of the length field, in bytes.
  package static let maximumByteCount = 65_535

  /// Appends one packet: the header, and the payload with its checksum if there is a payload.
  ///
  /// - Precondition: the payload has at most 65 525 bytes.
  package static func append(
    to bytes: inout [UInt8], control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber,
    session: UInt8, payload: RawSpan
  ) {
    append(
      to: &bytes, control: control, sequence: sequence, acknowledgement: acknowledgement, session: session,
      prefix: nil, payload: payload)
  }

  /// Appends one packet with a two-byte prefix before the payload, which EA and file-transfer datagrams have.
  static func append(
    to bytes: inout [UInt8], control: LinkControl, sequence: SequenceNumber, acknowledgement: SequenceNumber,
    session: UInt8, prefix: UInt16?, payload: RawSpan
  ) {
    let payloadByteCount = payload.byteCount &+ (prefix == nil ? 0 : 2)
    precondition(payloadByteCount <= maximumByteCount - LinkHeader.overheadByteCount)
    let total = payloadByteCount == 0 ? LinkHeader.byteCount : LinkHeader.overheadByteCount + payloadByteCount
    let header = LinkHeader(
      byteCount: total, control: control, sequence: sequence, acknowledgement: acknowledgement, session: session)
    bytes.append(addingCapacity: total) { (output: inout OutputSpan<UInt8>) in
      unsafe output.withUnsafeMutableBufferPointer { buffer, count in
        let packet = unsafe UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(buffer)[count...])
        unsafe header.write(to: packet)
        if payloadByteCount > 0 { unsafe write(prefix, payload, to: packet, byteCount: total) }
        count += total
      }
    }
  }

  /// Writes the payload and its checksum after the header. `packet` has room for `byteCount` bytes.
  @inline(__always)
  private static func write(
    _ prefix: UInt16?, _ payload: RawSpan, to packet: UnsafeMutableRawBufferPointer, byteCount: Int
  ) {
    var sum = Checksum.sum(payload, 0..<payload.byteCount)
    var offset = LinkHeader.byteCount
    if let prefix {
      unsafe packet.storeBytes(of: prefix.bigEndian, toByteOffset: offset, as: UInt16.self)
      sum &+= UInt8(prefix >> 8) &+ UInt8(truncatingIfNeeded: prefix)
      offset += 2
    }
    unsafe payload.withUnsafeBytes { source in
      unsafe UnsafeMutableRawBufferPointer(rebasing: packet[offset...]).copyMemory(from: source)
    }
    unsafe packet.storeBytes(of: 0 &- sum, toByteOffset: byteCount - 1, as: UInt8.self)
  }

  /// Replaces the acknowledgement of a packet that was built before, and corrects its header checksum.
  static func refresh(_ packet: inout [UInt8], acknowledgement: SequenceNumber) {
    let old = packet[6]
    packet[6] = acknowledgement.rawValue
    packet[8] = packet[8] &+ old &- acknowledgement.rawValue
  }
}
