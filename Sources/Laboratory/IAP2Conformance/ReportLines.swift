// swift-iap2 · Apache-2.0

import IAP2

/// The properties of a check for JSON.
private struct CheckFields: Encodable {
  var id: String
  var area: String
  var title: String
  var requirement: String
  var evidence: String
  var confidence: String
  var strictness: String

  init(_ check: Check) {
    id = check.id
    area = check.area.rawValue
    title = check.title
    requirement = check.requirement
    evidence = check.evidence.source
    confidence = check.evidence.confidence.rawValue
    strictness = check.strictness.rawValue
  }
}

/// A check for JSON.
package struct RequirementLine: Encodable {
  private let check: CheckFields
  private let of: [String]

  private enum CodingKeys: CodingKey { case of }

  /// Creates the line of a check.
  package init(_ check: Check) {
    self.check = CheckFields(check)
    of = check.subjectWords
  }

  package func encode(to encoder: any Encoder) throws {
    try check.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(of, forKey: .of)
  }
}

extension Check {
  /// The names of the sides that the check is about.
  package var subjectWords: [String] { [Side.accessory, .device].filter(subjects.contains).map(\.roleName) }
}

/// The outcome of a check for JSON.
package struct OutcomeLine: Encodable {
  private let check: CheckFields
  private let verdict: String
  private let reason: String?
  private let milliseconds: Int
  private let capture: String?

  private enum CodingKeys: CodingKey { case verdict, reason, milliseconds, capture }

  /// Creates the line of an outcome.
  ///
  /// - Parameter capture: The path of the capture; nil without one.
  package init(_ outcome: Outcome, capture: String?) {
    check = CheckFields(outcome.check)
    verdict = outcome.verdict.kind.rawValue
    reason = outcome.verdict.reason.map(\.printable)
    milliseconds = outcome.milliseconds
    self.capture = capture
  }

  package func encode(to encoder: any Encoder) throws {
    try check.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(verdict, forKey: .verdict)
    try fields.encodeIfPresent(reason, forKey: .reason)
    try fields.encode(milliseconds, forKey: .milliseconds)
    try fields.encodeIfPresent(capture, forKey: .capture)
  }
}

/// The absence of a peer for JSON.
package struct AbsenceLine: Encodable {
  private let event = "peerGone"
  private let after: String
  private let sent: String
  private let cameBack: Bool
  private let notPlayed: Int

  /// Creates the line of an absence.
  package init(_ absence: PeerAbsence) {
    (after, sent, cameBack, notPlayed) = (absence.after, absence.sent, absence.cameBack, absence.notPlayed)
  }
}

/// The counts of a run and its result in sentences.
package struct SummaryLine: Encodable {
  var checks: Int
  var pass: Int
  var fail: Int
  var inconclusive: Int
  var notApplicable: Int
  /// The failed checks by strictness. Only the first makes a run fail.
  var failRequired: Int
  var failRecommended: Int
  var failObserved: Int
  /// The id of the check to repair first; nil if no required check failed.
  var repairFirst: String?
  /// The result in sentences.
  var advice: [String]

  /// Creates the line of a run.
  ///
  /// - Parameter more: Sentences behind those of the advice.
  package init(_ tally: Tally, _ advice: RepairAdvice, _ more: [String]) {
    failRequired = tally.failures(.required)
    failRecommended = tally.failures(.recommended)
    failObserved = tally.failures(.observed)
    repairFirst = advice.first?.check.id
    self.advice = (advice.sentences + more).map(\.printable)
    checks = tally.checks
    pass = tally[.pass]
    fail = tally[.fail]
    inconclusive = tally[.inconclusive]
    notApplicable = tally[.notApplicable]
  }

  /// The counts and the advice as lines of text.
  package var text: String {
    var failed = "\(fail) failed"
    if fail > failRequired {
      let kinds = [(failRequired, "required"), (failRecommended, "recommended"), (failObserved, "observed")]
      failed += " (\(kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }.joined(separator: ", ")))"
    }
    let counts =
      "\(checks) checks: \(pass) passed, \(failed), \(inconclusive) inconclusive, \(notApplicable) not applicable"
    return ([counts] + advice).joined(separator: "\n")
  }
}
