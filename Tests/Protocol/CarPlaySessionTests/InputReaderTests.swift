// swift-iap2 · Apache-2.0

import CarPlaySession
import HIDReports
import Testing
import WireSupport

/// The phone's events from the reports of our devices and of other devices (CarPlaySession.md#hid-events).
@Suite struct InputReaderTests {
  private func reader(_ bytes: [UInt8], width: UInt16 = 1280, height: UInt16 = 720) throws -> InputReader {
    InputReader(descriptor: try HIDReportDescriptor(bytes), width: width, height: height)
  }

  // MARK: Touches

  @Test func fingersTouchMoveAndLeave() throws {
    var screen = TouchScreen(width: 1280, height: 720)
    var reader = try reader(InputDevice.touchScreen(width: 1280, height: 720).descriptor)
    let down = screen.touch(x: 640, y: 360)
    #expect(try reader.take(down) == [.touch(slot: 0, isTouching: true, x: 640, y: 360)])
    #expect(try reader.take(down).isEmpty, "nothing changed")
    #expect(
      try reader.take(screen.touch(x: 10, y: 20, slot: .second)) == [.touch(slot: 1, isTouching: true, x: 10, y: 20)])
    #expect(try reader.take(screen.touch(x: 641, y: 360)) == [.touch(slot: 0, isTouching: true, x: 641, y: 360)])
    #expect(try reader.take(screen.lift()) == [.touch(slot: 0, isTouching: false, x: 641, y: 360)])
    #expect(try reader.take(screen.lift(slot: .second)) == [.touch(slot: 1, isTouching: false, x: 10, y: 20)])
    #expect(try reader.take(screen.lift()).isEmpty)
  }

  @Test func aPositionIsScaledToTheDisplay() throws {
    var screen = TouchScreen(width: 1000, height: 1000)
    var reader = try reader(
      InputDevice.touchScreen(width: 1000, height: 1000).descriptor, width: 1920, height: 720)
    #expect(try reader.take(screen.touch(x: 500, y: 999)) == [.touch(slot: 0, isTouching: true, x: 960, y: 719)])
    #expect(try reader.take(screen.touch(x: 1000, y: 0)) == [.touch(slot: 0, isTouching: true, x: 1920, y: 0)])
  }

  /// A report whose unused slot has zeros, so both slots have index 0.
  @Test func anUnusedSlotOfZerosLeavesTheOtherFingerAlone() throws {
    var reader = try reader(InputDevice.touchScreen(width: 1280, height: 720).descriptor)
    #expect(
      try reader.take(hex("00 01 0a00 0a00 00 00 0000 0000")) == [.touch(slot: 0, isTouching: true, x: 10, y: 10)])
    #expect(try reader.take(hex("00 01 0a00 0a00 00 00 0500 0000")).isEmpty)
  }

  /// One finger without a collection and an index, with a tip switch and positions that do not start at 0.
  @Test func aDigitizerWithoutFingersHasSlotZero() throws {
    var reader = try reader(
      hex(
        "050d 0904 a101 0942 1500 2501 7501 9501 8102 7507 8101 0501 0930 0931 1510 2674 00 7508 9502 8102 c0"),
      width: 200, height: 100)
    #expect(try reader.take([1, 66, 16]) == [.touch(slot: 0, isTouching: true, x: 100, y: 0)])
    #expect(try reader.take([1, 0, 116]) == [.touch(slot: 0, isTouching: true, x: 100, y: 100)], "0 is a null state")
    #expect(try reader.take([0, 0, 0]) == [.touch(slot: 0, isTouching: false, x: 100, y: 100)])
  }

  // MARK: Knob

  @Test func twoFieldsOfOneButtonAreOneButton() throws {
    var reader = try reader(hex("0509 0901 0901 1500 2501 7501 9502 8102 7506 9501 8101"))
    #expect(try reader.take([1]) == [.knobButton(.select, isDown: true)])
    #expect(try reader.take([1]).isEmpty)
    #expect(try reader.take([2]).isEmpty)
    #expect(try reader.take([0]) == [.knobButton(.select, isDown: false)])
  }

  @Test func aKnobIsPressedNudgedAndTurned() throws {
    var reader = try reader(InputDevice.knob().descriptor)
    for button in KnobButton.allCases {
      let events = try KnobReport.press(button).flatMap { try reader.take($0) }
      #expect(events == [.knobButton(button, isDown: true), .knobButton(button, isDown: false)])
    }
    let nudge = try KnobReport.nudge(x: -127, y: 5).flatMap { try reader.take($0) }
    #expect(nudge == [.knobNudge(x: -127, y: 5), .knobNudge(x: 0, y: 0)])
    for _ in 0..<2 { #expect(try reader.take(KnobReport.turn(-2)) == [.knobWheel(steps: -2)]) }
    #expect(
      try reader.take(KnobReport(buttons: [.select], wheel: 1).bytes) == [
        .knobButton(.select, isDown: true), .knobWheel(steps: 1),
      ])
  }

  @Test func aRelativePositionIsANudgeEachTime() throws {
    var reader = try reader(hex("0501 0902 a101 0930 0931 1581 257f 7508 9502 8106 c0"))
    for _ in 0..<2 { #expect(try reader.take([1, 255]) == [.knobNudge(x: 1, y: -1)]) }
    #expect(try reader.take([0, 0]).isEmpty)
  }

  // MARK: Keys

  @Test func everyKeyIsPressedAndReleased() throws {
    var media = try reader(InputDevice.mediaKeys().descriptor)
    for key in MediaKey.allCases { #expect(try key.press.map { try media.take($0) } == events(key.usage)) }
    var telephony = try reader(InputDevice.telephonyKeys().descriptor)
    for key in TelephonyKey.allCases { #expect(try key.press.map { try telephony.take($0) } == events(key.usage)) }
  }

  private func events(_ usage: HIDUsage) -> [[InputEvent]] {
    [true, false].map { [.key(page: usage.page, usage: usage.number, isDown: $0)] }
  }

  @Test func anotherKeyReleasesTheFirst() throws {
    var reader = try reader(InputDevice.mediaKeys().descriptor)
    _ = try reader.take(MediaKey.next.report)
    #expect(try reader.take(MediaKey.next.report).isEmpty)
    #expect(
      try reader.take(MediaKey.previous.report) == [
        .key(page: 0x0C, usage: 0xB5, isDown: false), .key(page: 0x0C, usage: 0xB6, isDown: true),
      ])
  }

  /// The keyboard is that of HID 1.11, appendix B.1: bits for modifiers, then six keys at a time.
  @Test func aKeyboardHoldsSeveralKeys() throws {
    var reader = try reader(
      hex(
        "0501 0906 a101 0507 19e0 29e7 1500 2501 7501 9508 8102 9501 7508 8101 9505 7501 0508 1901 2905 9102"
          + "9501 7503 9101 9506 7508 1500 2565 0507 1900 2965 8100 c0"))
    func key(_ usage: UInt16, _ isDown: Bool) -> InputEvent { .key(page: 7, usage: usage, isDown: isDown) }
    #expect(try reader.take(hex("02 00 04 05 00 00 00 00")) == [key(4, true), key(5, true), key(0xE1, true)])
    #expect(try reader.take(hex("02 00 05 06 06 00 00 00")) == [key(4, false), key(6, true)])
    #expect(try reader.take(hex("00 00 00 00 00 00 00 00")) == [key(5, false), key(6, false), key(0xE1, false)])
  }

  @Test func reportsWithIdsAndKeysWithOwnBitsKeepTheirState() throws {
    // Report 1: volume up and home of a media device. Report 2: an array with play.
    var reader = try reader(
      hex(
        "050c 0901 a101 8501 1500 2501 7501 9502 09e9 0a2302 8102 7506 9501 8101"
          + "8502 1501 2501 7508 09b0 8100 c0"))
    func key(_ usage: UInt16, _ isDown: Bool) -> InputEvent { .key(page: 0x0C, usage: usage, isDown: isDown) }
    #expect(try reader.take([1, 3]) == [key(0xE9, true), key(0x223, true)])
    #expect(try reader.take([2, 1]) == [key(0xB0, true)])
    #expect(try reader.take([1, 1]) == [key(0x223, false)])
    #expect(try reader.take([2, 0]) == [key(0xB0, false)])
    #expect(throws: HIDReportProblem.unknownReport(id: 3)) { try reader.take([3, 0]) }
    #expect(try reader.take([1, 0]) == [key(0xE9, false)])
  }

  @Test func otherValuesHaveNoEvents() throws {
    var reader = try reader(hex("050c 09e0 2664 00 7508 9501 8102 050d 0932 2501 7501 8102 7507 8101"))
    #expect(try reader.take([50, 1]).isEmpty)
  }
}
