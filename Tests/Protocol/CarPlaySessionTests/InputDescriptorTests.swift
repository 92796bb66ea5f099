// swift-iap2 · Apache-2.0

import CarPlaySession
import HIDReports
import Testing
import WireSupport

/// The report descriptors of our devices.
///
/// The layouts are those that the Python module `hidtools.hid` of hid-tools 0.12 (PyPI) printed for the same bytes, one
/// line for each field: offset and size in bits, kind, logical range, usages, logical collection.
@Suite struct InputDescriptorTests {
  private static let finger =
    "050d 0922 a102 0938 1500 2501 7508 9501 8102 0933 1500 2501 7501 9501 8102 7507 9501 8101"
    + "0501 0930 1500 26 0005 7510 9501 8102 0931 1500 26 d002 7510 9501 8102 c0"
  private static let touchScreen = hex("050d 0904 a101" + finger + finger + "c0")
  private static let knob = hex(
    "0501 0908 a101 1500 2501 0509 0901 7501 9501 8102 050c 0a2302 0a2402 7501 9502 8102 7505 9501 8101"
      + "0501 1581 257f 0930 0931 7508 9502 8102 0938 7508 9501 8106 c0")
  private static let mediaKeys = hex(
    "050c 0901 a101 09b0 09b1 09cd 09b5 09b6 0a9e02 1501 2506 7508 9501 8100 c0")
  private static let telephonyKeys = hex(
    "050b 0907 a101 0920 0921 0926 092f 09b0 09b1 09b2 09b3 09b4 09b5 09b6 09b7 09b8 09b9 09ba 09bb 0b2a000700"
      + "1501 2511 7508 9501 8100 c0")

  @Test func theTouchScreenHasTwoFingersOfSixBytes() throws {
    let device = InputDevice.touchScreen(width: 1280, height: 720)
    #expect(device.descriptor == Self.touchScreen)
    #expect(
      try layout(device.descriptor) == [
        "0+8 variable 0...1 d/38 #1", "8+1 variable 0...1 d/33 #1", "16+16 variable 0...1280 1/30 #1",
        "32+16 variable 0...720 1/31 #1", "48+8 variable 0...1 d/38 #2", "56+1 variable 0...1 d/33 #2",
        "64+16 variable 0...1280 1/30 #2", "80+16 variable 0...720 1/31 #2",
      ])
    let descriptor = try HIDReportDescriptor(device.descriptor)
    #expect(descriptor.bitCounts == [.init(.input, id: 0): 96])
    #expect(
      descriptor.collections.map(\.usage) == [
        .init(page: 0x0D, 0x04), .init(page: 0x0D, 0x22), .init(page: 0x0D, 0x22),
      ])
    #expect(descriptor.collections.map(\.parent) == [nil, 0, 0])
  }

  @Test func theKnobHasButtonsDeflectionAndWheel() throws {
    let device = InputDevice.knob()
    #expect(device.descriptor == Self.knob)
    #expect(
      try layout(device.descriptor) == [
        "0+1 variable 0...1 9/1 #0", "1+1 variable 0...1 c/223 #0", "2+1 variable 0...1 c/224 #0",
        "8+8 variable -127...127 1/30 #0", "16+8 variable -127...127 1/31 #0", "24+8 relative -127...127 1/38 #0",
      ])
    #expect(try HIDReportDescriptor(device.descriptor).bitCounts == [.init(.input, id: 0): 32])
  }

  @Test func keysAreAnArrayOfOneByte() throws {
    #expect(InputDevice.mediaKeys().descriptor == Self.mediaKeys)
    #expect(try layout(Self.mediaKeys) == ["0+8 array 1...6 c/b0 c/b1 c/cd c/b5 c/b6 c/29e #0"])
    #expect(InputDevice.telephonyKeys().descriptor == Self.telephonyKeys)
    #expect(
      try layout(Self.telephonyKeys) == [
        "0+8 array 1...17 b/20 b/21 b/26 b/2f b/b0 b/b1 b/b2 b/b3 b/b4 b/b5 b/b6 b/b7 b/b8 b/b9 b/ba b/bb 7/2a #0"
      ])
  }

  @Test func aLargeDisplayKeepsItsRange() throws {
    let device = InputDevice.touchScreen(width: 40_000, height: 200)
    let ranges = try HIDReportDescriptor(device.descriptor).fields.map(\.range)
    #expect(ranges[2] == 0...40_000 && ranges[3] == 0...200)
  }
}
