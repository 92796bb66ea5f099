// swift-iap2 · Apache-2.0

/// The input reports of a device, as its HID report descriptor defines them: the place, the range and the usages of
/// each field. Source: CarPlaySession.md#hid-descriptors.
///
/// Output and feature reports, units, physical ranges and strings are skipped, and so are fields without a usage.
public struct HIDDescriptor: Sendable, Hashable {
  /// A usage page of the HID Usage Tables and a usage of the page.
  public struct Usage: Sendable, Hashable {
    /// The usage page.
    public var page: UInt16
    /// The usage.
    public var id: UInt16

    /// Creates a usage.
    public init(_ page: UInt16, _ id: UInt16) { (self.page, self.id) = (page, id) }
  }

  /// A collection of fields, such as one finger of a touch screen.
  public struct Collection: Sendable, Hashable {
    /// The kind: 0 physical, 1 application, 2 logical.
    public var kind: UInt8
    /// The usage; page 0 and usage 0 if the descriptor names none.
    public var usage: Usage
    /// The index of the collection around this one; nil for an outermost one.
    public var parent: Int?
  }

  /// A number in a report.
  public struct Field: Sendable, Hashable {
    /// The id of the report; 0 if the descriptor has no ids.
    public var reportID: UInt8
    /// The offset from the first bit behind the report's id.
    public var bitOffset: Int
    /// The size in bits, 1 to 32.
    public var bitCount: Int
    /// The logical range. A number outside of it is the null state of the field.
    public var range: ClosedRange<Int>
    /// Whether the number selects one of the usages, counted from the start of the range. Otherwise the number is the
    /// value of the field's only usage.
    public var isArray: Bool
    /// Whether the number is a change since the last report.
    public var isRelative: Bool
    /// The usages, as ranges in the order of the descriptor.
    public var usages: [UsageRange]
    /// The index of the innermost collection; nil outside of all collections.
    public var collection: Int?
  }

  /// A range of consecutive usages of one page.
  public struct UsageRange: Sendable, Hashable {
    /// The usage page.
    public var page: UInt16
    /// The usages.
    public var ids: ClosedRange<UInt16>
  }

  /// The collections in the order of the descriptor. An index is the identity of a collection.
  public let collections: [Collection]
  /// The fields of the input reports in the order of the descriptor.
  public let fields: [Field]
  /// Whether a report starts with its id.
  public let hasReportIDs: Bool
  /// The bits of each input report by its id, without the id.
  public let bitCounts: [UInt8: Int]

  /// Reads a report descriptor.
  ///
  /// - Throws: ``HIDDescriptorProblem``.
  public init(_ bytes: [UInt8]) throws(HIDDescriptorProblem) {
    var parser = HIDDescriptorParser()
    try parser.parse(bytes)
    (collections, fields, bitCounts) = (parser.collections, parser.fields, parser.bitCounts)
    hasReportIDs = parser.hasReportIDs
  }
}

/// The bounds of report descriptors. Ours (CarPlaySession.md#hid-limits).
public enum HIDDescriptorLimits {
  /// The largest number of input devices of a head unit.
  public static let deviceCount = 32
  /// The largest size of a descriptor in bytes.
  public static let byteCount = 4096
  /// The largest number of fields of all input reports together.
  public static let fieldCount = 1024
  /// The largest number of usages and ranges of usages before one main item.
  public static let usageRangeCount = 256
  /// The largest number of collections around a field, and of saved states of push items.
  public static let depth = 16
  /// The largest size of a report in bits.
  public static let reportBitCount = 16_384
}

/// A reason why bytes are not a report descriptor. An offset is that of the item, in bytes.
public enum HIDDescriptorProblem: Error, Sendable, Hashable {
  /// More bytes than ``HIDDescriptorLimits/byteCount``.
  case tooLong(byteCount: Int)
  /// The item ends beyond the descriptor.
  case truncated(offset: Int)
  /// More fields than ``HIDDescriptorLimits/fieldCount``.
  case tooManyFields(offset: Int)
  /// More usages than ``HIDDescriptorLimits/usageRangeCount``.
  case tooManyUsages(offset: Int)
  /// Collections or push items are nested deeper than ``HIDDescriptorLimits/depth``.
  case tooDeep(offset: Int)
  /// A report is longer than ``HIDDescriptorLimits/reportBitCount``.
  case reportTooLong(offset: Int)
  /// A field has no bits, or more than 32.
  case badFieldSize(offset: Int)
  /// The logical minimum of a field is above its maximum.
  case badLogicalRange(offset: Int)
  /// The first usage of a range is above the last one, or is on another page.
  case badUsageRange(offset: Int)
  /// A report id is 0 or above 255, or a field stands before the first report id.
  case badReportID(offset: Int)
  /// A pop item has no push item.
  case popWithoutPush(offset: Int)
  /// The end of a collection has no start.
  case endWithoutCollection(offset: Int)
  /// The descriptor ends inside the collection that starts at the offset.
  case collectionWithoutEnd(offset: Int)
}
