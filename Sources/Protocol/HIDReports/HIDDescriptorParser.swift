// swift-iap2 · Apache-2.0

/// The parser of report descriptors.
struct HIDDescriptorParser {
  let limits: HIDDescriptorLimits
  let kinds: Set<HIDReportDescriptor.Kind>
  private(set) var collections: [HIDReportDescriptor.Collection] = []
  private(set) var fields: [HIDReportDescriptor.Field] = []
  private(set) var bitCounts: [HIDReportDescriptor.Report: Int] = [:]
  private(set) var hasReportIDs = false
  private(set) var byteCount = 0

  /// The items that apply until they are changed.
  private struct Globals {
    var page: UInt16 = 0
    var minimum = 0
    /// The item of the maximum, whose sign depends on the minimum.
    var maximum: HIDItem?
    var size: UInt32 = 0, count: UInt32 = 0
    var reportID: UInt8 = 0

    /// The logical range; nil if the minimum is above the maximum. Some devices write a maximum of 255 in one byte: the
    /// maximum has a sign only if the minimum is negative.
    var range: ClosedRange<Int>? {
      let maximum = maximum.map { minimum < 0 ? $0.signed : Int($0.unsigned) } ?? 0
      return minimum <= maximum ? minimum...maximum : nil
    }
  }

  private var globals = Globals()
  private var saved: [Globals] = []
  private var locals = HIDLocalItems()
  /// The collections around the next item, and the offsets of their items.
  private var open: [(index: Int, offset: Int)] = []

  init(limits: HIDDescriptorLimits, kinds: Set<HIDReportDescriptor.Kind>) {
    (self.limits, self.kinds) = (limits, kinds)
  }

  mutating func parse(_ bytes: [UInt8]) throws(HIDDescriptorProblem) {
    guard bytes.count <= limits.byteCount else { throw .tooLong(byteCount: bytes.count) }
    var offset = 0
    while offset < bytes.count {
      guard let item = try HIDItem.next(bytes, &offset) else { continue }
      switch item.tag & 0x0C {
      case 0x00:
        try takeMain(item)
        locals = HIDLocalItems()
      case 0x04: try takeGlobal(item)
      case 0x08: try locals.take(item, page: globals.page, limit: limits.usageRangeCount)
      default: break
      }
    }
    if let last = open.last { throw .collectionWithoutEnd(offset: last.offset) }
  }

  // MARK: Global items

  private mutating func takeGlobal(_ item: HIDItem) throws(HIDDescriptorProblem) {
    switch item.tag {
    case HIDItemTag.usagePage: globals.page = UInt16(truncatingIfNeeded: item.unsigned)
    case HIDItemTag.logicalMinimum: globals.minimum = item.signed
    case HIDItemTag.logicalMaximum: globals.maximum = item
    case HIDItemTag.reportSize: globals.size = item.unsigned
    case HIDItemTag.reportCount: globals.count = item.unsigned
    case HIDItemTag.reportID:
      guard let id = UInt8(exactly: item.unsigned), id > 0, hasReportIDs || bitCounts.isEmpty else {
        throw .badReportID(offset: item.offset)
      }
      (globals.reportID, hasReportIDs) = (id, true)
    case HIDItemTag.push:
      guard saved.count < limits.depth else { throw .tooDeep(offset: item.offset) }
      saved.append(globals)
    case HIDItemTag.pop:
      guard let last = saved.popLast() else { throw .popWithoutPush(offset: item.offset) }
      globals = last
    default: break
    }
  }

  // MARK: Main items

  private mutating func takeMain(_ item: HIDItem) throws(HIDDescriptorProblem) {
    switch item.tag {
    case HIDItemTag.input: try takeFields(item, .input)
    case HIDItemTag.output: try takeFields(item, .output)
    case HIDItemTag.feature: try takeFields(item, .feature)
    case HIDItemTag.collection:
      guard open.count < limits.depth else { throw .tooDeep(offset: item.offset) }
      let usage = locals.usages(page: globals.page).first ?? HIDUsage(page: 0, 0)
      let kind = UInt8(truncatingIfNeeded: item.unsigned)
      byteCount += MemoryLayout<HIDReportDescriptor.Collection>.stride
      collections.append(HIDReportDescriptor.Collection(kind: kind, usage: usage, parent: open.last?.index))
      open.append((collections.count - 1, item.offset))
    case HIDItemTag.endCollection:
      guard open.popLast() != nil else { throw .endWithoutCollection(offset: item.offset) }
    default: break
    }
  }

  private mutating func takeFields(
    _ item: HIDItem, _ kind: HIDReportDescriptor.Kind
  ) throws(HIDDescriptorProblem) {
    guard kinds.contains(kind) else { return }
    // A pop can restore the state before the first report id.
    guard !hasReportIDs || globals.reportID > 0 else { throw .badReportID(offset: item.offset) }
    let report = HIDReportDescriptor.Report(kind, id: globals.reportID)
    let start = bitCounts[report] ?? 0
    // The product of two numbers of 32 bits may exceed an `Int`.
    guard globals.size <= limits.reportBitCount, globals.count <= limits.reportBitCount else {
      throw .reportTooLong(offset: item.offset)
    }
    let bitCount = start + Int(globals.size) * Int(globals.count)
    guard bitCount <= limits.reportBitCount else { throw .reportTooLong(offset: item.offset) }
    bitCounts[report] = bitCount

    let usages = locals.usages(page: globals.page)
    let isPadding = item.unsigned & HIDItemFlags.constant != 0 || usages.isEmpty
    guard !isPadding, globals.count > 0 else { return }
    guard 1...32 ~= globals.size else { throw .badFieldSize(offset: item.offset) }
    guard let range = globals.range else { throw .badLogicalRange(offset: item.offset) }
    guard fields.count + Int(globals.count) <= limits.fieldCount else { throw .tooManyFields(offset: item.offset) }
    let isArray = item.unsigned & HIDItemFlags.variable == 0
    for index in 0..<Int(globals.count) {
      // The last usage applies to all fields without a usage of their own.
      fields.append(
        HIDReportDescriptor.Field(
          report: report, bitOffset: start + index * Int(globals.size), bitCount: Int(globals.size), range: range,
          isArray: isArray, isRelative: item.unsigned & HIDItemFlags.relative != 0,
          usages: isArray ? usages : usages.only(at: min(index, usages.count - 1)), collection: open.last?.index))
    }
    // The fields of a main item share the storage of its usages.
    byteCount += Int(globals.count) * MemoryLayout<HIDReportDescriptor.Field>.stride
    byteCount += usages.runCount * HIDUsageList.runByteCount
  }
}
