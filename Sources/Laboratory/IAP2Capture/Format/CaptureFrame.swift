// swift-iap2 · Apache-2.0

import IAP2

/// What the bytes of a frame are.
public enum CaptureEncapsulation: Sendable, Hashable {
  /// Linux usbmon, 48 bytes of header (link type 189) or 64 (220), in the byte order of the file.
  case usbLinux(headerByteCount: Int, isLittleEndian: Bool)
  case usbPcap
  /// A Bluetooth packet with its H4 type byte; whether the host sent it, where the file says so.
  case hciH4(isSent: Bool?)
  /// The same behind four bytes of direction (link type 201).
  case hciH4WithDirection
  /// A Bluetooth packet without its type byte; the type comes from the file.
  case hci(type: UInt8, isSent: Bool)
  /// Behind adapter and opcode, two bytes each (link type 254).
  case linuxMonitor
  case linuxMonitorPacket(opcode: UInt16, adapter: UInt16)
  case ethernet
  /// Linux cooked, with 16 bytes of header (113) or 20 (276).
  case linuxCooked(headerByteCount: Int)
  case rawIP
  /// Behind four bytes of address family.
  case loopback
  /// ``OwnRecord``: link bytes with who sent them.
  case own
  /// Link bytes, or one whole control message, of whoever sent them.
  case bytes(CaptureSender)
  case message(CaptureSender)
  /// Text and meta records: nothing to decode.
  case note
  case unsupported(linkType: UInt32)

  /// pcap's link types (CaptureFormats.md#link-types).
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
      case 276: .linuxCooked(headerByteCount: 20)
      default: .unsupported(linkType: linkType)
      }
  }
}

/// A record of a capture file; its bytes are lent by the reader.
public struct CaptureFrame: Sendable, Hashable {
  /// From 1.
  public var number: Int
  /// Since the Unix epoch, or since whatever a text file counts from; nil without a time.
  public var nanoseconds: Int64?
  public var encapsulation: CaptureEncapsulation
  /// Where its bytes lie in the reader's buffer.
  var range: Range<Int>
  /// Bytes the record had when it was captured; more than there are if it was cut.
  public var originalByteCount: Int
  /// Where the record begins in the file.
  public var offset: Int
  /// Where what somebody wrote of it lies in the reader's buffer.
  var comment: Range<Int>?
  /// Which of a log's connections, where its lines say so.
  package var connection = 0

  public var byteCount: Int { range.count }
  public var isCut: Bool { originalByteCount > range.count }
}

/// A part of a pcapng file that is neither packet nor interface: names, secrets, whatever programs add.
public struct CaptureBlock: Sendable, Hashable {
  public var type: UInt32
  /// Of its section, and of what is in it.
  public var isLittleEndian: Bool
  /// Where its body lies in the reader's buffer.
  var range: Range<Int>
}

/// Why a capture cannot be read any further, or what of it could not.
public enum CaptureProblem: Error, Sendable, Equatable {
  /// The last record ends before its length.
  case cutOff
  /// A length or a type that no writer makes.
  case badRecord
  /// A record larger than any transport's.
  case recordTooLong(byteCount: Int, limit: Int)
  case unsupportedVersion(UInt32)
  case unsupportedDataLink(UInt32)
  /// A packet of an interface that was never described.
  case unknownInterface(Int)
  /// So many packets before this record were not kept by who captured.
  case dropped(Int)
  /// Neither a known format nor text.
  case unknownFormat
  /// A line of the text form.
  case text(line: Int, TextRecords.Problem)
}

/// A problem with its place.
public struct CaptureDamage: Error, Sendable, Equatable {
  public var problem: CaptureProblem
  /// The record it is about, from 1.
  public var number: Int
  /// Bytes from the start of the file.
  public var offset: Int
  /// Nothing behind it can be read.
  public var isFatal: Bool
}

/// What a format finds at its place.
enum FormatStep {
  case frame(CaptureFrame)
  /// Something without packets was passed.
  case passed
  case block(CaptureBlock)
  /// More bytes are wanted: so many from the offset on.
  case more(Int)
  case damage(CaptureProblem, isFatal: Bool)
}

/// Records larger than this are no records: usbmon and Bluetooth stay below 64 KiB, network cards below 256 KiB.
enum CaptureLimits {
  static let recordByteCount = 1 << 24
}

extension RawSpan {
  /// A number of so many bytes at an offset the caller has checked.
  @inline(__always)
  func integer<Number: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, isLittleEndian: Bool) -> Number {
    precondition(offset >= 0 && offset &+ MemoryLayout<Number>.size <= byteCount)
    let number = unsafe unsafeLoadUnaligned(fromUncheckedByteOffset: offset, as: Number.self)
    return isLittleEndian ? Number(littleEndian: number) : Number(bigEndian: number)
  }
}
