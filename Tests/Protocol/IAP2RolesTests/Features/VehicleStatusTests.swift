// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Vehicle status (Features.md#vehicle-status-parameters): 3 range, 4 outside temperature, 6 range warning.
@Suite struct VehicleStatusTests {
  private static func car() throws -> HeadUnitBench {
    try HeadUnitBench(.vehicleStatus) {
      $0.state.vehicleStatus.range = 300
      $0.state.vehicleStatus.outsideTemperature = -5
    }
  }

  @Test func onlyTheRequestedValuesAndTheirChangesAreReported() throws {
    var car = try Self.car()
    #expect(car.change { $0.vehicleStatus.range = 299 }.sent.isEmpty)
    #expect(
      car.receive(0xA100, parameter(4, []) + parameter(6, [])).sent
        == [controlMessage(0xA101, parameter(4, [0xFF, 0xFB]))])
    #expect(car.change { $0.vehicleStatus.range = 10 }.sent.isEmpty)
    #expect(
      car.change { $0.vehicleStatus.rangeWarning = true }.sent == [controlMessage(0xA101, parameter(6, [1]))])
    #expect(car.change { $0.vehicleStatus.rangeWarning = true }.sent.isEmpty)
  }

  @Test func unknownValuesAreNamedAndTheOthersAnswered() throws {
    var car = try Self.car()
    let output = car.receive(0xA100, parameter(3, []) + parameter(0x30, []))
    #expect(output.violations == [.unknownAttributes(message: 0xA100, [0x30])])
    #expect(output.sent == [controlMessage(0xA101, parameter(3, [0x01, 0x2C]))])
  }

  @Test func aStopEndsTheReports() throws {
    var car = try Self.car()
    car.receive(0xA100, parameter(3, []))
    #expect(car.receive(0xA102) == PolicyOutput([]))
    #expect(car.change { $0.vehicleStatus.range = 1 }.sent.isEmpty)
    #expect(car.receive(0xA102).violations == [.notStarted(0xA102)])
  }

  @Test func aPhoneAsksForTheValuesOfTheComponentAndJoinsThem() throws {
    var phone = try PhoneBench(.vehicleStatus, change: { $0.vehicleStatusComponent?.rangeWarning = false })
    #expect(phone.ready.sent == [controlMessage(0xA100, parameter(3, []) + parameter(4, []))])
    phone.receive(0xA101, parameter(3, [0, 50]))
    let output = phone.receive(0xA101, parameter(4, [0, 20]))
    guard case .vehicleStatus(let status)? = output.features.first else {
      Issue.record("no status: \(output)")
      return
    }
    #expect(status.range == 50 && status.outsideTemperature == 20 && status.rangeWarning == nil)
  }
}
