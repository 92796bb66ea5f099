// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// The offer of CarPlay and its answer (CarPlayStart.md#wired, CarPlayStart.md#wireless-order).
@Suite struct CarPlayTests {
  private static func wired(_ isAvailable: UInt8) -> [UInt8] {
    let serial = text("0000000000000000000000000000000000000001")
    return controlMessage(0x4300, parameter(0, parameter(0, [isAvailable]) + parameter(1, serial)))
  }

  /// CarPlayStart.md#wired-power: a wired head unit sends 0xAE03 first.
  @Test func theOfferOverTheCableWaitsForPower() throws {
    var phone = try PhoneBench([.carPlay, .power])
    #expect(phone.ready.sent.isEmpty)
    let offer = parameter(0, [9, 0x60]) + parameter(1, [1])
    #expect(phone.receive(0xAE03, offer).sent == [Self.wired(1)])
    #expect(phone.receive(0xAE03, offer).sent.isEmpty)
    #expect(phone.change { $0.offersCarPlay = false }.sent == [Self.wired(0)])
    #expect(phone.change { $0.offersCarPlay = true }.sent == [Self.wired(1)])
  }

  @Test func aPhoneWithoutCarPlayOffersNothing() throws {
    var phone = try PhoneBench([.carPlay, .power]) { $0.offersCarPlay = false }
    #expect(phone.receive(0xAE03, parameter(0, [9, 0x60])).sent.isEmpty)
    var other = try PhoneBench(.power)
    #expect(other.receive(0xAE03, parameter(0, [9, 0x60])).sent.isEmpty)
  }

  @Test func anAccessoryWithoutPowerMessagesIsOfferedItAtOnce() throws {
    #expect(try PhoneBench(.carPlay).ready.sent == [Self.wired(1)])
  }

  /// CarPlayStart.md#wireless-order: 0x4E0D, 0x5702, then 0x4300 after 0x5703.
  @Test func theWirelessOfferWaitsForTheAccessPoint() throws {
    var phone = try PhoneBench([.wirelessCarPlay, .carPlay, .power]) {
      $0.offersCarPlay = false
      $0.offersWirelessCarPlay = true
    }
    #expect(phone.ready.sent == [controlMessage(0x4E0D, parameter(0, [1])), controlMessage(0x5702, [])])
    let accessPoint = parameter(1, text("Car")) + parameter(2, text("secret")) + parameter(3, [2]) + parameter(4, [36])
    let offer = phone.receive(0x5703, accessPoint).sent
    let address = text("02:00:00:00:00:02")
    #expect(offer == [controlMessage(0x4300, parameter(1, parameter(0, [1]) + parameter(1, address)))])
    #expect(phone.receive(0x5703, accessPoint).sent.isEmpty)
  }

  /// CarPlayStart.md#network-first: each transport has the addresses of its network.
  @Test func theAddressesOfEachTransportAreThoseOfTheCar() throws {
    var car = try HeadUnitBench([.carPlay, .wirelessCarPlay]) { profile in
      var (wired, wireless) = (CarPlayStartSession.WiredAttributes(), CarPlayStartSession.WirelessAttributes())
      (wired.ipAddress, wireless.ipAddress) = (["fe80::2"], ["fe80::3", "192.0.2.1"])
      profile.state.carPlay?.wiredAttributes = wired
      profile.state.carPlay?.wirelessAttributes = wireless
    }
    var starts: [CarPlayStartSession] = []
    for group in [UInt16(0), 1] {
      let answer = car.receive(0x4300, parameter(group, parameter(0, [1]))).sent
      let bytes = try #require(answer.first)
      starts.append(try CarPlayStartSession(decoding: bytes.rawBytes))
    }
    #expect(starts.map(\.wiredAttributes?.ipAddress) == [["fe80::2"], nil])
    #expect(starts.map(\.wirelessAttributes?.ipAddress) == [nil, ["fe80::3", "192.0.2.1"]])
  }

  /// CarPlayStart.md#wired-host: an fe80 address and port 7000.
  @Test func aHeadUnitAnswersEachTransportOnce() throws {
    var car = try HeadUnitBench([.carPlay, .wirelessCarPlay])
    let identity = parameter(2, [0, 0, 0x1B, 0x58]) + parameter(3, text("02:00:00:00:00:01"))
    let wired = parameter(0, parameter(0, text("fe80::1")))
    let available = parameter(0, parameter(0, [1]))
    #expect(car.receive(0x4300, available).sent == [controlMessage(0x4301, wired + identity)])
    #expect(car.receive(0x4300, available).sent.isEmpty)
    // The other way becomes available: only its group is answered.
    let answer = car.receive(0x4300, parameter(1, parameter(0, [1]))).sent
    let bytes = try #require(answer.first)
    let start = try CarPlayStartSession(decoding: bytes.rawBytes)
    #expect(start.wiredAttributes == nil && start.wirelessAttributes?.wiFiSSID == "swift-iap2 Car")
    #expect(start.wirelessAttributes?.channel == 36 && start.port == 7000)
    #expect(start.wirelessAttributes?.ipAddress == ["fe80::1"])
    // Removing and adding the availability again is a new offer.
    #expect(car.receive(0x4300, parameter(0, parameter(0, [0]))).sent.isEmpty)
    #expect(car.receive(0x4300, available).sent.count == 1)
  }

  @Test func aHeadUnitThatDoesNotListTheAnswerGivesNone() throws {
    var car = try HeadUnitBench(.carPlay) { $0.identification.messagesSentByAccessory.elements = [] }
    let output = car.receive(0x4300, parameter(0, parameter(0, [1])))
    #expect(output.sent.isEmpty && output.actions.count == 1)
  }
}
