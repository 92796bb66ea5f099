// swift-iap2 · Apache-2.0

import CarPlaySession
import HIDReports
import Testing
import WireSupport

/// Devices of the head unit, and the values of reports (CarPlaySession.md#hid-devices).
@Suite struct InputReportTests {
  // MARK: Devices

  @Test func aDeviceComesBackFromTheListOfInfo() throws {
    let device = InputDevice.touchScreen(width: 800, height: 480, number: 0x2A2A_2A2A, displayUUID: "main")
    let properties = device.properties
    #expect(properties["uuid"] == "2a2a2a2a" && properties["displayUUID"] == "main")
    #expect(properties["name"] == "Touch Screen" && properties["hidProductID"] == 1)
    #expect(properties["hidVendorID"] == 0 && properties["hidCountryCode"] == 0)
    #expect(properties["hidDescriptor"] == .data(device.descriptor))
    #expect(InputDevice(properties) == device)
    for device in [InputDevice.knob(), .mediaKeys(), .telephonyKeys()] {
      #expect(device.properties["displayUUID"] == nil && InputDevice(device.properties) == device)
    }
  }

  @Test func aDeviceNeedsAnIdAndADescriptor() {
    let least = InputDevice(["uuid": "7", "hidDescriptor": .data([]), "hidVendorID": 70_000, "name": 3])
    #expect(least == InputDevice(number: 7, name: "", descriptor: []))
    #expect(InputDevice(["uuid": "7"]) == nil && InputDevice(["hidDescriptor": .data([])]) == nil)
    #expect(InputDevice(3) == nil)
  }

  // MARK: Reports of the head unit

  @Test func aLiftedFingerKeepsItsPlaceAndThenItsSlotIsZero() {
    var screen = TouchScreen(width: 1280, height: 720)
    #expect(screen.touch(x: 640, y: 360) == hex("00 01 8002 6801 01 00 0000 0000"))
    #expect(screen.touch(x: 700, y: 300, slot: .second) == hex("00 01 8002 6801 01 01 bc02 2c01"))
    #expect(screen.lift() == hex("00 00 8002 6801 01 01 bc02 2c01"))
    #expect(screen.touch(x: 5000, y: -1, slot: .second) == hex("00 00 0000 0000 01 01 0005 0000"))
    #expect(screen.lift(slot: .second) == hex("00 00 0000 0000 01 00 0005 0000"))
    #expect(screen.lift(slot: .second) == hex("00 00 0000 0000 01 00 0000 0000"))
  }

  @Test func aPressOfTheKnobIsAStateAndZeros() {
    #expect(KnobReport.press(.select) == [hex("01000000"), hex("00000000")])
    #expect(KnobReport.press(.home) == [hex("02000000"), hex("00000000")])
    #expect(KnobReport.press(.back) == [hex("04000000"), hex("00000000")])
    #expect(KnobReport.nudge(x: 127, y: -128) == [hex("007f8100"), hex("00000000")])
    #expect(KnobReport.turn(-3) == hex("000000fd"))
    #expect(KnobReport(buttons: [.select, .back], wheel: 1).bytes == hex("05000001"))
  }

  @Test func aPressOfAKeyIsItsNumberAndZero() {
    #expect(MediaKey.playPause.press == [[3], [0]])
    #expect(MediaKey.allCases.map(\.report) == (1...6).map { [$0] })
    #expect(TelephonyKey.allCases.map(\.report) == (1...17).map { [$0] })
    #expect(TelephonyKey.digit0.report == [5] && TelephonyKey.digit9.usage == .init(page: 0x0B, 0xB9))
    #expect(TelephonyKey.star.usage == .init(page: 0x0B, 0xBA) && TelephonyKey.pound.usage == .init(page: 0x0B, 0xBB))
  }

  // MARK: Values

  @Test func valuesHaveTheirUsageRangeAndFinger() throws {
    let descriptor = try HIDReportDescriptor(InputDevice.touchScreen(width: 1280, height: 720).descriptor)
    let values = try descriptor.inputs(in: hex("00 01 8002 6801 01 ff bc02 2c01"))
    #expect(values.map(\.value) == [0, 1, 640, 360, 1, 1, 700, 300])
    #expect(values.map(\.collection) == [1, 1, 1, 1, 2, 2, 2, 2])
    #expect(values[2].usage == .init(page: 1, 0x30) && values[2].range == 0...1280 && !values[2].isRelative)
  }

  @Test func negativeNumbersOfAnySizeAreRead() throws {
    let knob = try HIDReportDescriptor(InputDevice.knob().descriptor)
    #expect(try knob.inputs(in: hex("068101ff")).map(\.value) == [0, 1, 1, -127, 1, -1])
    #expect(try knob.inputs(in: hex("00000080")).count == 5, "-128 is the null state")
    // 3 bits, then 32 bits with a sign, then 5 bits.
    let odd = try HIDReportDescriptor(
      hex("0501 0930 1500 2507 7503 9501 8102 1700000080 27ffffff7f 7520 0931 8102 15f0 250f 7505 0932 8102"))
    #expect(try odd.inputs(in: hex("f5 ff ff ff 87")).map(\.value) == [5, -2, -16])
  }

  @Test func anArrayOutsideOfItsRangeSelectsNothing() throws {
    let keys = try HIDReportDescriptor(InputDevice.mediaKeys().descriptor)
    #expect(try keys.inputs(in: [0]).isEmpty && keys.inputs(in: [7]).isEmpty && keys.inputs(in: [255]).isEmpty)
    let value = try #require(try keys.inputs(in: [6]).first)
    #expect(value.usage == .init(page: 0x0C, 0x29E) && value.value == 1 && value.range == 0...1 && value.isArray)
    // A range of more numbers than usages.
    let short = try HIDReportDescriptor(hex("050c 09b0 09b1 1501 2505 7508 9501 8100"))
    #expect(try short.inputs(in: [2]).map(\.usage.number) == [0xB1] && short.inputs(in: [3]).isEmpty)
  }

  @Test func aReportOfAnotherLengthOrIdIsRefused() throws {
    let knob = try HIDReportDescriptor(InputDevice.knob().descriptor)
    for count in [0, 3, 5] {
      #expect(throws: HIDReportProblem.wrongLength(expected: 4, actual: count)) {
        try knob.inputs(in: [UInt8](repeating: 0, count: count))
      }
    }
    let numbered = try HIDReportDescriptor(hex("050c 09e9 2501 7501 9501 8502 8102 7507 8101"))
    #expect(try numbered.inputs(in: [2, 1]).map(\.value) == [1])
    #expect(throws: HIDReportProblem.unknownReport(id: 1)) { try numbered.inputs(in: [1, 1]) }
    #expect(throws: HIDReportProblem.wrongLength(expected: 1, actual: 0)) { try numbered.inputs(in: []) }
    #expect(throws: HIDReportProblem.wrongLength(expected: 2, actual: 1)) { try numbered.inputs(in: [2]) }
    #expect(throws: HIDReportProblem.unknownReport(id: 0)) { try HIDReportDescriptor([]).inputs(in: []) }
  }
}
