// swift-iap2 · Apache-2.0

/// The usages of a field of a report, in the order of the descriptor.
///
/// A range of usages stays a range, and the fields of one main item share one list. So a list takes memory in proportion to
/// the bytes of the descriptor, not to the number of its usages.
public struct HIDUsageList: Sendable, Equatable, RandomAccessCollection {
  /// Consecutive usages of one page.
  private struct Run: Sendable, Equatable {
    var first: HIDUsage
    /// The position of the first usage in the whole list.
    var start: Int32
  }

  /// The memory that each run takes, in bytes.
  static var runByteCount: Int { MemoryLayout<Run>.stride }

  private var runs: [Run] = []
  /// The part of the runs that belongs to this list. A list that shares runs may be a single usage of them.
  private var lower: Int32 = 0
  private var upper: Int32 = 0

  /// Creates an empty list.
  init() {}

  /// The number of stored runs, including those that only other fields of the main item use.
  package var runCount: Int { runs.count }

  /// Appends the usages from `first` to the usage `last` of the same page.
  ///
  /// - Precondition: `first.number <= last`, and the list is not a part of another one.
  mutating func append(_ first: HIDUsage, through last: UInt16) {
    if let run = runs.last, run.first.page == first.page,
      Int32(run.first.number) + upper - run.start == Int32(first.number)
    {
      // The usages continue the last run.
    } else {
      runs.append(Run(first: first, start: upper))
    }
    upper += Int32(last - first.number) + 1
  }

  /// Returns the list of the usage at a position alone, which shares the runs of this list.
  func only(at position: Int) -> HIDUsageList {
    var list = self
    list.lower = lower + Int32(position)
    list.upper = list.lower + 1
    return list
  }

  // MARK: Collection

  /// The position of the first usage, 0.
  public var startIndex: Int { 0 }
  /// The position after the last usage.
  public var endIndex: Int { Int(upper - lower) }

  /// The usage at a position. The time grows with the logarithm of the ranges.
  public subscript(position: Int) -> HIDUsage {
    let place = lower + Int32(position)
    precondition(position >= 0 && place < upper)
    // The last run that starts at or before the place.
    var low = 0
    var high = runs.count
    while high - low > 1 {
      let middle = (low + high) / 2
      if runs[middle].start <= place { low = middle } else { high = middle }
    }
    let run = runs[low]
    return HIDUsage(page: run.first.page, run.first.number + UInt16(place - run.start))
  }

  /// Returns the first position of a usage; nil if the list does not contain it. The time depends on the ranges of the
  /// list, not on the usages in them.
  public func firstIndex(of usage: HIDUsage) -> Int? {
    for (index, run) in runs.enumerated() where run.first.page == usage.page && run.first.number <= usage.number {
      let end = index + 1 < runs.count ? runs[index + 1].start : upper
      let place = run.start + Int32(usage.number - run.first.number)
      if place < end, lower <= place, place < upper { return Int(place - lower) }
    }
    return nil
  }

  /// Returns whether the list contains a usage.
  public func contains(_ usage: HIDUsage) -> Bool { firstIndex(of: usage) != nil }

  /// Returns whether two lists have the same usages in the same order.
  public static func == (a: Self, b: Self) -> Bool {
    a.count == b.count && ((a.lower == b.lower && a.runs == b.runs) || a.elementsEqual(b))
  }
}
