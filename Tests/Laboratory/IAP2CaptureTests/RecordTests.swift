// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Capture

/// Single records of capture files, written by the descriptions in CaptureFormats.md.
@Suite struct RecordTests {
  private static func big(_ numbers: UInt32...) -> [UInt8] {
    numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) } }
  }

  /// CaptureFormats.md#btsnoop: bit 0 of the flags is clear for a packet that the host sent.
  @Test(arguments: [(UInt32(0), true), (1, false)]) func aBtsnoopRecordHasItsDirection(flags: UInt32, isSent: Bool) {
    let file = Array("btsnoop\0".utf8) + Self.big(1, 1002, 1, 1, flags, 0, 0, 0) + [0x02]
    var parser = BTSnoop()
    var offset = 0
    guard case .passed = parser.next(file.rawBytes, at: &offset),
      case .frame(let frame) = parser.next(file.rawBytes, at: &offset),
      case .hciH4(let found) = frame.encapsulation
    else {
      Issue.record("no frame at \(offset)")
      return
    }
    #expect(found == isSent && offset == file.count && frame.range.count == 1)
  }

  /// A length that no real record has ends the reading at once, without waiting for gigabytes.
  @Test func aPcapRecordHasALimit() {
    let limit = UInt32(CaptureLimits.recordByteCount)
    for length in [limit + 1, .max] {
      let file = Self.big(0xA1B2_C3D4, 0x0002_0004, 0, 0, 65_535, 1) + Self.big(0, 0, length, length)
      var parser = Pcap()
      var offset = 0
      guard case .passed = parser.next(file.rawBytes, at: &offset),
        case .damage(.recordTooLong(let byteCount, _), isFatal: true) = parser.next(file.rawBytes, at: &offset)
      else {
        Issue.record("a record of \(length) bytes is no damage")
        continue
      }
      #expect(byteCount == Int(length))
    }
  }
}
