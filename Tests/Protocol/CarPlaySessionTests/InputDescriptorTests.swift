// swift-iap2 · Apache-2.0

import CarPlaySession
import Testing
import WireSupport

/// Report descriptors.
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

  private func layout(_ bytes: [UInt8]) throws -> [String] {
    let descriptor = try HIDDescriptor(bytes)
    return descriptor.fields.map { field in
      func text(_ number: some BinaryInteger) -> String { String(number, radix: 16) }
      let usages = field.usages.flatMap { range in range.ids.map { text(range.page) + "/" + text($0) } }
      let collection = field.collection.map { descriptor.collections[$0].kind == 2 ? $0 : 0 } ?? 0
      return [
        "\(field.bitOffset + (descriptor.hasReportIDs ? 8 : 0))+\(field.bitCount)",
        field.isArray ? "array" : field.isRelative ? "relative" : "variable",
        "\(field.range.lowerBound)...\(field.range.upperBound)", usages.joined(separator: " "), "#\(collection)",
      ].joined(separator: " ")
    }
  }

  @Test func theTouchScreenHasTwoFingersOfSixBytes() throws {
    let device = InputDevice.touchScreen(width: 1280, height: 720)
    #expect(device.descriptor == Self.touchScreen)
    #expect(
      try layout(device.descriptor) == [
        "0+8 variable 0...1 d/38 #1", "8+1 variable 0...1 d/33 #1", "16+16 variable 0...1280 1/30 #1",
        "32+16 variable 0...720 1/31 #1", "48+8 variable 0...1 d/38 #2", "56+1 variable 0...1 d/33 #2",
        "64+16 variable 0...1280 1/30 #2", "80+16 variable 0...720 1/31 #2",
      ])
    let descriptor = try HIDDescriptor(device.descriptor)
    #expect(descriptor.bitCounts == [0: 96])
    #expect(descriptor.collections.map(\.usage) == [.init(0x0D, 0x04), .init(0x0D, 0x22), .init(0x0D, 0x22)])
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
    #expect(try HIDDescriptor(device.descriptor).bitCounts == [0: 32])
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

  /// The mouse is that of HID 1.11, appendix E.10.
  @Test func rangesPaddingAndRelativeFieldsAreRead() throws {
    let mouse = hex(
      "0501 0902 a101 0901 a100 0509 1901 2903 1500 2501 9503 7501 8102 9501 7505 8101"
        + "0501 0930 0931 1581 257f 7508 9502 8106 c0 c0")
    #expect(
      try layout(mouse) == [
        "0+1 variable 0...1 9/1 #0", "1+1 variable 0...1 9/2 #0", "2+1 variable 0...1 9/3 #0",
        "8+8 relative -127...127 1/30 #0", "16+8 relative -127...127 1/31 #0",
      ])
    #expect(try HIDDescriptor(mouse).fields.map(\.collection) == [1, 1, 1, 1, 1])
  }

  @Test func reportIdsSeparateReportsAndAPopBringsTheStateBack() throws {
    let bytes = hex(
      "050c 0901 a101 1500 2501 7501 a4 8501 9502 09e9 09ea 8102 9506 8101 b4"
        + "8502 9501 750c 1600f8 26ff07 09e0 8102 7504 8103 c0")
    #expect(
      try layout(bytes) == [
        "8+1 variable 0...1 c/e9 #0", "9+1 variable 0...1 c/ea #0", "8+12 variable -2048...2047 c/e0 #0",
      ])
    #expect(try HIDDescriptor(bytes).bitCounts == [1: 8, 2: 16])
  }

  @Test func aLargeDisplayAndAOneByteMaximumOf255KeepTheirRange() throws {
    let device = InputDevice.touchScreen(width: 40_000, height: 200)
    let ranges = try HIDDescriptor(device.descriptor).fields.map(\.range)
    #expect(ranges[2] == 0...40_000 && ranges[3] == 0...200)
    let byte = try HIDDescriptor(hex("0501 0930 1500 25ff 7508 9501 8102"))
    #expect(byte.fields.map(\.range) == [0...255] && byte.fields[0].collection == nil)
  }

  @Test func longItemsOutputsAndAlternativesAreSkipped() throws {
    let bytes = hex("0501 fe 03 10 aabbcc a901 0930 0937 a800 1581 257f 7508 9501 9102 b102 0931 8106")
    #expect(try layout(bytes) == ["0+8 relative -127...127 1/31 #0"])
    let alternatives = hex("0501 a901 0930 0937 a900 0931 1581 257f 7508 9502 8102")
    #expect(try layout(alternatives) == ["0+8 variable -127...127 1/30 #0", "8+8 variable -127...127 1/31 #0"])
  }

  @Test func theLastPageBeforeTheFieldCountsAndTheLastUsageRepeats() throws {
    #expect(
      try layout(hex("0901 050c 2501 7501 9503 0a2302 8102")) == [
        "0+1 variable 0...1 c/1 #0", "1+1 variable 0...1 c/223 #0", "2+1 variable 0...1 c/223 #0",
      ])
  }

  @Test(arguments: [
    ("0501 09", HIDDescriptorProblem.truncated(offset: 2)), ("fe", .truncated(offset: 0)),
    ("fe 05 10 00", .truncated(offset: 0)), ("b4", .popWithoutPush(offset: 0)),
    ("c0", .endWithoutCollection(offset: 0)), ("0501 a101", .collectionWithoutEnd(offset: 2)),
    ("0901 7521 9501 8102", .badFieldSize(offset: 6)),
    ("0901 9501 8102", .badFieldSize(offset: 4)), ("0901 1502 2501 7508 9501 8102", .badLogicalRange(offset: 10)),
    ("1905 2904", .badUsageRange(offset: 2)), ("1b01000700 2b05000c00", .badUsageRange(offset: 5)),
    ("8500", .badReportID(offset: 0)), ("860001", .badReportID(offset: 0)),
    ("0901 7501 9501 8102 8501", .badReportID(offset: 8)),
    ("a4 8501 b4 0901 7501 9501 8102", .badReportID(offset: 10)),
    ("0901 7501 960104 8102", .tooManyFields(offset: 7)), ("7501 960140 8103", .reportTooLong(offset: 5)),
    ("77ffffffff 97ffffffff 8103", .reportTooLong(offset: 10)),
  ])
  func aWrongDescriptorIsRefusedAtItsItem(_ text: String, _ problem: HIDDescriptorProblem) {
    #expect(throws: problem) { try HIDDescriptor(hex(text)) }
  }

  @Test func everyLimitIsTheLastThatIsTaken() throws {
    func repeated(_ text: String, _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in hex(text) } }
    let deep = HIDDescriptorLimits.depth
    #expect(try HIDDescriptor(repeated("a101", deep) + repeated("c0", deep)).collections.count == deep)
    #expect(throws: HIDDescriptorProblem.tooDeep(offset: 2 * deep)) { try HIDDescriptor(repeated("a101", deep + 1)) }
    #expect(throws: HIDDescriptorProblem.tooDeep(offset: deep)) { try HIDDescriptor(repeated("a4", deep + 1)) }
    let usages = HIDDescriptorLimits.usageRangeCount
    _ = try HIDDescriptor(repeated("0901", usages))
    #expect(throws: HIDDescriptorProblem.tooManyUsages(offset: 2 * usages)) {
      try HIDDescriptor(repeated("0901", usages + 1))
    }
    #expect(try HIDDescriptor(hex("0901 7501 960004 8102")).fields.count == HIDDescriptorLimits.fieldCount)
    #expect(try HIDDescriptor(hex("7501 960040 8103")).bitCounts == [0: HIDDescriptorLimits.reportBitCount])
    let bytes = HIDDescriptorLimits.byteCount
    _ = try HIDDescriptor(repeated("00", bytes))
    #expect(throws: HIDDescriptorProblem.tooLong(byteCount: bytes + 1)) { try HIDDescriptor(repeated("00", bytes + 1)) }
  }
}
