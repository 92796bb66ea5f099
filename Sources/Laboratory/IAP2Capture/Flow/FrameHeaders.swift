// swift-iap2 · Apache-2.0

import IAP2

/// A Bluetooth HCI packet in its record.
struct HCIFrame {
  var start: Int
  var type: UInt8
  var isSent: Bool?
  var adapter: UInt16 = 0

  /// Returns the packet of a record; nil for records that hold none.
  static func read(_ encapsulation: CaptureEncapsulation, _ bytes: RawSpan) -> HCIFrame? {
    switch encapsulation {
    case .hciH4(let isSent): return bytes.byteCount > 1 ? HCIFrame(start: 1, type: bytes.byte(0), isSent: isSent) : nil
    case .hciH4WithDirection:
      // Direction 0 means sent by the host. All writers agree; the registry's text says the opposite
      // (CaptureFormats.md#phdr-direction).
      return bytes.byteCount > 5 ? HCIFrame(start: 5, type: bytes.byte(4), isSent: bytes.byte(3) & 1 == 0) : nil
    case .hci(let type, let isSent): return HCIFrame(start: 0, type: type, isSent: isSent)
    case .linuxMonitor:
      return bytes.byteCount > 4 ? monitor(bytes.bigEndian16(2), start: 4, adapter: bytes.bigEndian16(0)) : nil
    case .linuxMonitorPacket(let opcode, let adapter): return monitor(opcode, start: 0, adapter: adapter)
    default: return nil
    }
  }

  private static func monitor(_ opcode: UInt16, start: Int, adapter: UInt16) -> HCIFrame? {
    switch opcode {
    case 2: HCIFrame(start: start, type: HCIPacket.command, isSent: true, adapter: adapter)
    case 3: HCIFrame(start: start, type: HCIPacket.event, isSent: false, adapter: adapter)
    case 4: HCIFrame(start: start, type: HCIPacket.acl, isSent: true, adapter: adapter)
    case 5: HCIFrame(start: start, type: HCIPacket.acl, isSent: false, adapter: adapter)
    default: nil
    }
  }
}

/// A finder of the IP packet in a network record.
enum NetworkFrame {
  private static let ipv4: UInt16 = 0x0800
  private static let ipv6: UInt16 = 0x86DD
  private static let vlan: UInt16 = 0x8100

  static func packetStart(_ encapsulation: CaptureEncapsulation, _ bytes: RawSpan) -> Int? {
    switch encapsulation {
    case .rawIP: return 0
    case .loopback: return bytes.byteCount > 4 ? 4 : nil
    case .linuxCooked(let header):
      guard bytes.byteCount > header else { return nil }
      let type = bytes.bigEndian16(header == 16 ? 14 : 0)
      return type == ipv4 || type == ipv6 ? header : nil
    case .ethernet:
      guard bytes.byteCount > 18 else { return nil }
      let isTagged = bytes.bigEndian16(12) == vlan
      let type = bytes.bigEndian16(isTagged ? 16 : 12)
      return type == ipv4 || type == ipv6 ? (isTagged ? 18 : 14) : nil
    default: return nil
    }
  }
}

/// English texts for the problems of a capture.
package enum CaptureText {
  /// Returns the text for a problem of a capture file.
  package static func text(_ problem: CaptureProblem) -> String {
    switch problem {
    case .cutOff: "the file ends within this record"
    case .dropped(let count): "the capture program dropped \(count) packet\(count == 1 ? "" : "s") before this record"
    case .unknownFormat: "unknown format: neither a known capture format nor text"
    case .badRecord: "a record that no capture program writes"
    case .recordTooLong(let count, let limit): "a record of \(count) bytes, above the limit of \(limit)"
    case .unsupportedVersion(let version): "version \(version) of the file format is not known"
    case .unsupportedDataLink(let link): "data link \(link) of btsnoop is not supported"
    case .unknownInterface(let number): "a packet of interface \(number), which has no description"
    case .text(let line, let problem): "line \(line): \(text(problem))"
    }
  }

  static func text(_ problem: TextRecords.Problem) -> String {
    switch problem {
    case .missingDirection: "the direction is missing: a record is [seconds] A>D or D>A and hexadecimal bytes"
    case .notATime: "the time is not a number of seconds"
    case .notHexadecimal(let column): "not hexadecimal at column \(column + 1)"
    case .oddDigitCount: "an odd number of hexadecimal digits"
    case .noBytes: "a record without bytes"
    case .lineTooLong(let limit): "the line is longer than \(limit) bytes"
    }
  }
}
