// swift-iap2 · Apache-2.0

package import CarPlaySession
package import IAP2

/// A rule of a CarPlay session: what a side must send, and what it must not.
package struct CarPlayRule: Sendable, Hashable {
  /// The weight of a rule.
  package enum Level: String, Sendable, CaseIterable {
    /// Without it the other side ends the session or a part of it.
    case required
    /// The other side can do without it, and something is worse.
    case recommended
    /// Known programs do it. Nothing says that a phone or a car needs it.
    case observed
  }

  /// The id, which is stable: three letters for the part of the session, and a number.
  package let id: String
  /// The side that keeps the rule; nil for both.
  package let side: SessionSide?
  /// The step of the session that fails without it.
  package let step: SessionState
  /// The weight.
  package let level: Level
  /// The rule as one sentence.
  package let text: String
  /// The fact in `Documentation/Protocol`, as page and anchor, with a remark after a colon.
  package let evidence: String
  /// The confidence in the fact; nil if nothing public shows it.
  package let confidence: Confidence?
  /// The change that keeps the rule, as one sentence.
  package let repair: String

  init(
    _ id: String, _ side: SessionSide?, _ step: SessionState, _ level: Level, _ text: String,
    evidence: String, _ confidence: Confidence?, repair: String
  ) {
    (self.id, self.side, self.step, self.level) = (id, side, step, level)
    (self.text, self.evidence, self.confidence, self.repair) = (text, evidence, confidence, repair)
  }

  /// All rules, in the order of a session.
  package static let all: [CarPlayRule] =
    requests + pairing + channels + authSetup + setUp + info + events + streams + content + commands
}

/// A breach of a rule.
package struct CarPlayBreach: Sendable, Hashable {
  /// The rule.
  package var rule: CarPlayRule
  /// The side that broke it.
  package var side: SessionSide
  /// The message, the key, its value and the expected one.
  package var problem: ValueProblem
}
