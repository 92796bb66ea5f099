// swift-iap2 · Apache-2.0

public import IAP2

/// A writer that turns records into the bytes of a capture file; the caller stores them. The file can be read if it
/// ends after any record.
public struct CaptureWriter: Sendable {
  /// A format of capture files.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// pcapng with the project's own link type, times in nanoseconds, and comments.
    case pcapng
    /// btsnoop with the bytes in RFCOMM frames, times in microseconds, without comments.
    case btsnoop
    /// The project's own text form.
    case text
  }

  /// The bytes of one write or read of a transport.
  public struct Record: Sendable {
    /// The time in nanoseconds since the Unix epoch or since the capture began; nil without a time.
    public var nanoseconds: Int64?
    /// The side that sent the bytes.
    public var from: Side
    /// The number of the connection in the capture.
    public var connection: UInt16 = 0
    /// The bytes; empty for a record that is only a comment.
    public var bytes: [UInt8]
    /// A comment, such as an event at this point.
    public var comment: String?

    /// Creates a record.
    public init(
      nanoseconds: Int64?, from: Side, connection: UInt16 = 0, bytes: [UInt8], comment: String? = nil
    ) {
      self.nanoseconds = nanoseconds
      self.from = from
      self.connection = connection
      self.bytes = bytes
      self.comment = comment
    }
  }

  /// The format of the file.
  public let format: Format
  /// The number of records. It replaces a missing time, in microseconds, in formats that need one.
  private var count: Int64 = 0

  /// Creates a writer. Store ``header`` first.
  public init(_ format: Format) { self.format = format }

  /// The bytes at the beginning of the file.
  public var header: [UInt8] {
    switch format {
    case .pcapng: PcapngBlocks.section + PcapngBlocks.interface(linkType: UInt16(OwnRecord.linkType))
    case .btsnoop: BTSnoopBlocks.header
    case .text: Array("# [seconds] A>D|D>A bytes; A is the accessory, D the device\n".utf8)
    }
  }

  /// Returns the bytes of a record; empty when the format cannot hold it.
  public mutating func record(_ record: Record) -> [UInt8] {
    count += 1
    switch format {
    case .pcapng: return PcapngBlocks.packet(record, nanoseconds: record.nanoseconds ?? count * 1000)
    case .btsnoop: return BTSnoopBlocks.packets(record, microseconds: (record.nanoseconds ?? count * 1000) / 1000)
    case .text: return Self.line(record)
    }
  }

  /// Returns the bytes of a block of another file; empty when this file cannot have it.
  ///
  /// Left out are blocks of the other byte order, interface statistics, and custom blocks that their writer marked as
  /// not to be copied.
  package func block(_ block: CaptureBlock, _ bytes: RawSpan) -> [UInt8] {
    guard format == .pcapng, block.isLittleEndian, !PcapngBlocks.uncopied.contains(block.type) else { return [] }
    return PcapngBlocks.block(block.type, [UInt8](copying: bytes))
  }

  private static func line(_ record: Record) -> [UInt8] {
    let comment = record.comment.map { text in
      " # " + String(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : Character($0) })
    }
    guard !record.bytes.isEmpty else { return comment.map { Array(($0.dropFirst() + "\n").utf8) } ?? [] }
    let line = TextRecords.line(nanoseconds: record.nanoseconds, from: record.from, record.bytes)
    return Array((line + (comment ?? "") + "\n").utf8)
  }
}

/// The blocks of pcapng, little-endian.
enum PcapngBlocks {
  /// The block types of interface statistics and of custom blocks that are not to be copied.
  static let uncopied: Set<UInt32> = [5, 0x4000_0BAD]

  static func block(_ type: UInt32, _ body: [UInt8]) -> [UInt8] {
    let padded = body + [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    let length = UInt32(padded.count + 12).littleBytes
    return type.littleBytes + length + padded + length
  }

  private static func option(_ code: UInt16, _ value: [UInt8]) -> [UInt8] {
    code.littleBytes + UInt16(value.count).littleBytes + value
      + [UInt8](repeating: 0, count: (4 - value.count % 4) % 4)
  }

  private static let endOfOptions: [UInt8] = [0, 0, 0, 0]

  static var section: [UInt8] { section(comment: nil) }

  static func section(comment: String?) -> [UInt8] {
    block(
      Pcapng.sectionHeader,
      (0x1A2B_3C4D as UInt32).littleBytes + [1, 0, 0, 0] + [UInt8](repeating: 0xFF, count: 8)
        + (comment.map { option(1, Array($0.utf8)) } ?? []) + option(4, DecryptedMark.application) + endOfOptions)
  }

  /// An interface without a length limit, with times in nanoseconds.
  static func interface(linkType: UInt16) -> [UInt8] {
    block(1, linkType.littleBytes + [0, 0, 0, 0, 0, 0] + option(9, [9]) + endOfOptions)
  }

  static func packet(_ record: CaptureWriter.Record, nanoseconds: Int64) -> [UInt8] {
    let header = OwnRecord.header(from: record.from, connection: record.connection)
    return packet(header + record.bytes, nanoseconds: nanoseconds, comment: record.comment)
  }

  /// - Parameter interface: The number of the interface in the section.
  static func packet(
    _ bytes: [UInt8], nanoseconds: Int64, comment: String? = nil, interface: UInt32 = 0
  ) -> [UInt8] {
    let time = UInt64(bitPattern: nanoseconds)
    var body = interface.littleBytes + UInt32(time >> 32).littleBytes + UInt32(truncatingIfNeeded: time).littleBytes
    body += UInt32(bytes.count).littleBytes + UInt32(bytes.count).littleBytes + bytes
    body += [UInt8](repeating: 0, count: (4 - body.count % 4) % 4)
    if let comment {
      body += option(1, Array(comment.utf8.prefix(0xFFF0))) + endOfOptions
    }
    return block(6, body)
  }
}

/// btsnoop packets with whole RFCOMM frames of an invented connection.
private enum BTSnoopBlocks {
  static var header: [UInt8] {
    BTSnoop.magic + (1 as UInt32).bytes + BTSnoop.DataLink.h4.bytes
  }

  /// The maximum data of a frame: a frame size that Bluetooth stacks use, far below L2CAP's own limit.
  private static let frameByteCount = 16_000

  static func packets(_ record: CaptureWriter.Record, microseconds: Int64) -> [UInt8] {
    var packets: [UInt8] = []
    var rest = record.bytes[...]
    while !rest.isEmpty {
      let part = Array(rest.prefix(frameByteCount))
      rest = rest.dropFirst(frameByteCount)
      // The device counts as the host that logs.
      let isSent = record.from == .device
      let packet = acl(RFCOMMFrame.frame(part, channel: 1), handle: 1 + record.connection % 0xE00)
      packets += UInt32(packet.count).bytes + UInt32(packet.count).bytes + UInt32(isSent ? 0 : 1).bytes
      packets += (0 as UInt32).bytes + UInt64(bitPattern: microseconds + BTSnoop.epochMicroseconds).bytes + packet
    }
    return packets
  }

  private static func acl(_ payload: [UInt8], handle: UInt16) -> [UInt8] {
    let l2cap = UInt16(payload.count).littleBytes + (0x40 as UInt16).littleBytes + payload
    return [HCIPacket.acl] + (handle | 0x2000).littleBytes + UInt16(l2cap.count).littleBytes + l2cap
  }
}

extension FixedWidthInteger {
  fileprivate var littleBytes: [UInt8] {
    (0..<(Self.bitWidth / 8)).map { UInt8(truncatingIfNeeded: self >> ($0 * 8)) }
  }
  /// The big-endian bytes.
  fileprivate var bytes: [UInt8] { littleBytes.reversed() }
}
