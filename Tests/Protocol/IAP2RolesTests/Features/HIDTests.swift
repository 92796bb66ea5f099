// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import Testing
import WireSupport

@testable import IAP2Roles

/// HID (Features.md#hid). The reports are those that the HID specification draws.
@Suite struct HIDTests {
  private static func key(_ number: UInt16) -> HIDUsage { HIDUsage(page: 0x07, number) }

  private static func keyboard() throws -> HIDReportDescriptor {
    try HIDReportDescriptor(HIDDevice.keyboard(component: 1).descriptor)
  }

  /// Device Class Definition for HID 1.11, B.1: modifiers, a reserved byte, six keys. 0xE1 is the left shift.
  @Test func theBitsOfAKeyboardReportAreItsKeys() throws {
    let keyboard = try Self.keyboard()
    #expect(keyboard.values(in: [0, 0, 0, 0, 0, 0, 0, 0]).isEmpty)
    #expect(
      keyboard.values(in: [0x02, 0, 0x04, 0x1D, 0, 0, 0, 0])
        == [Self.key(0xE1): 1, Self.key(0x04): 1, Self.key(0x1D): 1])
    #expect(keyboard.values(in: [0x80, 0xFF, 0, 0, 0, 0, 0, 0x65]) == [Self.key(0xE7): 1, Self.key(0x65): 1])
    // 0x66 is above the usage maximum 0x65.
    #expect(keyboard.values(in: [0, 0, 0x66, 0, 0, 0, 0, 0]).isEmpty)
    // The output report has five lights; the second is Caps Lock of the LED page.
    #expect(keyboard.values(in: [0x02], .output) == [HIDUsage(page: 0x08, 2): 1])
    #expect(keyboard.values(in: [0xE0], .output).isEmpty)
  }

  @Test func aReportThatEndsEarlyHasTheFieldsBeforeItsEnd() throws {
    let keyboard = try Self.keyboard()
    let whole: [UInt8] = [0x03, 0, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09]
    for count in 0...whole.count {
      var expected: [HIDUsage: Int] = [:]
      if count > 0 { expected = [Self.key(0xE0): 1, Self.key(0xE1): 1] }
      for place in 2..<max(2, count) { expected[Self.key(UInt16(whole[place]))] = 1 }
      #expect(keyboard.values(in: Array(whole[..<count])) == expected)
    }
    // Bytes behind the report belong to no field.
    #expect(keyboard.values(in: whole + [0xFF, 0xFF]) == keyboard.values(in: whole))
    // A field that crosses the last byte is not read: two fields of twelve bits in two bytes.
    let wide = try HIDReportDescriptor(hex("05010930093126ff0f750c95028102"))
    #expect(wide.values(in: [0x23, 0x41]) == [HIDUsage(page: 1, 0x30): 0x123])
    #expect(wide.values(in: [0x23, 0x41, 0x56]) == [HIDUsage(page: 1, 0x30): 0x123, HIDUsage(page: 1, 0x31): 0x564])
  }

  /// Relative axes are signed (HID 1.11, B.2): three buttons, X and Y.
  @Test func theAxesOfAPointerAreSigned() throws {
    let pointer = try HIDReportDescriptor(HIDDevice.pointer(component: 1).descriptor)
    let x = HIDUsage(page: 1, 0x30)
    let y = HIDUsage(page: 1, 0x31)
    #expect(
      pointer.values(in: [0x05, 0x81, 0x7F]) == [HIDUsage(page: 9, 1): 1, HIDUsage(page: 9, 3): 1, x: -127, y: 127])
    #expect(pointer.values(in: [0, 0xFF, 0]) == [x: -1])
  }

  /// HID Usage Tables, page 0C: the numbers that a phone knows as media keys.
  @Test func theButtonsAreThoseOfTheConsumerPage() {
    let numbers: [(MediaButton, UInt16)] = [
      (.play, 0xB0), (.pause, 0xB1), (.next, 0xB5), (.previous, 0xB6), (.stop, 0xB7), (.playPause, 0xCD),
      (.mute, 0xE2), (.volumeUp, 0xE9), (.volumeDown, 0xEA),
    ]
    for (button, number) in numbers { #expect(button.usage == HIDUsage(page: 0x0C, number)) }
  }

  private static func start(_ component: UInt8, _ descriptor: [UInt8]) -> [UInt8] {
    parameter(0, [0, component]) + parameter(1, [0, 0]) + parameter(2, [0, 0]) + parameter(4, descriptor)
  }

  /// One bit: play and pause.
  private static let oneButton = hex("050c0901a1011500250175019501" + "09cd8102" + "95078103c0")

  @Test func aPhoneObeysAReportOfAStartedDevice() throws {
    var phone = try PhoneBench(.hid) { $0.player.queue = [NowPlayingTests.song(1)] }
    let pressed = parameter(0, [0, 10]) + parameter(1, [0x01])
    #expect(phone.receive(0x6802, pressed).violations == [.unknownDevice(component: 10)])
    #expect(!phone.policy.state.player.isPlaying)
    phone.receive(0x6800, Self.start(10, Self.oneButton))
    let output = phone.receive(0x6802, pressed)
    #expect(
      output.features == [.hidReport(component: 10, report: [1], values: [HIDUsage(page: 0x0C, 0xCD): 1])])
    #expect(phone.policy.state.player.isPlaying)
    // The report at rest is no second press.
    phone.receive(0x6802, parameter(0, [0, 10]) + parameter(1, [0x00]))
    phone.receive(0x6802, parameter(0, [0, 10]) + parameter(1, []))
    #expect(phone.policy.state.player.isPlaying)
    phone.receive(0x6803, parameter(0, [0, 10]))
    #expect(phone.receive(0x6802, pressed).violations == [.unknownDevice(component: 10)])
    #expect(phone.policy.state.player.isPlaying)
  }

  @Test func aDescriptorThatCannotBeReadStartsNothing() throws {
    var phone = try PhoneBench(.hid)
    #expect(
      phone.receive(0x6800, Self.start(10, [0xB4])).violations == [.badReportDescriptor(component: 10)])
    #expect(
      phone.receive(0x6802, parameter(0, [0, 10]) + parameter(1, [1])).violations == [.unknownDevice(component: 10)])
  }

  @Test func aPhoneKeeps64Devices() throws {
    var phone = try PhoneBench(.hid)
    for component in UInt8(0)..<64 {
      #expect(phone.receive(0x6800, Self.start(component, Self.oneButton)).violations.isEmpty)
    }
    #expect(
      phone.receive(0x6800, Self.start(64, Self.oneButton)).violations == [.limit(StaticName("maximumDevices"), 64)])
    // One that is known may start again.
    #expect(phone.receive(0x6800, Self.start(63, Self.oneButton)).violations.isEmpty)
  }

  /// The started devices of an accessory have one bound. A descriptor of few bytes may have 4 096 fields.
  @Test func theDescriptorsOfAllDevicesHaveOneBound() throws {
    var phone = try PhoneBench(.hid)
    let fields = hex("050c09cd7508" + "960010" + "8102")
    let limit = ProtocolViolation.limit(StaticName("maximumDescriptorByteCount"), 1 << 20)
    let first = (UInt8(0)..<64).first { !phone.receive(0x6800, Self.start($0, fields)).violations.isEmpty }
    let refused = try #require(first)
    #expect((3..<8).contains(refused))
    #expect(phone.receive(0x6800, Self.start(refused, fields)).violations == [limit])
    // A small device still has room, a started one may start again, and a stopped one leaves its room.
    #expect(phone.receive(0x6800, Self.start(63, Self.oneButton)).violations.isEmpty)
    #expect(phone.receive(0x6800, Self.start(0, fields)).violations.isEmpty)
    #expect(phone.receive(0x6803, parameter(0, [0, 0])).violations.isEmpty)
    #expect(phone.receive(0x6800, Self.start(refused, fields)).violations.isEmpty)
  }

  /// Features.md#hid-press: the usage, then a report at rest.
  @Test func aPressIsFollowedByAReportAtRest() throws {
    let car = try HeadUnitBench(.hid) { $0.devices[0].descriptor = Self.oneButton }
    let actions = try car.policy.press(.playPause)
    #expect(
      PolicyOutput(actions).sent == [
        controlMessage(0x6802, parameter(0, [0, 10]) + parameter(1, [1])),
        controlMessage(0x6802, parameter(0, [0, 10]) + parameter(1, [0])),
      ])
    #expect(throws: PressProblem.noUsage(HIDUsage(page: 0x0C, 0xB5))) { try car.policy.press(.next) }
    #expect(throws: PressProblem.noDevice(component: 99)) { try car.policy.press([], on: 99) }
    let mute = try HeadUnitBench(.power)
    #expect(throws: PressProblem.notListed) { try mute.policy.press(.play) }
  }

  @Test func aHeadUnitReadsTheLightsOfItsKeyboard() throws {
    var car = try HeadUnitBench(.hid)
    let lights = parameter(0, [0, 11]) + parameter(1, [0x01])
    #expect(
      car.receive(0x6801, lights).features
        == [.hidReport(component: 11, report: [1], values: [HIDUsage(page: 0x08, 1): 1])])
    #expect(
      car.receive(0x6801, parameter(0, [0, 77]) + parameter(1, [1])).violations == [.unknownDevice(component: 77)])
  }

  /// Features.md#assistive-touch-order: 0x5403 answers 0x5402 and reports each change.
  @Test func assistiveTouchIsReportedWhileItIsAskedFor() throws {
    var phone = try PhoneBench(.assistiveTouch)
    phone.receive(0x5400)
    #expect(phone.policy.state.isAssistiveTouchEnabled)
    #expect(phone.receive(0x5402).sent == [controlMessage(0x5403, parameter(0, [1]))])
    #expect(phone.receive(0x5401).sent == [controlMessage(0x5403, parameter(0, [0]))])
    #expect(phone.receive(0x5401).violations == [.notStarted(0x5401)])
    expectStops(&phone, 0x5404) { $0.isAssistiveTouchEnabled = true }
  }
}
