// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Conformance

/// A check as `--list` shows it.
struct RequirementLine: Encodable {
  var id: String
  var area: String
  var of: [String]
  var title: String
  var requirement: String
  var evidence: String
  var confidence: String
  var strictness: String

  init(_ check: IAP2Conformance.Check) {
    strictness = check.strictness.rawValue
    id = check.id
    area = check.area.rawValue
    of = [Side.accessory, .device].filter(check.subjects.contains).map(CheckTable.word)
    title = check.title
    requirement = check.requirement
    evidence = check.evidence.source
    confidence = check.evidence.confidence.rawValue
  }

  var text: String {
    "\(id)  \(title) (\(of.joined(separator: ", ")))\n        \(requirement)\n        "
      + Colour.dim("\(evidence); \(confidence); \(strictness)")
  }
}

/// A check that was run.
struct OutcomeLine: Encodable {
  var id: String
  var area: String
  var title: String
  var requirement: String
  var evidence: String
  var confidence: String
  var strictness: String
  var verdict: String
  var reason: String?
  var milliseconds: Int
  var capture: String?
  private var kind: Verdict.Kind

  private enum CodingKeys: String, CodingKey {
    case id, area, title, requirement, evidence, confidence, strictness, verdict, reason, milliseconds, capture
  }

  init(_ outcome: Outcome, capture: String?) {
    id = outcome.check.id
    area = outcome.check.area.rawValue
    title = outcome.check.title
    requirement = outcome.check.requirement
    evidence = outcome.check.evidence.source
    confidence = outcome.check.evidence.confidence.rawValue
    strictness = outcome.check.strictness.rawValue
    kind = outcome.verdict.kind
    verdict = kind.rawValue
    reason = outcome.verdict.reason.map(\.printable)
    milliseconds = outcome.milliseconds
    self.capture = capture
  }

  var text: String {
    let word =
      switch kind {
      case .pass: Colour.green("pass        ")
      case .fail: (strictness == Strictness.required.rawValue ? Colour.red : Colour.yellow)("fail        ")
      case .inconclusive: Colour.yellow("inconclusive")
      case .notApplicable: Colour.dim("n/a         ")
      }
    var text = "\(word)  \(id)  \(title)"
    if let reason { text += "\n              \(reason)" }
    if kind == .fail {
      text += "\n              " + Colour.dim("\(requirement) [\(evidence); \(confidence); \(strictness)]")
    }
    return text
  }
}

/// The counts and the advice at the end.
struct SummaryLine: Encodable {
  var checks: Int
  var pass: Int
  var fail: Int
  var inconclusive: Int
  var notApplicable: Int
  /// The failed checks by strictness. Only the first makes the exit status 1.
  var failRequired: Int
  var failRecommended: Int
  var failObserved: Int
  /// The id of the check to repair first; nil if no required check failed.
  var repairFirst: String?
  /// The result in sentences.
  var advice: [String]

  init(_ tally: Tally, _ advice: RepairAdvice, _ more: [String]) {
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

  var text: String {
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
