// swift-iap2 · Apache-2.0

import Basics
import HIDReports
import Testing
import WireSupport

private func key(_ number: UInt16) -> HIDUsage { HIDUsage(page: 0x07, number) }

/// Limits that the descriptors below reach with few bytes.
private let small = HIDDescriptorLimits(
  byteCount: 4096, fieldCount: 1024, usageRangeCount: 256, depth: 16, reportBitCount: 16_384)

/// Report descriptors.
///
/// The layouts are those that the Python module `hidtools.hid` of hid-tools 0.12 (PyPI) printed for the same bytes, one
/// line for each field: offset and size in bits, kind, logical range, usages, logical collection. hid-tools gives a
/// short usage the page at the main item; this reader gives it the page in force before it.
@Suite struct HIDReportDescriptorTests {
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
    #expect(try HIDReportDescriptor(mouse).fields.map(\.collection) == [1, 1, 1, 1, 1])
  }

  @Test func reportIdsSeparateReportsAndAPopBringsTheStateBack() throws {
    let bytes = hex(
      "050c 0901 a101 1500 2501 7501 a4 8501 9502 09e9 09ea 8102 9506 8101 b4"
        + "8502 9501 750c 1600f8 26ff07 09e0 8102 7504 8103 c0")
    #expect(
      try layout(bytes) == [
        "8+1 variable 0...1 c/e9 #0", "9+1 variable 0...1 c/ea #0", "8+12 variable -2048...2047 c/e0 #0",
      ])
    #expect(try HIDReportDescriptor(bytes).bitCounts == [.init(.input, id: 1): 8, .init(.input, id: 2): 16])
  }

  @Test func longItemsAndAlternativesAreSkippedAndEachKindCountsAlone() throws {
    let bytes = hex("0501 fe 03 10 aabbcc a901 0930 0937 a900 1581 257f 7508 9501 9102 b102 0931 8106")
    let fields = try layout(bytes)
    #expect(fields == ["0+8 variable -127...127 1/30 #0", "0+8 relative -127...127 1/31 #0"])
    let sizes = try HIDReportDescriptor(bytes).bitCounts
    #expect(sizes == [.init(.output, id: 0): 8, .init(.feature, id: 0): 8, .init(.input, id: 0): 8])
    let alternatives = hex("0501 a901 0930 0937 a900 0931 1581 257f 7508 9502 8102")
    #expect(try layout(alternatives) == ["0+8 variable -127...127 1/30 #0", "8+8 variable -127...127 1/31 #0"])
  }

  /// A telephony device of the field has its last usage on page 7, which stands after the other usages
  /// (CarPlaySession.md#hid-usage-page).
  @Test func aUsageIsOnThePageInForceWhereItStands() throws {
    #expect(
      try layout(hex("050b 0920 0921 0507 092a 1501 2503 7508 9501 8100")) == ["0+8 array 1...3 b/20 b/21 7/2a #0"])
    // No page precedes the first usage, so the one that follows counts. The last usage repeats.
    #expect(
      try layout(hex("0901 050c 2501 7501 9503 0a2302 8102")) == [
        "0+1 variable 0...1 c/1 #0", "1+1 variable 0...1 c/223 #0", "2+1 variable 0...1 c/223 #0",
      ])
  }

  @Test func aOneByteMaximumOf255KeepsItsRange() throws {
    let byte = try HIDReportDescriptor(hex("0501 0930 1500 25ff 7508 9501 8102"))
    #expect(byte.fields.map(\.range) == [0...255] && byte.fields[0].collection == nil)
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
    #expect(throws: problem) { try HIDReportDescriptor(hex(text), limits: small) }
  }

  @Test func everyLimitIsTheLastThatIsTaken() throws {
    func repeated(_ text: String, _ count: Int) -> [UInt8] { (0..<count).flatMap { _ in hex(text) } }
    func read(_ bytes: [UInt8]) throws -> HIDReportDescriptor { try HIDReportDescriptor(bytes, limits: small) }
    #expect(try read(repeated("a101", 16) + repeated("c0", 16)).collections.count == 16)
    #expect(throws: HIDDescriptorProblem.tooDeep(offset: 32)) { try read(repeated("a101", 17)) }
    #expect(throws: HIDDescriptorProblem.tooDeep(offset: 16)) { try read(repeated("a4", 17)) }
    _ = try read(repeated("0901", 256))
    #expect(throws: HIDDescriptorProblem.tooManyUsages(offset: 512)) { try read(repeated("0901", 257)) }
    #expect(try read(hex("0901 7501 960004 8102")).fields.count == 1024)
    #expect(try read(hex("7501 960040 8103")).bitCounts == [.init(.input, id: 0): 16_384])
    _ = try read(repeated("00", 4096))
    #expect(throws: HIDDescriptorProblem.tooLong(byteCount: 4097)) { try read(repeated("00", 4097)) }
  }

  /// A report holds 65 535 bytes, however its bits are divided.
  @Test(arguments: [
    // 256 bits × 2048, of constants, which make no fields.
    ("7600019600088103", 6),
    // Twice 256 × 1024.
    ("76000196000481038103", 8),
    // The largest size and count.
    ("77ffffffff97ffffffff8103", 10),
  ]) func theBitsOfAReportHaveALimit(text: String, offset: Int) {
    #expect(throws: HIDDescriptorProblem.reportTooLong(offset: offset)) { try HIDReportDescriptor(hex(text)) }
  }

  @Test func aReportOfTheLongestLengthIsRead() throws {
    let longest = try HIDReportDescriptor(hex("75089700ff00008103" + "750896ff008103"))
    #expect(longest.bitCounts.values.first == 65_535 * 8)
    // Another report id and another kind have bits of their own.
    let several = try HIDReportDescriptor(hex("7600019500" + "96ff07" + "8501" + "8103" + "8502" + "8103" + "9103"))
    #expect(several.bitCounts.count == 3)
  }

  /// A report descriptor with array fields whose usages are 0 to 65 535 of a vendor's page, seven bytes a field.
  private static func wideDescriptor(fields: Int) -> [UInt8] {
    hex("0600ff0901a10175089501150026ff00") + (0..<fields).flatMap { _ in hex("19002affff8100") } + hex("c0")
  }

  /// Ranges stay ranges: 4 000 fields of 65 536 usages are not 262 million usages in memory.
  @Test func theUsagesOfADescriptorTakeMemoryInProportionToItsBytes() throws {
    let bytes = Self.wideDescriptor(fields: 4000)
    let descriptor = try HIDReportDescriptor(bytes)
    #expect(descriptor.fields.count == 4000)
    #expect(descriptor.fields.allSatisfy { $0.usages.count == 65_536 && $0.usages.runCount == 1 })
    #expect(descriptor.byteCount <= 16 * bytes.count)
    // The values that an array field gives do not change: here the usage 0xFF01 of the last field.
    var report = [UInt8](repeating: 0, count: 4000)
    report[3999] = 1
    #expect(descriptor.values(in: report) == [HIDUsage(page: 0xFF00, 1): 1])
  }

  /// Four fields of a main item share the storage of their usages, whether the field is an array or not.
  @Test func theFieldsOfAMainItemShareTheirUsages() throws {
    // The usages 7, 8, 0x20 to 0x22 and 9, in one main item of six fields and one of a single array field.
    let items = "05070907090819202922" + "0909" + "150025ff7508"
    let variable = try HIDReportDescriptor(hex(items + "95068102"))
    #expect(variable.fields.map { Array($0.usages).map(\.number) } == [[7], [8], [0x20], [0x21], [0x22], [9]])
    #expect(variable.fields[3].usages != variable.fields[2].usages)
    #expect(variable.fields[3].usages.contains(key(0x21)))
    #expect(variable.fields[3].usages.firstIndex(of: key(0x22)) == nil)
    let array = try HIDReportDescriptor(hex(items + "95018100"))
    let usages = array.fields[0].usages
    #expect(usages.map(\.number) == [7, 8, 0x20, 0x21, 0x22, 9] && usages.runCount == 3)
    #expect(usages.indices.allSatisfy { usages.firstIndex(of: usages[$0]) == $0 })
    #expect([6, 10, 0x1F, 0x23].allSatisfy { !usages.contains(key($0)) })
    // More usages than fields have no place, more fields than usages repeat the last.
    let more = try HIDReportDescriptor(hex("050709070908" + "7508" + "95038102"))
    #expect(more.fields.map { $0.usages.first?.number } == [7, 8, 8])
  }

  /// Many collections take few bytes and are counted.
  @Test func theCollectionsOfADescriptorCountAsMemory() throws {
    let descriptor = try HIDReportDescriptor((0..<1000).flatMap { _ in [0xA0, 0xC0] as [UInt8] })
    #expect(descriptor.collections.count == 1000 && descriptor.byteCount >= 24 * 1000)
  }

  /// The selection 0 is play/pause, so the report at rest has a number that selects nothing.
  @Test func theReportAtRestSelectsNothing() throws {
    let keys = try HIDReportDescriptor(hex("050c 1500 2502 09cd 09b5 09b6 7508 9501 8100"))
    #expect(keys.reports([:]) == [[3]] && keys.values(in: [3]).isEmpty)
    #expect(keys.values(in: [0]) == [HIDUsage(page: 0x0C, 0xCD): 1])
    // Two bits have no fourth number left.
    let full = try HIDReportDescriptor(hex("050c 1500 2503 09cd 09b5 09b6 09b7 7502 9501 8100"))
    #expect(full.reports([:]) == [[0]])
  }

  @Test func kindsThatAreNotWantedAreSkipped() throws {
    // A vendor's feature report of 65 bits in one field, which no reader of input reports must refuse.
    let bytes = hex("06 00ff 0901 7541 9501 b102 050c 09cd 1500 2501 7501 8102")
    #expect(throws: HIDDescriptorProblem.badFieldSize(offset: 9)) { try HIDReportDescriptor(bytes) }
    let inputs = try HIDReportDescriptor(bytes, kinds: [.input])
    #expect(inputs.fields.count == 1 && inputs.bitCounts == [.init(.input, id: 0): 1])
  }

  @Test func theRangesOfAMainItemHaveALimit() throws {
    // The usages 0, 2, 0, 2, …, which are no range.
    let items = (0..<4096).flatMap { [0x09, $0 % 2 == 0 ? 0 : 2] as [UInt8] }
    #expect(throws: Never.self) { try HIDReportDescriptor(items) }
    #expect(throws: HIDDescriptorProblem.tooManyUsages(offset: 8192)) { try HIDReportDescriptor(items + [0x09, 0]) }
  }

  /// Fields of random sizes and ranges, in up to three reports: the values of reports are those they were made of.
  @Test func reportsGiveBackTheirValues() throws {
    for seed in UInt64(1)...200 {
      var generator = SeededGenerator(seed: seed)
      var bytes: [UInt8] = [0x05, 0x0C]
      var values: [HIDUsage: Int] = [:]
      for number in UInt8(1)...UInt8.random(in: 1...12, using: &generator) {
        let isSigned = Bool.random(using: &generator)
        let bits = UInt8.random(in: 2...7, using: &generator)
        let maximum = UInt8(1) << (isSigned ? bits - 1 : bits) - 1
        let minimum = isSigned ? UInt8(bitPattern: -Int8(maximum)) : 0
        let report = (number - 1) / 4 + 1
        bytes += [0x85, report, 0x09, number, 0x15, minimum, 0x25, maximum, 0x75, bits, 0x95, 1, 0x81, 0x02]
        let value = Int.random(in: isSigned ? -Int(maximum)...Int(maximum) : 0...Int(maximum), using: &generator)
        if value != 0 { values[HIDUsage(page: 0x0C, UInt16(number))] = value }
      }
      let descriptor = try HIDReportDescriptor(bytes)
      var back: [HIDUsage: Int] = [:]
      for report in descriptor.reports(values) { back.merge(descriptor.values(in: report)) { first, _ in first } }
      #expect(back == values, "seed \(seed)")
    }
  }

  /// Every field of a descriptor that is read lies inside its report, and its values are of its usages.
  @Test func randomReportDescriptorsAreReadOrRefused() {
    // Usage pages, usages, limits, sizes, counts, report ids, main items, collections, push and pop.
    let items: [UInt8] = [
      0x05, 0x09, 0x15, 0x25, 0x75, 0x95, 0x81, 0x91, 0x85, 0x19, 0x29, 0xA1, 0xC0, 0xA4, 0xB4, 0x96, 0x06, 0x27,
    ]
    var read = 0
    var withFields = 0
    for seed in UInt64(1)...800 {
      var generator = SeededGenerator(seed: seed)
      var bytes: [UInt8] = generator.chance(0.5) ? [0x75, 8, 0x95, 2, 0xA4] : []
      for _ in 0..<Int.random(in: 0...24, using: &generator) {
        let item = items[Int.random(in: 0..<items.count, using: &generator)]
        // Fields without a usage are padding.
        if item == 0x81 || item == 0x91 { bytes += [0x09, 1] }
        bytes.append(generator.chance(0.95) ? item : UInt8.random(in: 0...255, using: &generator))
        for _ in 0..<[0, 1, 2, 4][Int(item & 3)] { bytes.append(UInt8.random(in: 0...40, using: &generator)) }
      }
      let descriptor: HIDReportDescriptor
      do { descriptor = try HIDReportDescriptor(bytes) } catch { continue }
      read += 1
      if !descriptor.fields.isEmpty { withFields += 1 }
      #expect(descriptor.bitCounts.values.allSatisfy { $0 <= 65_535 * 8 }, "seed \(seed)")
      for field in descriptor.fields {
        let bits = descriptor.bitCounts[field.report] ?? 0
        #expect((1...32).contains(field.bitCount) && field.bitOffset + field.bitCount <= bits, "seed \(seed)")
      }
      let usages = Set(descriptor.fields.filter { $0.report.kind == .input }.flatMap(\.usages))
      let random = (0..<16).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let values = descriptor.values(in: random)
      #expect(usages.isSuperset(of: values.keys) && !values.values.contains(0), "seed \(seed)")
    }
    // Both ways are taken often enough to mean something.
    #expect(read > 40 && withFields > 20 && read < 720, "\(read) read, \(withFields) with fields")
  }
}
