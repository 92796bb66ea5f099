// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import Testing

@testable import IAP2Bluetooth

@Suite struct RFCOMMAddressTests {
  @Test(
    arguments: [
      ("rfcomm:00:AA:01:01:00:01", nil, nil), ("rfcomm:00:AA:01:01:00:01/3", 3, nil),
      ("rfcomm:00:AA:01:01:00:01/30@hci1", 30, 1), ("rfcomm:00:AA:01:01:00:01@hci12", nil, 12),
    ] as [(String, UInt8?, UInt16?)])
  func everyDialingAddressIsRead(text: String, channel: UInt8?, adapter: UInt16?) throws {
    let address = try #require(try RFCOMMAddress(parsing: text))
    guard case .call(let peer) = address.way else { throw CancellationError() }
    #expect(peer.bytes == [0x00, 0xAA, 0x01, 0x01, 0x00, 0x01])
    #expect(address.channel == channel && address.adapter == adapter)
    #expect(address.description == text)
  }

  @Test(
    arguments: [
      ("rfcomm-listen", nil, nil), ("rfcomm-listen:3", 3, nil), ("rfcomm-listen@hci1", nil, 1),
      ("rfcomm-listen:3@hci1", 3, 1),
    ] as [(String, UInt8?, UInt16?)])
  func everyListeningAddressIsRead(text: String, channel: UInt8?, adapter: UInt16?) throws {
    let address = try #require(try RFCOMMAddress(parsing: text))
    #expect(address.way == .listen && address.channel == channel && address.adapter == adapter)
    #expect(address.description == text)
  }

  @Test func addressesOfValuesAreThoseOfTheirTexts() throws {
    let peer = try #require(BluetoothAddress("00:AA:01:01:00:01"))
    #expect(try RFCOMMAddress(parsing: "rfcomm:00:AA:01:01:00:01/3@hci1") == .init(.call(peer), channel: 3, adapter: 1))
    #expect(try RFCOMMAddress(parsing: "rfcomm-listen") == RFCOMMAddress(.listen))
  }

  @Test(arguments: [
    "rfcomm", "rfcomm:", "rfcomm:00:AA:01:01:00", "rfcomm:00:AA:01:01:00:01:02", "rfcomm:00:AA:01:01:00:1",
    "rfcomm:00:AA:01:01:00:0G", "rfcomm:00:AA:01:01:00:01/", "rfcomm:00:AA:01:01:00:01/0",
    "rfcomm:00:AA:01:01:00:01/31", "rfcomm:00:AA:01:01:00:01/+3", "rfcomm:00:AA:01:01:00:01@", "rfcomm@hci0",
    "rfcomm:00:AA:01:01:00:01@hci", "rfcomm:00:AA:01:01:00:01@hci-1", "rfcomm:00:AA:01:01:00:01@hci99999",
    "rfcomm:00:AA:01:01:00:01@hci0/3", "rfcomm-listen:", "rfcomm-listen:x", "rfcomm-listen:31", "rfcomm-listen@",
    "rfcomm-listen@usb0", "rfcomm-listen@hci0:3",
  ])
  func aMalformedAddressIsRejected(text: String) {
    #expect(throws: RFCOMMAddress.Problem(text: text)) { try RFCOMMAddress(parsing: text) }
  }

  @Test(arguments: ["tcp:rfcomm:1", "rfcommx:00:AA:01:01:00:01", "rfcomm-listener", "rfcomm-listenx:3", ""])
  func anotherSchemeIsRejected(text: String) throws {
    #expect(try RFCOMMAddress(parsing: text) == nil)
  }
}
