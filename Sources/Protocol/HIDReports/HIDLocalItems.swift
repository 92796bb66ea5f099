// swift-iap2 · Apache-2.0

/// The usages that stand before a main item and apply to it alone.
struct HIDLocalItems {
  /// A usage, whose page is its own in four bytes.
  private struct LocalUsage {
    var page: UInt16?
    var number: UInt16

    init(_ item: HIDItem) {
      page = item.size == 4 ? UInt16(truncatingIfNeeded: item.unsigned >> 16) : nil
      number = UInt16(truncatingIfNeeded: item.unsigned)
    }
  }

  private var ranges: [(page: UInt16?, numbers: ClosedRange<UInt16>)] = []
  private var minimum: LocalUsage?
  private var maximum: LocalUsage?
  /// Whether a delimiter is open, and whether a usage has followed it. The other usages in it are alternatives to the
  /// first.
  private var isDelimited = false
  private var hasAlternative = false

  /// Processes a local item. Tags other than those of usages and delimiters change nothing.
  ///
  /// - Parameters:
  ///   - item: The item.
  ///   - page: The page in force. It applies to usages without a page of their own; 0 if no page was named.
  ///   - limit: The largest number of usages and ranges of usages.
  mutating func take(_ item: HIDItem, page: UInt16, limit: Int) throws(HIDDescriptorProblem) {
    let usage = LocalUsage(item)
    var ended: (page: UInt16?, numbers: ClosedRange<UInt16>)?
    switch item.tag {
    case HIDItemTag.usage: ended = (usage.page, usage.number...usage.number)
    case HIDItemTag.usageMinimum:
      minimum = usage
      ended = try endRange(item)
    case HIDItemTag.usageMaximum:
      maximum = usage
      ended = try endRange(item)
    case HIDItemTag.delimiter: (isDelimited, hasAlternative) = (item.unsigned == 1, false)
    default: break
    }
    guard let ended else { return }
    if isDelimited {
      guard !hasAlternative else { return }
      hasAlternative = true
    }
    guard ranges.count < limit else { throw .tooManyUsages(offset: item.offset) }
    ranges.append((ended.page ?? (page == 0 ? nil : page), ended.numbers))
  }

  /// Returns the range if its minimum and its maximum are both known; nil otherwise.
  private mutating func endRange(
    _ item: HIDItem
  ) throws(HIDDescriptorProblem) -> (page: UInt16?, numbers: ClosedRange<UInt16>)? {
    guard let first = minimum, let last = maximum else { return nil }
    // A short minimum and a long maximum are on the page of the long one.
    let page = first.page ?? last.page
    guard first.number <= last.number, page == last.page || last.page == nil else {
      throw .badUsageRange(offset: item.offset)
    }
    (minimum, maximum) = (nil, nil)
    return (page, first.number...last.number)
  }

  /// Returns the usages.
  ///
  /// - Parameter page: The page in force at the main item, for usages that no page precedes. The others are on the page
  ///   in force where they stand. Source: CarPlaySession.md#hid-usage-page (medium).
  func usages(page: UInt16) -> HIDUsageList {
    var list = HIDUsageList()
    for range in ranges {
      list.append(HIDUsage(page: range.page ?? page, range.numbers.lowerBound), through: range.numbers.upperBound)
    }
    return list
  }
}
