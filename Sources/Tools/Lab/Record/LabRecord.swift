// swift-iap2 · Apache-2.0

/// The entries of a session in their order. Old ones are dropped above a limit, so that a long session needs no more
/// memory than a short one.
struct LabRecord: Sendable {
  private var entries: [LabEntry] = []
  /// The number of the first entry that is kept.
  private(set) var first = 0

  /// The number of entries that are kept. Ours.
  static let maximumCount = 200_000
  /// The bytes of entries that are kept. Ours.
  static let maximumByteCount = 256 << 20
  /// The share of entries that is dropped at once, because moving the others has a cost.
  private static let droppedShare = 10
  private var byteCount = 0

  /// The number of the next entry.
  var end: Int { first + entries.count }

  mutating func add(_ new: [LabEntry]) {
    entries += new
    byteCount += new.reduce(0) { $0 + $1.byteCount }
    while entries.count > Self.maximumCount || byteCount > Self.maximumByteCount {
      let count = max(1, entries.count - Self.maximumCount, entries.count / Self.droppedShare)
      byteCount -= entries.prefix(count).reduce(0) { $0 + $1.byteCount }
      entries.removeFirst(count)
      first += count
    }
  }

  /// Returns an entry; nil for one that was dropped, or that is not there yet.
  subscript(number: Int) -> LabEntry? {
    number >= first && number < end ? entries[number - first] : nil
  }

  /// Returns at most a number of entries from a number on.
  func next(_ number: Int, limit: Int) -> [NumberedEntry] {
    let start = max(number, first)
    return entries.dropFirst(start - first).prefix(limit).enumerated().map {
      NumberedEntry(number: start + $0, entry: $1)
    }
  }
}
