// swift-iap2 · Apache-2.0

/// The usages that stand before a main item and apply to it alone.
struct HIDLocalItems {
  /// A usage whose page may be that of the main item.
  private struct LocalUsage {
    var page: UInt16?
    var id: UInt16

    init(_ item: HIDItem) {
      page = item.size == 4 ? UInt16(truncatingIfNeeded: item.unsigned >> 16) : nil
      id = UInt16(truncatingIfNeeded: item.unsigned)
    }
  }

  private var ranges: [(page: UInt16?, ids: ClosedRange<UInt16>)] = []
  private var minimum: LocalUsage?
  private var maximum: LocalUsage?
  /// Whether a delimiter is open, and whether a usage has followed it. The other usages in it are alternatives to the
  /// first.
  private var isDelimited = false
  private var hasAlternative = false

  /// Processes a local item. Tags other than those of usages and delimiters change nothing.
  mutating func take(_ item: HIDItem) throws(HIDDescriptorProblem) {
    switch item.tag {
    case HIDItemTag.usage:
      let usage = LocalUsage(item)
      try append(usage.page, usage.id...usage.id, item)
    case HIDItemTag.usageMinimum:
      minimum = LocalUsage(item)
      try endRange(item)
    case HIDItemTag.usageMaximum:
      maximum = LocalUsage(item)
      try endRange(item)
    case HIDItemTag.delimiter: (isDelimited, hasAlternative) = (item.unsigned == 1, false)
    default: break
    }
  }

  private mutating func endRange(_ item: HIDItem) throws(HIDDescriptorProblem) {
    guard let first = minimum, let last = maximum else { return }
    // A short minimum and a long maximum are on the page of the long one.
    let page = first.page ?? last.page
    guard first.id <= last.id, page == last.page || last.page == nil else { throw .badUsageRange(offset: item.offset) }
    (minimum, maximum) = (nil, nil)
    try append(page, first.id...last.id, item)
  }

  private mutating func append(
    _ page: UInt16?, _ ids: ClosedRange<UInt16>, _ item: HIDItem
  ) throws(HIDDescriptorProblem) {
    if isDelimited {
      guard !hasAlternative else { return }
      hasAlternative = true
    }
    guard ranges.count < HIDDescriptorLimits.usageRangeCount else { throw .tooManyUsages(offset: item.offset) }
    ranges.append((page, ids))
  }

  /// Returns the usages. The page of a short usage is the one in force at the main item.
  func usages(page: UInt16) -> [HIDDescriptor.UsageRange] {
    ranges.map { HIDDescriptor.UsageRange(page: $0.page ?? page, ids: $0.ids) }
  }
}

extension [HIDDescriptor.UsageRange] {
  /// Returns the usage at an index, counted through all ranges; nil after the last one.
  func usage(at index: Int) -> HIDDescriptor.Usage? {
    var rest = index
    for range in self {
      if rest < range.ids.count { return HIDDescriptor.Usage(range.page, range.ids.lowerBound + UInt16(rest)) }
      rest -= range.ids.count
    }
    return nil
  }
}
