// swift-iap2 · Apache-2.0

/// Limits of report descriptors.
public struct HIDDescriptorLimits: Sendable, Hashable {
  /// The largest size of a descriptor in bytes.
  public var byteCount: Int
  /// The largest number of fields of all reports together.
  public var fieldCount: Int
  /// The largest number of usages and ranges of usages before one main item. More of them make the search for a usage
  /// slow.
  public var usageRangeCount: Int
  /// The largest number of collections around a field, and of saved states of push items.
  public var depth: Int
  /// The largest size of a report in bits.
  public var reportBitCount: Int

  /// Creates limits.
  public init(byteCount: Int, fieldCount: Int, usageRangeCount: Int, depth: Int, reportBitCount: Int) {
    self.byteCount = byteCount
    self.fieldCount = fieldCount
    self.usageRangeCount = usageRangeCount
    self.depth = depth
    self.reportBitCount = reportBitCount
  }

  /// The limits for descriptors of any source: in USB and in iAP2, a descriptor and a report have a length of 16 bits.
  /// The other limits are ours.
  public static let all = HIDDescriptorLimits(
    byteCount: 65_535, fieldCount: 4096, usageRangeCount: 4096, depth: 16, reportBitCount: 65_535 * 8)
}
