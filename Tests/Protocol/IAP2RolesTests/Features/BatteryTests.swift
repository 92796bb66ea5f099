// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Roles

@Suite struct BatteryTests {
  private static func battery(percent: Int, wallCurrent: Int = 0, drain: Int = 0) -> Battery {
    var battery = Battery(percent: percent)
    battery.capacity = 3000
    battery.drain = drain
    battery.wallCurrent = wallCurrent
    battery.isMoving = true
    return battery
  }

  /// Charge is current times time: 1500 mA for an hour are half of 3000 mAh, however the hour is divided.
  @Test(arguments: [500, 7200, 60_000, 3_600_000]) func chargeIsCurrentTimesTime(milliseconds: Int) {
    var battery = Self.battery(percent: 10, wallCurrent: 1500)
    for _ in 0..<(3_600_000 / milliseconds) { battery.advance(milliseconds: milliseconds) }
    #expect(battery.level == 6000)
  }

  @Test func theDrainIsSubtractedBeforeCharging() {
    var battery = Self.battery(percent: 50, drain: 300)
    battery.advance(milliseconds: 3_600_000)
    #expect(battery.level == 4000 && battery.state == .disabled)
    battery.wallCurrent = 300
    battery.advance(milliseconds: 3_600_000)
    #expect(battery.level == 4000 && battery.state == .disabled)
    battery.wallCurrent = 600
    battery.advance(milliseconds: 3_600_000)
    #expect(battery.level == 5000 && battery.state == .charging)
  }

  @Test func theLevelStaysBetweenEmptyAndFull() {
    var battery = Self.battery(percent: 1, drain: 300)
    for _ in 0..<100 { battery.advance(milliseconds: 600_000) }
    #expect(battery.level == 0)
    battery.wallCurrent = 5000
    for _ in 0..<1000 { battery.advance(milliseconds: 60_000) }
    #expect(battery.level == 10_000 && battery.isFull && battery.state == .charged)
    #expect(Battery(percent: 150).percent == 100 && Battery(percent: -3).percent == 0)
  }

  @Test func theLastFifthOfABatteryChargesSlower() {
    func minutes(from: Int, to: Int) -> Int {
      var battery = Self.battery(percent: from, wallCurrent: 2400)
      var minutes = 0
      while battery.percent < to, minutes < 1000 {
        battery.advance(milliseconds: 60_000)
        minutes += 1
      }
      return minutes
    }
    // 20 % of 3000 mAh at 2400 mA are 15 minutes.
    #expect(minutes(from: 60, to: 80) == 15)
    #expect(minutes(from: 80, to: 100) > 30)
  }

  @Test func theCarChargesOnlyIfItDeclaresCharging() {
    var battery = Self.battery(percent: 50)
    battery.carCurrent = 3000
    #expect(battery.current == 0)
    battery.advance(milliseconds: 600_000)
    #expect(battery.level == 5000)
    battery.carCharges = true
    battery.advance(milliseconds: 600_000)
    // Ten minutes of 3000 mA are 500 mAh, a sixth; the rest of the division waits for the next step.
    #expect(battery.current == 3000 && battery.level == 6666)
    battery.wallCurrent = 4000
    #expect(battery.current == 4000)
  }

  @Test func aBatteryWithoutCurrentKeepsItsLevel() {
    var battery = Self.battery(percent: 50, wallCurrent: 3000)
    battery.isMoving = false
    battery.advance(milliseconds: 3_600_000)
    #expect(battery.level == 5000)
  }
}
