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

  init(_ check: IAP2Conformance.Check) {
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
      + Colour.dim("\(evidence); \(confidence)")
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
  var verdict: String
  var reason: String?
  var milliseconds: Int
  var capture: String?
  private var kind: Verdict.Kind

  private enum CodingKeys: String, CodingKey {
    case id, area, title, requirement, evidence, confidence, verdict, reason, milliseconds, capture
  }

  init(_ outcome: Outcome, capture: String?) {
    id = outcome.check.id
    area = outcome.check.area.rawValue
    title = outcome.check.title
    requirement = outcome.check.requirement
    evidence = outcome.check.evidence.source
    confidence = outcome.check.evidence.confidence.rawValue
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
      case .fail: Colour.red("fail        ")
      case .inconclusive: Colour.yellow("inconclusive")
      case .notApplicable: Colour.dim("n/a         ")
      }
    var text = "\(word)  \(id)  \(title)"
    if let reason { text += "\n              \(reason)" }
    if kind == .fail { text += "\n              " + Colour.dim("\(requirement) [\(evidence); \(confidence)]") }
    return text
  }
}

/// The last line.
struct SummaryLine: Encodable {
  var checks: Int
  var pass: Int
  var fail: Int
  var inconclusive: Int
  var notApplicable: Int

  init(_ tally: Tally) {
    checks = tally.checks
    pass = tally[.pass]
    fail = tally[.fail]
    inconclusive = tally[.inconclusive]
    notApplicable = tally[.notApplicable]
  }

  var text: String {
    "\(checks) checks: \(pass) passed, \(fail) failed, \(inconclusive) inconclusive, \(notApplicable) not applicable"
  }
}
