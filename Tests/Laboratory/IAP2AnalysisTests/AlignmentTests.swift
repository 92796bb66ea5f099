// swift-iap2 · Apache-2.0

import Testing

@testable import IAP2Analysis
@testable import IAP2Capture

@Suite struct AlignmentTests {
  private struct Random {
    var state: UInt64

    mutating func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }

    mutating func sequence(_ count: Int, of values: Int) -> [Int] { (0..<count).map { _ in next(values) } }
  }

  /// Checks that every element appears once and in order, and that only equal elements are paired.
  private static func expectValid(_ pairs: [SequenceAlignment.Pair], _ a: [Int], _ b: [Int], _ comment: Comment) {
    #expect(pairs.compactMap(\.a) == Array(a.indices), comment)
    #expect(pairs.compactMap(\.b) == Array(b.indices), comment)
    let isTrue = pairs.allSatisfy { pair in
      guard let inA = pair.a, let inB = pair.b else { return true }
      return a[inA] == b[inB]
    }
    #expect(isTrue, comment)
  }

  /// Returns the length of a longest common subsequence, by dynamic programming.
  private static func commonCount(_ a: [Int], _ b: [Int]) -> Int {
    var row = [Int](repeating: 0, count: b.count + 1)
    for x in a {
      var corner = 0
      for (index, y) in b.enumerated() {
        let above = row[index + 1]
        row[index + 1] = x == y ? corner + 1 : max(above, row[index])
        corner = above
      }
    }
    return row.last ?? 0
  }

  @Test(arguments: 1...200 as ClosedRange<UInt64>) func alignmentsAreMinimal(seed: UInt64) {
    var random = Random(state: seed &* 0x9E37_79B9_7F4A_7C15)
    let (countA, countB) = (random.next(30), random.next(30))
    let values = 1 + random.next(6)
    let (a, b) = (random.sequence(countA, of: values), random.sequence(countB, of: values))
    let best = SequenceAlignment.pairs(a, b)
    Self.expectValid(best, a, b, "seed \(seed)")
    #expect(best.count { $0.a != nil && $0.b != nil } == Self.commonCount(a, b), "seed \(seed): \(a) \(b)")
    // A search that is cut short still gives an alignment.
    for limit in [1, 2, 5] {
      Self.expectValid(SequenceAlignment.pairs(a, b, maximumEdits: limit), a, b, "seed \(seed), \(limit) edits")
    }
  }

  @Test func longSequencesWithFewEditsAreAlignedExactly() {
    var random = Random(state: 7)
    let a = random.sequence(100_000, of: 1000)
    var b = a
    var expected = 0
    for place in stride(from: 90_000, to: 0, by: -9000) {
      b.insert(-1, at: place)
      b.remove(at: place + 500)
      expected += 2
    }
    let pairs = SequenceAlignment.pairs(a, b)
    Self.expectValid(pairs, a, b, "long")
    #expect(pairs.count { $0.a == nil || $0.b == nil } == expected)
  }

  @Test func longSequencesWithoutEqualElementsAreAlignedFast() {
    let a = [Int](repeating: 1, count: 10_000)
    let b = [Int](repeating: 2, count: 10_000)
    let pairs = SequenceAlignment.pairs(a, b, maximumEdits: 64)
    Self.expectValid(pairs, a, b, "nothing in common")
    #expect(pairs.count == 20_000)
  }

  @Test func elementsOfOneKindAreAlignedBetweenEqualElements() {
    // 10 and 20 have the kinds 1 and 2; 5 is in both sequences.
    let pairs = SequenceAlignment.pairs([5, 10, 20, 5], kinds: [0, 1, 2, 0], [5, 21, 30, 5], kinds: [0, 2, 3, 0])
    let expected: [(Int?, Int?)] = [(0, 0), (1, nil), (2, 1), (nil, 2), (3, 3)]
    #expect(pairs == expected.map { SequenceAlignment.Pair(a: $0.0, b: $0.1) })
  }
}
