// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Power (Features.md#power) between a phone and the accessory of a real identification, that of a BOYA mini 2.
@Suite struct PowerTests {
  private static func phone(percent: Int = 80) throws -> PhoneBench {
    try PhoneBench(MessageVectors.boya) { $0.battery = Battery(percent: percent) }
  }

  private static func update(_ id: UInt16, _ value: [UInt8]) -> [UInt8] {
    controlMessage(0xAE01, parameter(id, value))
  }

  /// Features.md#power-one-attribute: the order that a real iPhone was seen to use.
  @Test func aStartIsAnsweredWithOneAttributeAMessage() throws {
    var phone = try Self.phone()
    let answers = phone.receive(0xAE00, ([0, 1, 4, 5, 6] as [UInt16]).flatMap { parameter($0, []) })
    #expect(
      answers.sent == [
        Self.update(4, [0]), Self.update(5, [0]), Self.update(0, [0, 0]), Self.update(1, [0]),
        Self.update(6, [0, 80]),
      ])
    #expect(answers.violations.isEmpty)
  }

  @Test func onlyTheRequestedAttributeIsReportedAndOnlyItsChanges() throws {
    var phone = try Self.phone()
    #expect(phone.receive(0xAE00, parameter(6, [])).sent == [Self.update(6, [0, 80])])
    #expect(phone.change { $0.battery.wallCurrent = 2000 }.sent.isEmpty)
    #expect(phone.change { $0.battery.percent = 81 }.sent == [Self.update(6, [0, 81])])
    #expect(phone.change { $0.battery.percent = 81 }.sent.isEmpty)
  }

  @Test func aSecondStartReplacesTheFirst() throws {
    var phone = try Self.phone()
    phone.receive(0xAE00, parameter(6, []))
    #expect(phone.receive(0xAE00, parameter(4, [])).sent == [Self.update(4, [0])])
    #expect(phone.change { $0.battery.percent = 10 }.sent.isEmpty)
    #expect(phone.change { $0.battery.wallCurrent = 500 }.sent == [Self.update(4, [1])])
  }

  @Test func aStopEndsTheUpdates() throws {
    var phone = try Self.phone()
    phone.receive(0xAE00, parameter(6, []))
    expectStops(&phone, 0xAE02) { $0.battery.percent = 5 }
  }

  @Test func nothingIsReportedWithoutAStart() throws {
    var phone = try Self.phone()
    #expect(phone.ready.sent.allSatisfy { $0[4] != 0xAE })
    #expect(phone.change { $0.battery.percent = 5 }.sent.isEmpty)
  }

  /// Features.md#charging-states, and Features.md#power-source-independent: 0xAE03 needs no subscription.
  @Test func theChargingStateFollowsTheOffer() throws {
    var phone = try Self.phone(percent: 99)
    let offer = parameter(0, [0x09, 0x60]) + parameter(1, [1])
    #expect(phone.receive(0xAE03, offer).sent.isEmpty)
    #expect(phone.policy.state.battery.carCurrent == 2400 && phone.policy.state.battery.carCharges)
    #expect(phone.receive(0xAE00, parameter(5, [])).sent == [Self.update(5, [1])])
    #expect(phone.change { $0.battery.percent = 100 }.sent == [Self.update(5, [2])])
    // An offer that only takes the permission to charge away leaves the current as it was.
    #expect(phone.receive(0xAE03, parameter(1, [0])).sent == [Self.update(5, [0])])
    #expect(phone.policy.state.battery.carCurrent == 2400)
  }

  @Test func aHeadUnitOffersPowerFirstAndKnowsTheSupply() throws {
    var car = try HeadUnitBench(.power) { $0.state.powerSource?.availableCurrentForDevice = 1000 }
    #expect(car.ready.sent.first == controlMessage(0xAE03, parameter(0, [0x03, 0xE8]) + parameter(1, [1])))
    #expect(car.ready.sent.dropFirst().map { Array($0[4..<6]) } == [[0xAE, 0x00]])
    #expect(car.policy.power.supply == .unknown && car.policy.power.hasCharger == nil)
    car.receive(0xAE01, parameter(4, [1]))
    #expect(car.policy.power.supply == .unknown && car.policy.power.hasCharger == true)
    for (state, supply) in [(UInt8(1), PowerSupply.charging), (2, .full), (0, .unplugged)] {
      car.receive(0xAE01, parameter(5, [state]))
      #expect(car.policy.power.supply == supply)
    }
    // The same offer is not sent again.
    let same = car.change { $0.powerSource?.availableCurrentForDevice = 1000 }
    #expect(same.sent.isEmpty)
    let none = car.change { $0.powerSource?.availableCurrentForDevice = 0 }
    #expect(none.sent == [controlMessage(0xAE03, parameter(0, [0, 0]) + parameter(1, [1]))])
  }
}
