// swift-iap2 · Apache-2.0

/// A control or indicator of an input device: a page of the HID Usage Tables and a number on it.
public struct HIDUsage: Sendable, Hashable, Comparable {
  public var page: UInt16
  public var number: UInt16

  public init(page: UInt16, _ number: UInt16) {
    self.page = page
    self.number = number
  }

  public static func < (a: Self, b: Self) -> Bool { (a.page, a.number) < (b.page, b.number) }
}

/// What a HID report descriptor says of the reports of a device: where which usage lies.
///
/// Reads the short items of HID 1.11, section 6.2.2, as far as they say where values lie; units, physical limits and
/// strings are passed over.
public struct HIDReportDescriptor: Sendable, Equatable {
  public enum Problem: Error, Equatable, Sendable {
    /// An item ends behind the descriptor.
    case truncated(offset: Int)
    /// More than a limit of ours; its value.
    case tooLarge(limit: Int)
    /// A pop without a push.
    case unbalanced(offset: Int)
  }

  public struct Field: Sendable, Equatable {
    public enum Kind: Sendable { case input, output, feature }
    public var kind: Kind
    /// 0 for a device without report ids.
    public var reportID: UInt8
    /// Bits from the start of the report's data, behind its id.
    public var bitOffset: Int
    public var bitSize: Int
    public var minimum: Int
    public var maximum: Int
    /// A variable field has one usage; an array field names the one that is on as a number into these.
    public var isArray: Bool
    public var isConstant: Bool
    public var isRelative: Bool
    public var usages: [HIDUsage]
  }

  public private(set) var fields: [Field] = []

  /// One report of a device: which way it goes, and its id.
  public struct Report: Sendable, Hashable {
    public var kind: Field.Kind
    public var id: UInt8
  }

  /// Bits of each report behind its id, padding included.
  public private(set) var bitCounts: [Report: Int] = [:]

  static let maximumFields = 4096
  static let maximumBits = 65_535 * 8
  static let maximumDepth = 16

  /// What lasts until it is changed.
  private struct Globals {
    var page: UInt16 = 0
    var minimum = 0
    var maximum = 0
    var size = 0
    var count = 0
    var reportID: UInt8 = 0
  }

  /// What lasts until the next main item.
  private struct Locals {
    var usages: [HIDUsage] = []
    var first: HIDUsage?
  }

  public init(_ bytes: [UInt8]) throws(Problem) {
    var globals = Globals()
    var saved: [Globals] = []
    var locals = Locals()
    var offset = 0
    while offset < bytes.count {
      let prefix = bytes[offset]
      // A long item: its size follows, and nobody has defined one.
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
      // Main items, collections among them, end what is local.
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
    case 0x08: locals.usages.append(usage)
    case 0x18: locals.first = usage
    default:
      guard let first = locals.first, first.page == usage.page, first.number <= usage.number else { return }
      locals.usages += (first.number...usage.number).map { HIDUsage(page: usage.page, $0) }
      locals.first = nil
    }
    guard locals.usages.count <= 65_536 else { throw .tooLarge(limit: 65_536) }
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
    // Padding has its place and no meaning.
    guard !isConstant, globals.size > 0, globals.size <= 32 else { return }
    guard fields.count + globals.count <= Self.maximumFields else { throw .tooLarge(limit: Self.maximumFields) }
    for index in 0..<globals.count {
      let own = locals.usages.isEmpty ? [] : [locals.usages[min(index, locals.usages.count - 1)]]
      fields.append(
        Field(
          kind: kind, reportID: globals.reportID, bitOffset: start + index * globals.size, bitSize: globals.size,
          minimum: globals.minimum, maximum: globals.maximum, isArray: isArray, isConstant: isConstant,
          isRelative: flags & 4 != 0, usages: isArray ? locals.usages : own))
    }
  }

  private var hasReportIDs: Bool { fields.contains { $0.reportID != 0 } }

  // MARK: Reports

  /// The usages that are not at rest in a report, with their values; unknown reports give none.
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

  /// The reports that say these values and rest for everything else: one for each report id that has one of them, or
  /// that of every id when nothing is given.
  public func reports(_ values: [HIDUsage: Int], _ kind: Field.Kind = .input) -> [[UInt8]] {
    let own = fields.filter { $0.kind == kind }
    let ids = Set(own.map(\.reportID)).sorted()
    let wanted = ids.filter { id in own.contains { $0.reportID == id && $0.usages.contains { values[$0] != nil } } }
    return (wanted.isEmpty ? ids : wanted).map { id in
      let mine = own.filter { $0.reportID == id }
      let bits = mine.map { $0.bitOffset + $0.bitSize }.max() ?? 0
      var data = [UInt8](repeating: 0, count: (bits + 7) / 8)
      var unplaced = values
      for field in mine {
        if field.isArray {
          guard let usage = field.usages.first(where: { unplaced[$0, default: 0] != 0 }),
            let index = field.usages.firstIndex(of: usage)
          else { continue }
          unplaced[usage] = nil
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
