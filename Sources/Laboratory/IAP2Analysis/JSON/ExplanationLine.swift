// swift-iap2 · Apache-2.0

import IAP2

/// An explanation for JSON.
package struct ExplanationLine: Encodable {
  var connection: Int
  var transport: String
  var point: String
  var stage: String
  var text: String
  var reached: [String]
  var complete: Bool
  var lastRecord: Int?
  var lastTime: Double?
  var last: String?
  var lastFrom: String?
  var turn: String
  var expected: [String]
  var details: [String]
  var silence: Double?
  var attempts: Int
  var errors: Int
  /// The broken rule or the owed answer that explains the connection; absent if no rule does.
  var rule: RuleLine?
  var causes: [CauseLine]

  /// Creates the line of an explanation.
  package init(_ explanation: Explanation) {
    connection = explanation.connection
    transport = ExplanationWords.transport(explanation.history)
    point = explanation.point.id
    stage = explanation.stage.rawValue
    text = explanation.text
    reached = explanation.reached.map(\.rawValue)
    complete = explanation.point.isComplete
    lastRecord = explanation.last?.record
    lastTime = explanation.last?.time
    last = explanation.last?.step.name
    lastFrom = explanation.last?.from?.rawValue
    turn = explanation.turn.ownerName
    expected = explanation.turn.steps.map(\.name)
    details = ExplanationWords.details(explanation)
    silence = explanation.history.silence
    attempts = explanation.history.attempts
    errors = explanation.history.errors
    rule = explanation.finding.map(RuleLine.init)
    causes = explanation.causes.map(CauseLine.init)
  }
}

/// A broken rule or an owed answer, for JSON.
struct RuleLine: Encodable {
  var id: String
  var text: String
  /// The side that broke the rule or owes the answer.
  var side: String
  /// Whether an answer is owed, or else the rule is broken.
  var owed: Bool
  var step: String
  var record: Int
  var detail: String
  var evidence: String
  var confidence: String
  var check: String

  init(_ finding: RuleFinding) {
    id = finding.rule.id
    text = finding.rule.text
    side = finding.side.rawValue
    owed = finding.isOwed
    step = finding.step.name
    record = finding.record
    detail = finding.detail
    evidence = finding.rule.evidence
    confidence = finding.rule.confidence.rawValue
    check = finding.repair ?? finding.rule.repair
  }
}

/// A stop point of the list.
package struct StopPointLine: Encodable {
  var point: String
  /// The stage; absent if the point can be in any stage.
  var stage: String?
  var text: String
  var complete: Bool
  var turn: String
  var expected: [String]
  var causes: [CauseLine]

  /// Creates the line of a stop point.
  package init(_ point: StopPoint) {
    self.point = point.id
    stage = point.stage?.rawValue
    text = point.text
    complete = point.isComplete
    turn = point.turn.ownerName
    expected = point.turn.steps.map(\.name)
    causes = point.causes.map(CauseLine.init)
  }
}

/// A rule of the protocol, for JSON.
package struct ListedRuleLine: Encodable {
  var rule: String
  var stage: String
  var text: String
  var evidence: String
  var confidence: String
  var check: String

  /// Creates the line of a rule.
  package init(_ rule: SessionRule) {
    self.rule = rule.id
    stage = rule.stage.rawValue
    text = rule.text
    evidence = rule.evidence
    confidence = rule.confidence.rawValue
    check = rule.repair
  }
}

/// A known cause of a stop, for JSON.
package struct CauseLine: Encodable {
  var id: String
  var text: String
  var evidence: String
  /// `high`, `medium`, `low` or `unverified`.
  var confidence: String
  var check: String

  /// Creates the line of a cause.
  package init(_ cause: KnownCause) {
    id = cause.id
    text = cause.text
    evidence = cause.evidence
    confidence = ExplanationWords.confidence(cause)
    check = cause.check
  }
}
