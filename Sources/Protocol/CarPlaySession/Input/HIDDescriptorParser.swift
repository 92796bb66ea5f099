// swift-iap2 · Apache-2.0

/// The parser of report descriptors.
struct HIDDescriptorParser {
  private(set) var collections: [HIDDescriptor.Collection] = []
  private(set) var fields: [HIDDescriptor.Field] = []
  private(set) var bitCounts: [UInt8: Int] = [:]
  private(set) var hasReportIDs = false

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

  mutating func parse(_ bytes: [UInt8]) throws(HIDDescriptorProblem) {
    guard bytes.count <= HIDDescriptorLimits.byteCount else { throw .tooLong(byteCount: bytes.count) }
    var offset = 0
    while offset < bytes.count {
      guard let item = try HIDItem.next(bytes, &offset) else { continue }
      switch item.tag & 0x0C {
      case 0x00:
        try takeMain(item)
        locals = HIDLocalItems()
      case 0x04: try takeGlobal(item)
      case 0x08: try locals.take(item)
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
      guard saved.count < HIDDescriptorLimits.depth else { throw .tooDeep(offset: item.offset) }
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
    case HIDItemTag.input: try takeInput(item)
    case HIDItemTag.collection:
      guard open.count < HIDDescriptorLimits.depth else { throw .tooDeep(offset: item.offset) }
      let usage = locals.usages(page: globals.page).usage(at: 0) ?? HIDDescriptor.Usage(0, 0)
      let kind = UInt8(truncatingIfNeeded: item.unsigned)
      collections.append(HIDDescriptor.Collection(kind: kind, usage: usage, parent: open.last?.index))
      open.append((collections.count - 1, item.offset))
    case HIDItemTag.endCollection:
      guard open.popLast() != nil else { throw .endWithoutCollection(offset: item.offset) }
    default: break
    }
  }

  private mutating func takeInput(_ item: HIDItem) throws(HIDDescriptorProblem) {
    // A pop can restore the state before the first report id.
    guard !hasReportIDs || globals.reportID > 0 else { throw .badReportID(offset: item.offset) }
    let limit = UInt32(HIDDescriptorLimits.reportBitCount)
    let start = bitCounts[globals.reportID] ?? 0
    guard globals.size <= limit, globals.count <= limit,
      start + Int(globals.size * globals.count) <= HIDDescriptorLimits.reportBitCount
    else { throw .reportTooLong(offset: item.offset) }
    bitCounts[globals.reportID] = start + Int(globals.size * globals.count)

    let usages = locals.usages(page: globals.page)
    let isPadding = item.unsigned & HIDInputFlags.constant != 0 || usages.isEmpty
    guard !isPadding, globals.count > 0 else { return }
    guard 1...32 ~= globals.size else { throw .badFieldSize(offset: item.offset) }
    guard let range = globals.range else { throw .badLogicalRange(offset: item.offset) }
    guard fields.count + Int(globals.count) <= HIDDescriptorLimits.fieldCount else {
      throw .tooManyFields(offset: item.offset)
    }
    let isArray = item.unsigned & HIDInputFlags.variable == 0
    var own = usages
    for index in 0..<Int(globals.count) {
      // The last usage applies to all fields without a usage of their own.
      if !isArray, let usage = usages.usage(at: index) {
        own = [HIDDescriptor.UsageRange(page: usage.page, ids: usage.id...usage.id)]
      }
      fields.append(
        HIDDescriptor.Field(
          reportID: globals.reportID, bitOffset: start + index * Int(globals.size), bitCount: Int(globals.size),
          range: range, isArray: isArray, isRelative: item.unsigned & HIDInputFlags.relative != 0, usages: own,
          collection: open.last?.index))
    }
  }
}
