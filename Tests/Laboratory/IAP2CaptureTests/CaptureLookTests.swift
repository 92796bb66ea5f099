// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@testable import IAP2Capture

/// The message about files that hold no capture.
@Suite struct CaptureLookTests {
  private static let packet: [UInt8] = [0xFF, 0x5A, 0x00, 0x09, 0x40, 0x2B, 0x64, 0x00, 0xCF]

  private static let files: [(bytes: [UInt8], look: CaptureLook?)] = [
    ([0x50, 0x4B, 3, 4, 20, 0], .zip), ([0x1F, 0x8B, 8, 0], .gzip), ([0x28, 0xB5, 0x2F, 0xFD, 0], .zstandard),
    ([0xFD, 0x37, 0x7A, 0x58, 0x5A, 0], .xz), (Array("BZh91AY".utf8), .bzip2), (Array("<SALEAE>".utf8) + [0], .saleae),
    ([0x89, 0x50, 0x4E, 0x47, 0], .png), (Array("%PDF-1.7\n".utf8), .pdf), ([1, 0, 2] + packet, .linkBytes),
    (Array(Data(packet).base64EncodedString().utf8), .base64), (Array("<!doctype html><html>".utf8), .html),
    (Array("--- BEGIN:BTSNOOP_LOG_SUMMARY (12 bytes in) ---\n".utf8), .shortBluetoothLog),
    (Array("name,type,start_time,data\n\"A\",\"data\",0.1,\"t\"\n".utf8), .characterTable),
    (Array("Time [s],Value,Parity Error\n0.1,U,\n0.2,\\0,\n".utf8), .characterTable),
    (Array("nothing to see\n".utf8), nil), ([0, 1, 2, 3], nil), ([], nil),
  ]

  @Test(arguments: files.indices) func filesAreNamedByTheirLook(index: Int) {
    let analyzer = LinkLog.read(Self.files[index].bytes)
    #expect(analyzer.reader.look == Self.files[index].look && analyzer.counts.decoded == 0)
  }

  /// A capture file says itself what is in it.
  @Test func captureFilesHaveNoOtherLook() {
    var log = LinkLog()
    log.send(Self.packet, end: 0)
    #expect(LinkLog.read(log.bytes).reader.look == nil)
  }
}
