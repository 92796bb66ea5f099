// swift-iap2 · Apache-2.0

import IAP2Faults

/// A kind of fault that a simulation may draw; how much of it each session gets is the seed's.
public enum FaultKind: String, Sendable, Hashable, CaseIterable {
  case loss, duplication, reordering, corruption, truncation, splitting, coalescing, delay, jitter, rate, stall
  /// The cable is pulled, at a random moment.
  case disconnect
  /// It is pulled, and nobody is told; in one direction or in both.
  case halfOpen = "half-open"
  /// The platform loses its notices, or sends one for nothing.
  case notice
  /// The phone's supply stops for a moment.
  case power

  /// What can change bytes, or cut them short.
  var damages: Bool { self == .corruption || self == .truncation }

  /// Names separated by commas, `all` or `none`; nil for anything else.
  public static func parse(_ text: String) -> Set<FaultKind>? {
    switch text {
    case "all": return Set(allCases)
    case "none": return []
    default:
      var kinds: Set<FaultKind> = []
      for name in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let kind = FaultKind(rawValue: String(name)) else { return nil }
        kinds.insert(kind)
      }
      return kinds
    }
  }
}

extension LinkConditions {
  /// One direction's share of these kinds. Each is there in half of the cases, so that most sessions have some and few
  /// have all.
  ///
  /// Probabilities stay at a twentieth of the packets, which a link with the usual thirty retransmissions survives;
  /// delays and jitter stay below what the probes of ``Lifecycle`` wait.
  static func drawn(_ kinds: Set<FaultKind>, using generator: inout SeededGenerator) -> LinkConditions {
    var conditions = FaultPlan.Direction.transparent
    for (kind, place) in probabilities {
      let value = generator.share()
      if kinds.contains(kind) { conditions[keyPath: place] = value }
    }
    let delay = generator.chance(0.5) ? Int.random(in: 1...40, using: &generator) : 0
    if kinds.contains(.delay) { conditions.delayMilliseconds = delay }
    let jitter = generator.chance(0.5) ? Int.random(in: 1...20, using: &generator) : 0
    if kinds.contains(.jitter) { conditions.jitterMilliseconds = jitter }
    let rate = generator.chance(0.5) ? Int.random(in: 20_000...2_000_000, using: &generator) : nil
    if kinds.contains(.rate) { conditions.bytesPerSecond = rate }
    return conditions
  }

  private static let probabilities: [(FaultKind, any WritableKeyPath<LinkConditions, Double> & Sendable)] = [
    (.loss, \.loss), (.duplication, \.duplication), (.reordering, \.reordering), (.corruption, \.corruption),
    (.truncation, \.truncation), (.splitting, \.splitting), (.coalescing, \.coalescing),
  ]
}

extension SeededGenerator {
  /// Zero half of the time, else up to a twentieth, in thousandths so that its text is short.
  fileprivate mutating func share() -> Double {
    chance(0.5) ? Double(Int.random(in: 1...50, using: &self)) / 1000 : 0
  }
}
