// swift-iap2 · Apache-2.0

import Foundation
import Testing

@Suite(.ownTurn) struct BluetoothSummaryTests {
  /// Handwritten packets: a phone queries SDP, the accessory names RFCOMM channel 3 and sends detect there.
  private static let packets: [(isSent: Bool, digits: String)] = [
    (true, "02 2a00 0c00 0800 0100 02 01 0400 0100 5000"),
    (false, "02 2a20 1000 0c00 0100 03 01 0800 6000 5000 0000 0000"),
    (
      false,
      "02 2a20 3a00 3600 5000 07 0001 0031 002e 35 2c 35 2a 09 0000 0a 00010005"
        + "09 0001 35 11 1c 00000000decafadedecadeafdecacaff 09 0004 35 07 35 05 19 0003 08 03 00"
    ),
    (false, "02 2a20 0e00 0a00 6100 19 ef 0d ff550200ee10 55"),
  ]

  @Test func theSummaryReportsThatSDPNamedTheChannel() async throws {
    func big(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) } }
    func summary(_ packets: ArraySlice<(isSent: Bool, digits: String)>) async throws -> String {
      var log = Array("btsnoop\0".utf8) + big(1) + big(1002)
      for packet in packets {
        let digits = Array(packet.digits.filter(\.isHexDigit))
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(digits[$0..<($0 + 2)]), radix: 16)
        }
        log += big(bytes.count) + big(bytes.count) + big(packet.isSent ? 0 : 1) + big(0) + big(0x00E0_0000) + big(0)
        log += bytes
      }
      let file = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString).btsnoop")
      try Data(log).write(to: file)
      let outcome = try await Command.run("decode", "--summary", file.path())
      try FileManager.default.removeItem(at: file)
      // Detect is the only evidence for the sides.
      #expect(outcome.status == 0 && outcome.errors.contains("it sent detect first"))
      return outcome.output
    }
    let line = "connection 1: Bluetooth adapter 0 connection 42, RFCOMM channel 3"
    #expect(try await summary(Self.packets[...]).contains(line + ", iAP2 by SDP\n"))
    // Without the SDP answer, the channel is found by its content.
    #expect(try await summary(Self.packets[3...]).contains(line + "\n"))
  }
}
