// swift-iap2 · Apache-2.0

/// An alignment of two sequences: E. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
///
/// The shortest script of removals and insertions is found if it has at most ``maximumEdits``. If more are needed, the
/// path that reached furthest is taken, and the search restarts at its end. The result still names every element once
/// and in order, but may have more edits than needed. So the time stays within ``maximumEdits`` times the length of
/// both sequences, and the memory within the square of ``maximumEdits``.
package enum SequenceAlignment {
  /// An element of both sequences, of the first, or of the second, as indices.
  package struct Pair: Equatable {
    /// The index in the first sequence; nil for an element of the second alone.
    package var a: Int?
    /// The index in the second sequence.
    package var b: Int?
  }

  /// The most edits of a search.
  package static let maximumEdits = 512

  /// Returns the pairs of equal elements, and every other element alone, in the order of both sequences.
  package static func pairs(_ a: [Int], _ b: [Int], maximumEdits: Int = maximumEdits) -> [Pair] {
    var pairs: [Pair] = []
    pairs.reserveCapacity(max(a.count, b.count))
    var search = Search(a: a, b: b)
    while search.startA < a.count, search.startB < b.count { search.goOn(maximumEdits, &pairs) }
    pairs += (search.startA..<a.count).map { Pair(a: $0) }
    pairs += (search.startB..<b.count).map { Pair(b: $0) }
    return pairs
  }

  private struct Search {
    let a: [Int]
    let b: [Int]
    var startA = 0
    var startB = 0
    /// For each number of edits: how far each diagonal reached in the first sequence. With n edits the diagonals are
    /// -n, -n + 2, … n.
    private var furthest: [[Int]] = []

    /// The value of a diagonal that cannot be reached.
    private static let nowhere = -1

    init(a: [Int], b: [Int]) {
      self.a = a
      self.b = b
    }

    /// Aligns from the start until both sequences end or the edits are used up, and moves the start there.
    mutating func goOn(_ maximumEdits: Int, _ pairs: inout [Pair]) {
      furthest.removeAll(keepingCapacity: true)
      for edits in 0...maximumEdits {
        var row = [Int](repeating: Self.nowhere, count: edits + 1)
        for index in 0...edits {
          guard let begin = begin(edits, index) else { continue }
          row[index] = slide(begin.x, diagonal: 2 * index - edits)
        }
        furthest.append(row)
        if let end = row.indices.first(where: { isEnd(row[$0], diagonal: 2 * $0 - edits) }) {
          return take(edits, end, &pairs)
        }
      }
      let last = furthest[maximumEdits]
      let best = last.indices.filter { last[$0] != Self.nowhere }.max {
        2 * (last[$0] - $0) < 2 * (last[$1] - $1)
      }
      take(maximumEdits, best ?? 0, &pairs)
    }

    private var countA: Int { a.count - startA }
    private var countB: Int { b.count - startB }

    private func isEnd(_ x: Int, diagonal: Int) -> Bool { x == countA && x - diagonal == countB }

    /// Returns where a diagonal begins with this number of edits: after an insertion or a removal, whichever reaches
    /// further.
    private func begin(_ edits: Int, _ index: Int) -> (x: Int, isInsertion: Bool)? {
      guard edits > 0 else { return (0, false) }
      let before = furthest[edits - 1]
      let diagonal = 2 * index - edits
      var inserted = index < edits ? before[index] : Self.nowhere
      if inserted != Self.nowhere, inserted - diagonal > countB { inserted = Self.nowhere }
      var removed = index > 0 && before[index - 1] != Self.nowhere ? before[index - 1] + 1 : Self.nowhere
      if removed > countA { removed = Self.nowhere }
      guard max(inserted, removed) != Self.nowhere else { return nil }
      return inserted > removed ? (inserted, true) : (removed, false)
    }

    private func slide(_ begin: Int, diagonal: Int) -> Int {
      var x = begin
      while x < countA, x - diagonal < countB, a[startA + x] == b[startB + x - diagonal] { x += 1 }
      return x
    }

    /// Follows the path backwards from an end to the start and appends its pairs.
    private mutating func take(_ edits: Int, _ index: Int, _ pairs: inout [Pair]) {
      var backwards: [Pair] = []
      var (edits, index) = (edits, index)
      let endA = furthest[edits][index]
      let endB = endA - (2 * index - edits)
      while let begin = begin(edits, index) {
        let diagonal = 2 * index - edits
        for x in stride(from: furthest[edits][index] - 1, through: begin.x, by: -1) {
          backwards.append(Pair(a: startA + x, b: startB + x - diagonal))
        }
        guard edits > 0 else { break }
        if begin.isInsertion {
          backwards.append(Pair(b: startB + begin.x - diagonal - 1))
        } else {
          backwards.append(Pair(a: startA + begin.x - 1))
          index -= 1
        }
        edits -= 1
      }
      pairs += backwards.reversed()
      startA += endA
      startB += endB
    }
  }
}

extension SequenceAlignment {
  /// Returns pairs of equal elements. Between two equal pairs, remaining elements of the same kind are paired too. Of
  /// the elements without a counterpart, those of the first sequence come before those of the second.
  package static func pairs(_ a: [Int], kinds kindsA: [Int], _ b: [Int], kinds kindsB: [Int]) -> [Pair] {
    var result: [Pair] = []
    for (gap, end) in gaps(of: pairs(a, b)) {
      let (inA, inB) = (gap.compactMap(\.a), gap.compactMap(\.b))
      for (inner, end) in gaps(of: pairs(inA.map { kindsA[$0] }, inB.map { kindsB[$0] })) {
        result += inner.compactMap { $0.a.map { Pair(a: inA[$0]) } }
        result += inner.compactMap { $0.b.map { Pair(b: inB[$0]) } }
        if let end { result.append(Pair(a: end.a.map { inA[$0] }, b: end.b.map { inB[$0] })) }
      }
      if let end { result.append(end) }
    }
    return result
  }

  /// Returns the runs of elements without a counterpart, each with the pair that ends it; the last run has none.
  private static func gaps(of pairs: [Pair]) -> [(gap: [Pair], end: Pair?)] {
    var gaps: [(gap: [Pair], end: Pair?)] = []
    var gap: [Pair] = []
    for pair in pairs {
      if pair.a != nil, pair.b != nil {
        gaps.append((gap, pair))
        gap = []
      } else {
        gap.append(pair)
      }
    }
    return gaps + [(gap, nil)]
  }
}
