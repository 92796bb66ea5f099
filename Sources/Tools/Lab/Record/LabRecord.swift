// swift-iap2 · Apache-2.0

import IAP2Capture

/// The entries of a session in their order. Old ones are dropped above a limit, so that a long session needs no more
/// memory than a short one.
struct LabRecord: Sendable {
  private var entries: [LabEntry] = []
  /// The number of the first entry that is kept.
  private(set) var first = 0

  /// The number of entries that are kept: some hours of a session at its own speed.
  static let maximumCount = 200_000
  /// The bytes of entries that are kept: a hundred times those of an hour with a car.
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

/// A filter of the page: the language of `iap2 decode --filter` for what was decoded from bytes. Other entries match if
/// their name or text has the words.
struct LabFilter: Sendable {
  private let filter: FindingFilter
  private let words: String

  init(_ text: String) throws(FilterError) {
    do { filter = try FindingFilter(parsing: text) } catch {
      // A word that no field or message has may be the name of a method.
      guard case .unknownWord = error.reason, text.allSatisfy({ $0.isLetter || $0.isNumber || "()_:.".contains($0) })
      else { throw error }
      filter = try FindingFilter(parsing: "\"\(text)\"")
    }
    words = text.trimming { $0 == "\"" }.lowercased()
  }

  func matches(_ entry: LabEntry) -> Bool {
    if case .line(let line) = entry.detail { return filter.matches([line]) }
    return entry.name.lowercased().contains(words) || entry.text.lowercased().contains(words)
  }
}

extension String {
  fileprivate func trimming(_ isTrimmed: (Character) -> Bool) -> String {
    let start = firstIndex { !isTrimmed($0) } ?? endIndex
    let end = lastIndex { !isTrimmed($0) }.map(index(after:)) ?? endIndex
    return start < end ? String(self[start..<end]) : ""
  }
}
