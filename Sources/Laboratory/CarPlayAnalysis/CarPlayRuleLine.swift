// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2

/// A rule of CarPlay sessions for JSON.
package struct CarPlayRuleLine: Encodable {
  var rule: String
  var stage: String
  /// `phone` or `headUnit`; absent for both.
  var side: String?
  var level: String
  var text: String
  var evidence: String
  var confidence: String
  var check: String

  /// Creates the line of a rule.
  package init(_ rule: CarPlayRule) {
    self.rule = rule.id
    stage = rule.step.rawValue
    side = rule.side.map { $0 == .phone ? "phone" : "headUnit" }
    level = rule.level.rawValue
    text = rule.text
    evidence = rule.evidence
    confidence = rule.confidence?.rawValue ?? "unverified"
    check = rule.repair
  }
}
