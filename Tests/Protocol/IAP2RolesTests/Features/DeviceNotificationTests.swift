// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Notifications without a subscription (Features.md#device-notifications), and what an accessory asks a phone for.
@Suite struct DeviceNotificationTests {
  private static func phone(_ listed: [UInt16]) throws -> PhoneBench {
    try PhoneBench(
      .deviceNotifications,
      {
        $0.name = "Anna's phone"
        $0.language = "de"
        $0.timeZoneOffsetMinutes = -90
        $0.time = 0x0102_0304
      }, change: { $0.messagesReceivedFromDevice.elements = listed })
  }

  @Test func eachNotificationIsSentIfListed() throws {
    let values: [(UInt16, [UInt8])] = [
      (0x4E09, parameter(0, text("Anna's phone"))), (0x4E0A, parameter(0, text("de"))),
      (
        0x4E0B,
        parameter(0, [0, 0, 0, 0, 1, 2, 3, 4]) + parameter(1, [0xFF, 0xA6]) + parameter(2, [0])
      ),
      (0x4E0C, parameter(0, text("00000000-0000-4000-8000-000000000001"))),
    ]
    for (id, parameters) in values {
      #expect(try Self.phone([id]).ready.sent == [controlMessage(id, parameters)])
    }
    #expect(try Self.phone([]).ready.sent.isEmpty)
    #expect(Set(try Self.phone(values.map(\.0)).ready.sent.map { ControlHeader.id(of: $0) }) == Set(values.map(\.0)))
  }

  @Test func onlyAChangedNotificationIsRepeated() throws {
    var phone = try Self.phone([0x4E09, 0x4E0A, 0x4E0B, 0x4E0E])
    #expect(phone.change { $0.battery.percent = 3 }.sent.isEmpty)
    #expect(phone.change { $0.language = "fr" }.sent == [controlMessage(0x4E0A, parameter(0, text("fr")))])
    #expect(phone.change { $0.uuid = "not listed" }.sent.isEmpty)
    let zone = phone.change { $0.timeZoneOffsetMinutes = 60 }.sent
    #expect(zone.count == 1 && zone[0][4...5] == [0x4E, 0x0B])
    #expect(phone.change { $0.bluetoothAddress = "AA" }.sent.map { ControlHeader.id(of: $0) } == [0x4E0E])
  }

  /// Features.md#device-transports-needed: some cars ask for nothing before 0x4E0E and 0x4E0A.
  @Test func aHeadUnitWaitsForItsMessages() throws {
    var car = try HeadUnitBench([.power, .deviceNotifications]) { $0.waitsFor = [0x4E0E, 0x4E0A] }
    #expect(car.ready.sent.isEmpty)
    #expect(car.receive(0x4E0A, parameter(0, text("en"))).sent.isEmpty)
    #expect(car.receive(0x4E09, parameter(0, text("Phone"))).sent.isEmpty)
    let begun = car.receive(0x4E0E, parameter(1, text("0")))
    #expect(begun.sent.map { ControlHeader.id(of: $0) } == [0xAE03, 0xAE00])
    #expect(car.receive(0x4E0E, parameter(1, text("0"))).sent.isEmpty)
  }

  /// Features.md#wifi-of-device.
  @Test func theNetworkIsSharedIfThereIsOneAndTheUserAgrees() throws {
    var phone = try PhoneBench(.wiFiSharing)
    #expect(phone.receive(0x5700).sent == [controlMessage(0x5701, parameter(0, [2]))])
    phone.change {
      $0.network = .init(name: "Home", passphrase: "secret", securityType: .wpaOrWPA2)
    }
    let network = parameter(1, [2]) + parameter(2, text("Home")) + parameter(3, text("secret"))
    #expect(phone.receive(0x5700).sent == [controlMessage(0x5701, parameter(0, [0]) + network)])
    phone.change { $0.sharesNetwork = false }
    #expect(phone.receive(0x5700).sent == [controlMessage(0x5701, parameter(0, [1]))])
  }

  /// Features.md#usb-audio-order. The numbers of the rates 44 100 and 48 000 are 7 and 8.
  @Test func theSampleRateIsReportedWhileItIsAskedFor() throws {
    var phone = try PhoneBench(.usbAudio)
    #expect(phone.receive(0xDA00).sent == [controlMessage(0xDA01, parameter(0, [7]))])
    #expect(
      phone.change { $0.audioSampleRate = .rate48000 }.sent == [controlMessage(0xDA01, parameter(0, [8]))])
    expectStops(&phone, 0xDA02) { $0.audioSampleRate = .rate44100 }
  }

  /// Features.md#bluetooth-connection.
  @Test func aBluetoothConnectionIsReportedWithItsComponent() throws {
    var phone = try PhoneBench(.bluetooth)
    let first = phone.receive(0x4E03, parameter(0, [0, 2])).sent
    // The ids inside group 1 are not publicly known, so it is empty.
    #expect(first == [controlMessage(0x4E04, parameter(0, [0, 2]) + parameter(1, []))])
    #expect(phone.change { $0.isBluetoothConnected = true }.sent.count == 1)
    expectStops(&phone, 0x4E05) { $0.isBluetoothConnected = false }
  }
}
