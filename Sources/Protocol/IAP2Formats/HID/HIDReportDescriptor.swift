// swift-iap2 · Apache-2.0

/// A control or indicator of an input device: a page of the HID Usage Tables and a usage number on that page.
public struct HIDUsage: Sendable, Hashable, Comparable {
  /// The usage page.
  public var page: UInt16
  /// The usage number on the page.
  public var number: UInt16

  /// Creates a usage.
  public init(page: UInt16, _ number: UInt16) {
    self.page = page
    self.number = number
  }

  /// Compares the pages, then the numbers.
  public static func < (a: Self, b: Self) -> Bool { (a.page, a.number) < (b.page, b.number) }
}

/// The layout of a device's reports, which its HID report descriptor describes: the position of each usage.
///
/// The reader handles the short items of HID 1.11, section 6.2.2, that determine the position and the range of values.
/// It skips units, physical limits and strings.
public struct HIDReportDescriptor: Sendable, Equatable {
  /// An error in a report descriptor.
  public enum Problem: Error, Equatable, Sendable {
    /// An item ends after the end of the descriptor; the offset of the item in bytes.
    case truncated(offset: Int)
    /// The descriptor exceeds a limit of this project; the value of the limit.
    case tooLarge(limit: Int)
    /// A pop item has no push item before it; the offset of the item in bytes.
    case unbalanced(offset: Int)
  }

  /// One value in a report.
  public struct Field: Sendable, Equatable {
    /// The kind of the report: input to the host, output to the device, or a feature in both directions.
    public enum Kind: Sendable {
      /// A report from the device to the host.
      case input
      /// A report from the host to the device.
      case output
      /// A report in both directions.
      case feature
    }
    /// The kind of the report.
    public var kind: Kind
    /// The id of the report; 0 for a device without report ids.
    public var reportID: UInt8
    /// The offset in bits from the start of the report's data, after the report id.
    public var bitOffset: Int
    /// The size in bits, 1 to 32.
    public var bitSize: Int
    /// The logical minimum of the value.
    public var minimum: Int
    /// The logical maximum of the value.
    public var maximum: Int
    /// Whether the field is an array. A variable field has one usage. An array field has several, and its value selects
    /// the active one.
    public var isArray: Bool
    /// Whether the field is constant. Constant fields are padding and are not stored.
    public var isConstant: Bool
    /// Whether the value is relative to the last report.
    public var isRelative: Bool
    /// The usages of the field.
    public var usages: HIDUsageList
  }

  /// The fields of all reports, in the order of the descriptor, without padding.
  public private(set) var fields: [Field] = []

  /// One report of a device: its kind and its id.
  public struct Report: Sendable, Hashable {
    /// The kind of the report.
    public var kind: Field.Kind
    /// The id of the report; 0 for a device without report ids.
    public var id: UInt8
  }

  /// The size of each report in bits, without the report id and with padding.
  public private(set) var bitCounts: [Report: Int] = [:]

  /// The memory that the fields and their usages take, in bytes. A connection's descriptors have one bound for it.
  package private(set) var byteCount = 0

  static let maximumFields = 4096
  static let maximumBits = 65_535 * 8
  static let maximumDepth = 16
  /// The usages of one main item. The number of a usage has 16 bits.
  static let maximumUsages = 65_536
  /// The usage ranges of one main item, of which a usage alone is one: as many as there may be fields. Further ranges
  /// would make the search for a usage slow.
  static let maximumRanges = maximumFields

  /// The global items, which apply until they are changed.
  private struct Globals {
    var page: UInt16 = 0
    var minimum = 0
    var maximum = 0
    var size = 0
    var count = 0
    var reportID: UInt8 = 0
  }

  /// The local items, which apply until the next main item.
  private struct Locals {
    var usages = HIDUsageList()
    var first: HIDUsage?
  }

  /// Reads a report descriptor.
  ///
  /// - Throws: ``Problem`` if an item is truncated, a pop has no push, or a limit is exceeded.
  public init(_ bytes: [UInt8]) throws(Problem) {
    var globals = Globals()
    var saved: [Globals] = []
    var locals = Locals()
    var offset = 0
    while offset < bytes.count {
      let prefix = bytes[offset]
      // A long item: its size follows. No long item is defined, so it is skipped.
      let size = prefix == 0xFE ? 0 : [0, 1, 2, 4][Int(prefix & 3)]
      guard offset + 1 + size <= bytes.count else { throw .truncated(offset: offset) }
      if prefix == 0xFE {
        guard offset + 3 <= bytes.count else { throw .truncated(offset: offset) }
        offset += 3 + Int(bytes[offset + 1])
        continue
      }
      let data = bytes[(offset + 1)..<(offset + 1 + size)]
      let unsigned = data.reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      switch prefix & 0xFC {
      case 0x80: try add(.input, unsigned, globals, locals)
      case 0x90: try add(.output, unsigned, globals, locals)
      case 0xB0: try add(.feature, unsigned, globals, locals)
      case 0x04: globals.page = UInt16(truncatingIfNeeded: unsigned)
      case 0x14: globals.minimum = Self.signed(unsigned, size)
      case 0x24: globals.maximum = Self.signed(unsigned, size)
      case 0x74: globals.size = Int(min(unsigned, 1 << 16))
      case 0x94: globals.count = Int(min(unsigned, 1 << 16))
      case 0x84: globals.reportID = UInt8(truncatingIfNeeded: unsigned)
      case 0xA4:
        guard saved.count < Self.maximumDepth else { throw .tooLarge(limit: Self.maximumDepth) }
        saved.append(globals)
      case 0xB4:
        guard let before = saved.popLast() else { throw .unbalanced(offset: offset) }
        globals = before
      case 0x08, 0x18, 0x28: try Self.local(prefix & 0xFC, Self.usage(unsigned, size, globals), &locals)
      default: break
      }
      // Main items, collections included, end the local items.
      if prefix & 0x0C == 0 { locals = Locals() }
      offset += 1 + size
    }
  }

  private static func signed(_ value: UInt32, _ size: Int) -> Int {
    switch size {
    case 1: Int(Int8(truncatingIfNeeded: value))
    case 2: Int(Int16(truncatingIfNeeded: value))
    default: Int(Int32(bitPattern: value))
    }
  }

  private static func usage(_ value: UInt32, _ size: Int, _ globals: Globals) -> HIDUsage {
    HIDUsage(page: size == 4 ? UInt16(value >> 16) : globals.page, UInt16(truncatingIfNeeded: value))
  }

  private static func local(_ item: UInt8, _ usage: HIDUsage, _ locals: inout Locals) throws(Problem) {
    switch item {
    case 0x08: locals.usages.append(usage, through: usage.number)
    case 0x18: locals.first = usage
    default:
      guard let first = locals.first, first.page == usage.page, first.number <= usage.number else { return }
      locals.usages.append(first, through: usage.number)
      locals.first = nil
    }
    guard locals.usages.count <= maximumUsages else { throw .tooLarge(limit: maximumUsages) }
    guard locals.usages.runCount <= maximumRanges else { throw .tooLarge(limit: maximumRanges) }
  }

  private mutating func add(
    _ kind: Field.Kind, _ flags: UInt32, _ globals: Globals, _ locals: Locals
  ) throws(Problem) {
    let key = Report(kind: kind, id: globals.reportID)
    let start = bitCounts[key] ?? 0
    let bits = globals.size * globals.count
    guard start + bits <= Self.maximumBits else { throw .tooLarge(limit: Self.maximumBits) }
    bitCounts[key] = start + bits
    let isConstant = flags & 1 != 0
    let isArray = flags & 2 == 0
    // Padding takes up space but has no value.
    guard !isConstant, globals.size > 0, globals.size <= 32 else { return }
    guard fields.count + globals.count <= Self.maximumFields else { throw .tooLarge(limit: Self.maximumFields) }
    // The fields of a main item share the storage of its usages.
    byteCount += globals.count * MemoryLayout<Field>.stride
    if globals.count > 0 { byteCount += locals.usages.runCount * HIDUsageList.runByteCount }
    for index in 0..<globals.count {
      let usages = locals.usages
      let own = isArray || usages.isEmpty ? usages : usages.only(at: min(index, usages.count - 1))
      fields.append(
        Field(
          kind: kind, reportID: globals.reportID, bitOffset: start + index * globals.size, bitSize: globals.size,
          minimum: globals.minimum, maximum: globals.maximum, isArray: isArray, isConstant: isConstant,
          isRelative: flags & 4 != 0, usages: own))
    }
  }

  private var hasReportIDs: Bool { fields.contains { $0.reportID != 0 } }

  // MARK: Reports

  /// Returns the usages of a report that have a value other than 0, with their values. A report with an unknown id has
  /// none.
  ///
  /// - Parameters:
  ///   - report: The report with its id, if the device has report ids.
  ///   - kind: The kind of the report. The fields of other kinds are left out.
  public func values(in report: [UInt8], _ kind: Field.Kind = .input) -> [HIDUsage: Int] {
    let id = hasReportIDs ? report.first ?? 0 : 0
    let data = hasReportIDs ? report.dropFirst() : report[...]
    var values: [HIDUsage: Int] = [:]
    for field in fields where field.kind == kind && field.reportID == id {
      guard field.bitOffset + field.bitSize <= data.count * 8 else { continue }
      let value = Self.read(data, field)
      if field.isArray {
        let index = value - field.minimum
        if value != 0, field.usages.indices.contains(index) { values[field.usages[index]] = 1 }
      } else if value != 0, let usage = field.usages.first {
        values[usage] = value
      }
    }
    return values
  }

  /// Returns reports with these values and 0 for every other usage: one for each report id that has one of the usages,
  /// or one for every id if no report has any of them.
  public func reports(_ values: [HIDUsage: Int], _ kind: Field.Kind = .input) -> [[UInt8]] {
    let own = fields.filter { $0.kind == kind }
    let ids = Set(own.map(\.reportID)).sorted()
    let wanted = ids.filter { id in
      own.contains { field in field.reportID == id && values.keys.contains { field.usages.contains($0) } }
    }
    return (wanted.isEmpty ? ids : wanted).map { id in
      let mine = own.filter { $0.reportID == id }
      let bits = mine.map { $0.bitOffset + $0.bitSize }.max() ?? 0
      var data = [UInt8](repeating: 0, count: (bits + 7) / 8)
      var unplaced = values
      for field in mine {
        if field.isArray {
          let places = unplaced.filter { $0.value != 0 }.keys.compactMap { field.usages.firstIndex(of: $0) }
          guard let index = places.min() else { continue }
          unplaced[field.usages[index]] = nil
          Self.write(index + field.minimum, &data, field)
        } else if let usage = field.usages.first, let value = unplaced[usage] {
          Self.write(value, &data, field)
        }
      }
      return hasReportIDs ? [id] + data : data
    }
  }

  private static func read(_ data: ArraySlice<UInt8>, _ field: Field) -> Int {
    var value: UInt64 = 0
    for bit in 0..<field.bitSize {
      let position = field.bitOffset + bit
      if data[data.startIndex + position / 8] >> UInt8(position % 8) & 1 == 1 { value |= 1 << UInt64(bit) }
    }
    guard field.minimum < 0, value >> UInt64(field.bitSize - 1) & 1 == 1 else { return Int(value) }
    return Int(value) - 1 << field.bitSize
  }

  private static func write(_ value: Int, _ data: inout [UInt8], _ field: Field) {
    for bit in 0..<field.bitSize where value >> bit & 1 == 1 {
      let position = field.bitOffset + bit
      data[position / 8] |= 1 << UInt8(position % 8)
    }
  }
}
