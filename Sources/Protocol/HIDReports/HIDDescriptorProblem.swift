// swift-iap2 · Apache-2.0

/// A reason why bytes are not a report descriptor. An offset is that of the item, in bytes.
public enum HIDDescriptorProblem: Error, Sendable, Hashable {
  /// More bytes than ``HIDDescriptorLimits/byteCount``.
  case tooLong(byteCount: Int)
  /// The item ends after the end of the descriptor.
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

extension HIDDescriptorProblem: CustomStringConvertible {
  /// The problem in words, with its place.
  public var description: String {
    switch self {
    case .tooLong(let byteCount): "\(byteCount) bytes are too many"
    case .truncated(let offset): "an item exceeds the end, at byte \(offset)"
    case .tooManyFields(let offset): "too many fields, at byte \(offset)"
    case .tooManyUsages(let offset): "too many usages, at byte \(offset)"
    case .tooDeep(let offset): "nested too deep, at byte \(offset)"
    case .reportTooLong(let offset): "a report is too long, at byte \(offset)"
    case .badFieldSize(let offset): "a field has no bits, or more than 32, at byte \(offset)"
    case .badLogicalRange(let offset): "the logical minimum is above the maximum, at byte \(offset)"
    case .badUsageRange(let offset): "a range of usages without a last usage of its page, at byte \(offset)"
    case .badReportID(let offset): "a wrong report id, or a field before the first one, at byte \(offset)"
    case .popWithoutPush(let offset): "a pop without a push, at byte \(offset)"
    case .endWithoutCollection(let offset): "the end of a collection without its start, at byte \(offset)"
    case .collectionWithoutEnd(let offset): "a collection without its end, at byte \(offset)"
    }
  }
}
