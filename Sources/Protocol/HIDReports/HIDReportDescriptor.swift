// swift-iap2 · Apache-2.0

/// The layout of a device's reports, which its HID report descriptor describes: the place, the range and the usages of
/// each field.
///
/// The reader handles the short items of HID 1.11, section 6.2.2, that determine these. It skips units, physical limits
/// and strings, and it does not store fields without a usage, which are padding.
public struct HIDReportDescriptor: Sendable, Equatable {
  /// The kind of a report.
  public enum Kind: Sendable, CaseIterable {
    /// A report from the device to the host.
    case input
    /// A report from the host to the device.
    case output
    /// A report in both directions.
    case feature
  }

  /// One report of a device: its kind and its id.
  public struct Report: Sendable, Hashable {
    /// The kind of the report.
    public var kind: Kind
    /// The id of the report; 0 for a device without report ids.
    public var id: UInt8

    /// Creates the name of a report.
    public init(_ kind: Kind, id: UInt8) { (self.kind, self.id) = (kind, id) }
  }

  /// A collection of fields, such as one finger of a touch screen.
  public struct Collection: Sendable, Hashable {
    /// The kind: 0 physical, 1 application, 2 logical.
    public var kind: UInt8
    /// The usage; page 0 and usage 0 if the descriptor names none.
    public var usage: HIDUsage
    /// The index of the collection around this one; nil for an outermost one.
    public var parent: Int?
  }

  /// One value in a report.
  public struct Field: Sendable, Equatable {
    /// The report that has the field.
    public var report: Report
    /// The offset in bits from the start of the report's data, after the report id.
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
    /// The usages in the order of the descriptor.
    public var usages: HIDUsageList
    /// The index of the innermost collection; nil outside of all collections.
    public var collection: Int?
  }

  /// The collections in the order of the descriptor. An index is the identity of a collection.
  public let collections: [Collection]
  /// The fields of all reports in the order of the descriptor, without padding.
  public let fields: [Field]
  /// The size of each report in bits, without the report id and with padding.
  public let bitCounts: [Report: Int]
  /// Whether a report starts with its id.
  public let hasReportIDs: Bool
  /// The memory that the collections, the fields and their usages take, in bytes. A connection's descriptors have one bound for it.
  package let byteCount: Int

  /// Reads a report descriptor.
  ///
  /// - Parameters:
  ///   - bytes: The descriptor.
  ///   - limits: The limits of its size and its content.
  ///   - kinds: The kinds of reports to read. Items of other kinds are skipped.
  /// - Throws: ``HIDDescriptorProblem``.
  public init(
    _ bytes: [UInt8], limits: HIDDescriptorLimits = .all, kinds: Set<Kind> = Set(Kind.allCases)
  ) throws(HIDDescriptorProblem) {
    var parser = HIDDescriptorParser(limits: limits, kinds: kinds)
    try parser.parse(bytes)
    (collections, fields, bitCounts) = (parser.collections, parser.fields, parser.bitCounts)
    hasReportIDs = parser.hasReportIDs
    byteCount = parser.byteCount
  }
}
