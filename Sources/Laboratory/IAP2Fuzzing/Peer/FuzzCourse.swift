// swift-iap2 · Apache-2.0

import IAP2Faults

/// What one round of fuzzing does: how far the session is valid, and what is changed then. The same for the same seed and
/// number, on every machine.
public struct FuzzCourse: Sendable, Equatable {
  /// Packets of ours with a payload that go as they are; a session up to identification has about eight.
  public var step: Int
  /// What happens to those that follow, one each; afterwards everything goes as it is again.
  var kinds: [MessageMutation.Kind]
  var seed: UInt64

  public init(seed: UInt64, round: Int) {
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(round))
    step = Int.random(in: 0...20, using: &generator)
    let count = Int.random(in: 1...6, using: &generator)
    kinds = (0..<count).map { _ in
      MessageMutation.Kind.allCases[Int.random(in: 0..<MessageMutation.Kind.allCases.count, using: &generator)]
    }
    self.seed = generator.next()
  }

  /// For people.
  public var text: String { "after \(step) packets: \(kinds.map(\.rawValue).joined(separator: ", "))" }
}
