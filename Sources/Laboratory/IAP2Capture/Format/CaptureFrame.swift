// swift-iap2 · Apache-2.0

import IAP2

/// An encapsulation that states how the bytes of a frame are read.
public enum CaptureEncapsulation: Sendable, Hashable {
  /// Linux usbmon, with a header of 48 bytes (link type 189) or 64 (220), in the byte order of the file.
  case usbLinux(headerByteCount: Int, isLittleEndian: Bool)
  /// USBPcap (link type 249).
  case usbPcap
  /// A packet of a USB cable, from its identifier to its check sequence (link types 288 and 293 to 295).
  case usbWire
  /// A Bluetooth packet with its H4 type byte. `isSent` is true if the host sent it; nil if the file has no directions.
  case hciH4(isSent: Bool?)
  /// The same after four bytes of direction (link type 201).
  case hciH4WithDirection
  /// A Bluetooth packet without its type byte. The type comes from the file.
  case hci(type: UInt8, isSent: Bool)
  /// A packet of the Linux Bluetooth monitor after adapter and opcode, two bytes each (link type 254).
  case linuxMonitor
  /// A packet of the Linux Bluetooth monitor in btsnoop, whose record header has opcode and adapter.
  case linuxMonitorPacket(opcode: UInt16, adapter: UInt16)
  /// An Ethernet frame (link type 1).
  case ethernet
  /// Linux cooked, with a header of 16 bytes (link type 113) or 20 (276).
  case linuxCooked(headerByteCount: Int)
  /// An IP packet (link types 101, 228 and 229).
  case rawIP
  /// An IP packet after four bytes of address family (link type 0).
  case loopback
  /// The project's own link type ``OwnRecord``: link bytes after their sender.
  case own
  /// Link bytes of a sender.
  case bytes(CaptureSender)
  /// One whole control message of a sender.
  case message(CaptureSender)
  /// Text or metadata, which is not decoded.
  case note
  /// A link type that is not read.
  case unsupported(linkType: UInt32)

  /// Creates the encapsulation of a link type of pcap (CaptureFormats.md#link-types).
  init(linkType: UInt32, isLittleEndian: Bool) {
    self =
      switch linkType {
      case 0: .loopback
      case 1: .ethernet
      case 101, 228, 229: .rawIP
      case 113: .linuxCooked(headerByteCount: 16)
      case OwnRecord.linkType: .own
      case 187: .hciH4(isSent: nil)
      case 189: .usbLinux(headerByteCount: 48, isLittleEndian: isLittleEndian)
      case 201: .hciH4WithDirection
      case 220: .usbLinux(headerByteCount: 64, isLittleEndian: isLittleEndian)
      case 249: .usbPcap
      case 254: .linuxMonitor
      case 288, 293, 294, 295: .usbWire
      case 276: .linuxCooked(headerByteCount: 20)
      default: .unsupported(linkType: linkType)
      }
  }
}

extension CaptureEncapsulation {
  /// The link type of a little-endian pcapng file that can have such records; nil for none.
  var linkType: UInt16? {
    switch self {
    case .loopback: 0
    case .ethernet: 1
    case .rawIP: 101
    case .linuxCooked(let count): count == 16 ? 113 : 276
    case .own: UInt16(OwnRecord.linkType)
    case .hciH4: 187
    case .hciH4WithDirection: 201
    case .usbLinux(let count, isLittleEndian: true): count == 48 ? 189 : 220
    case .usbPcap: 249
    case .linuxMonitor: 254
    case .usbWire: 288
    case .usbLinux, .hci, .linuxMonitorPacket, .bytes, .message, .note, .unsupported: nil
    }
  }
}

/// A record of a capture file. Its bytes are borrowed from the reader.
public struct CaptureFrame: Sendable, Hashable {
  /// The number of the record, from 1.
  public var number: Int
  /// The time in nanoseconds since the Unix epoch, or since the origin of a text's times; nil without a time.
  public var nanoseconds: Int64?
  /// The encapsulation of the bytes.
  public var encapsulation: CaptureEncapsulation
  /// The range of the bytes in the reader's buffer.
  var range: Range<Int>
  /// The number of bytes that the record had when it was captured; larger than ``byteCount`` if the record was cut.
  public var originalByteCount: Int
  /// The offset of the record in the file.
  public var offset: Int
  /// The range of the record's comment in the reader's buffer.
  var comment: Range<Int>?
  /// The number of the connection in a log whose lines name one.
  package var connection = 0

  /// The number of bytes in the file.
  public var byteCount: Int { range.count }
  /// Whether the file has only a part of the captured bytes.
  public var isCut: Bool { originalByteCount > range.count }
}

/// A block of a pcapng file that is neither a packet nor an interface, such as names or secrets. A section header is one
/// if it states that its CarPlay sessions are in the clear.
public struct CaptureBlock: Sendable, Hashable {
  /// The type of the block.
  public var type: UInt32
  /// The byte order of the section that has the block, and of the block's content.
  public var isLittleEndian: Bool
  /// The range of the block's body in the reader's buffer.
  var range: Range<Int>
}

/// A problem of a capture file.
public enum CaptureProblem: Error, Sendable, Equatable {
  /// The last record ends before its stated length.
  case cutOff
  /// A length or a type that no writer produces.
  case badRecord
  /// A record of more bytes than the limit, which is beyond the records of any transport.
  case recordTooLong(byteCount: Int, limit: Int)
  /// A version of the file format that is not known.
  case unsupportedVersion(UInt32)
  /// A data link of btsnoop that is not read.
  case unsupportedDataLink(UInt32)
  /// A packet of an interface that was not described before it.
  case unknownInterface(Int)
  /// The number of packets before this record that the capturing program dropped.
  case dropped(Int)
  /// The file has neither a known format nor text.
  case unknownFormat
  /// A line of the project's own text form, counted from 1, that is not a record.
  case text(line: Int, TextRecords.Problem)
}

/// A problem of a capture file, with its place.
public struct CaptureDamage: Error, Sendable, Equatable {
  /// The problem.
  public var problem: CaptureProblem
  /// The number of the record, from 1.
  public var number: Int
  /// The offset in the file, in bytes.
  public var offset: Int
  /// Whether nothing after this place can be read.
  public var isFatal: Bool
}

/// The result of one step of a format's parser.
enum FormatStep {
  /// A record.
  case frame(CaptureFrame)
  /// Bytes without a record were consumed.
  case passed
  case block(CaptureBlock)
  /// The parser needs this many bytes from the offset on.
  case more(Int)
  case damage(CaptureProblem, isFatal: Bool)
}

/// Limits of capture files. Larger records are treated as damage: usbmon and Bluetooth stay below 64 KiB, network cards
/// below 256 KiB.
enum CaptureLimits {
  static let recordByteCount = 1 << 24
}

extension RawSpan {
  /// Returns the integer at an offset. The caller must have checked that it lies within the span.
  @inline(__always)
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, isLittleEndian: Bool) -> Number {
    precondition(offset >= 0 && offset &+ MemoryLayout<Number>.size <= byteCount)
    let number = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self)
    return isLittleEndian ? Number(littleEndian: number) : Number(bigEndian: number)
  }
}
