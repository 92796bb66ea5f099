// swift-iap2 · Apache-2.0

import IAP2Faults

/// The plan of one round of fuzzing a peer: how long the session stays valid, and which mutations follow. The same seed
/// and round give the same plan on every machine.
public struct FuzzSchedule: Sendable, Equatable {
  /// The number of packets with a payload that are sent unchanged. A session up to identification has about eight.
  public var step: Int
  /// The mutations of the packets that follow, one each. Later packets are unchanged.
  var kinds: [MessageMutation.Kind]
  var seed: UInt64

  /// Creates the plan of a round.
  public init(seed: UInt64, round: Int) {
    var generator = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(round))
    step = Int.random(in: 0...20, using: &generator)
    let count = Int.random(in: 1...6, using: &generator)
    kinds = (0..<count).map { _ in
      MessageMutation.Kind.allCases[Int.random(in: 0..<MessageMutation.Kind.allCases.count, using: &generator)]
    }
    self.seed = generator.next()
  }

  /// The plan in English.
  public var text: String { "after \(step) packets: \(kinds.map(\.rawValue).joined(separator: ", "))" }
}
