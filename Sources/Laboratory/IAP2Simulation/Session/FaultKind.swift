// swift-iap2 · Apache-2.0

package import IAP2Faults

/// A kind of fault that a simulation may draw. The seed determines the probability or duration in each session.
public enum FaultKind: String, Sendable, Hashable, CaseIterable {
  /// A fault of one direction. `LinkConditions` and `FaultPlan.Stall` in IAP2Faults describe each.
  case loss, duplication, reordering, corruption, truncation, splitting, coalescing, delay, jitter, rate, stall
  /// A cable that is pulled at a random time, which both transports report.
  case disconnect
  /// A cable that is pulled at a random time without a report, in one direction or in both.
  case halfOpen = "half-open"
  /// A disconnect notification of the platform that is lost, or that arrives without a disconnect.
  case notice
  /// An interruption of the current that the car offers, at most 2 s long.
  case power

  /// Whether the fault can change or truncate bytes.
  var damages: Bool { self == .corruption || self == .truncation }

  /// Returns the kinds that a text names: raw values separated by commas, `all`, or `none`. Returns nil for any other
  /// text.
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
  /// Returns random conditions of these kinds for one direction. Each kind is present in half of the cases, so that
  /// most sessions have some kinds and few sessions have all.
  ///
  /// Probabilities are at most 0.05, which a link with the usual thirty retransmissions survives. Delays and jitter are
  /// shorter than the wait between the probes of ``Lifecycle``.
  package static func drawn(_ kinds: Set<FaultKind>, using generator: inout SeededGenerator) -> LinkConditions {
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
  /// Returns 0 in half of the cases, otherwise a probability from 0.001 to 0.05 with at most three decimals, so that
  /// its text is short.
  fileprivate mutating func share() -> Double {
    chance(0.5) ? Double(Int.random(in: 1...50, using: &self)) / 1000 : 0
  }
}
