// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// A count of checks by verdict.
public struct Tally: Sendable, Hashable {
  /// The number of checks.
  public private(set) var checks = 0
  /// The number of checks for each kind of verdict; kinds without a check have no entry.
  public private(set) var counts: [Verdict.Kind: Int] = [:]
  /// The number of failed checks for each strictness; a strictness without a failed check has no entry.
  public private(set) var failures: [Strictness: Int] = [:]

  /// Creates a count of no checks.
  public init() {}

  /// Creates a count of the verdicts of these outcomes.
  public init(_ outcomes: [Outcome]) { for outcome in outcomes { add(outcome) } }

  /// Counts the outcome of one check.
  public mutating func add(_ outcome: Outcome) {
    checks += 1
    counts[outcome.verdict.kind, default: 0] += 1
    if outcome.verdict.kind == .fail { failures[outcome.check.strictness, default: 0] += 1 }
  }

  /// The number of checks with this kind of verdict.
  public subscript(kind: Verdict.Kind) -> Int { counts[kind, default: 0] }

  /// The number of failed checks of this strictness. Only failures of ``Strictness/required`` checks make a run fail.
  public func failures(_ strictness: Strictness) -> Int { failures[strictness, default: 0] }
}

/// A report of a suite in JUnit XML, which build servers read. Inconclusive and not applicable checks count as skipped,
/// and so do failed checks that are not ``Strictness/required``.
public enum JUnitReport {
  /// Returns the report as XML.
  ///
  /// - Parameters:
  ///   - outcomes: the checks of the suite.
  ///   - subject: the name of the side that was checked, such as `phone`, for the name of the suite.
  public static func text(_ outcomes: [Outcome], of subject: String) -> String {
    let tally = Tally(outcomes)
    let failed = tally.failures(.required)
    let stop = outcomes.lazy.compactMap(\.sessionStop).first
    let skipped = tally[.inconclusive] + tally[.notApplicable] + tally[.fail] - failed
    let total = outcomes.reduce(0) { $0 + $1.milliseconds }
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append(
      "<testsuite name=\"iap2 conformance of a \(escaped(subject))\" tests=\"\(tally.checks + (stop == nil ? 0 : 1))\" "
        + "failures=\"\(failed)\" errors=\"\(stop == nil ? 0 : 1)\" skipped=\"\(skipped)\" time=\"\(Duration.milliseconds(total).secondsText)\">"
    )
    if let stop {
      lines.append("  <testcase classname=\"session\" name=\"the ordinary session\" time=\"0\">")
      lines.append("    <error message=\"it ended early: \(escaped(stop))\"/>")
      lines.append("  </testcase>")
    }
    for outcome in outcomes {
      let check = outcome.check
      let start =
        "  <testcase classname=\"\(check.area.rawValue)\" name=\"\(check.id) \(escaped(check.title))\" "
        + "time=\"\(Duration.milliseconds(outcome.milliseconds).secondsText)\""
      switch outcome.verdict {
      case .pass: lines.append(start + "/>")
      case .fail(let reason) where check.strictness != .required:
        lines.append(start + ">")
        lines.append(
          "    <skipped message=\"\(check.strictness.rawValue), fail: \(escaped(reason))\">\(escaped(basis(check)))"
            + "</skipped>")
        lines.append("  </testcase>")
      case .fail(let reason):
        lines.append(start + ">")
        lines.append("    <failure message=\"\(escaped(reason))\">\(escaped(basis(check)))</failure>")
        lines.append("  </testcase>")
      case .inconclusive(let reason), .notApplicable(let reason):
        lines.append(start + ">")
        lines.append("    <skipped message=\"\(outcome.verdict.kind.rawValue): \(escaped(reason))\"/>")
        lines.append("  </testcase>")
      }
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }

  /// Returns a requirement with its source, its confidence and its strictness.
  private static func basis(_ check: Check) -> String {
    "\(check.requirement) [\(check.evidence.source); \(check.evidence.confidence.rawValue); \(check.strictness.rawValue)]"
  }

  /// Returns a text with XML escapes. Control characters, which a peer's text may have and XML 1.0 forbids, become
  /// question marks, and tabs and newlines become spaces.
  package static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "\n", "\t": result += " "
      case _ where scalar.value < 0x20 || (0xFFFE...0xFFFF).contains(scalar.value): result += "?"
      case let plain: result.unicodeScalars.append(plain)
      }
    }
    return result
  }
}

/// The Markdown page of all checks.
public enum CheckTable {
  /// The page in Markdown, equal to the article `Checks.md`.
  public static var page: String {
    """
    # The checks

    The checks of ``Check/all``, printed by `iap2 conformance --list --markdown`.

    ## Overview

    *Of* is the side that is checked. *Strictness* says what a failure means: ``Strictness/required``, \
    ``Strictness/recommended`` or ``Strictness/observed``. Only a failed required check makes a run fail. Evidence of low \
    confidence is marked: a peer that fails such a check may be correct.

    \(table(of: Check.all, evidence: EvidenceLink.facts(in:)))
    """
  }

  /// Returns the table of checks.
  ///
  /// - Parameter evidence: Returns an evidence with its links.
  package static func table(of checks: [Check], evidence: (String) -> String) -> String {
    let rows = checks.map { check in
      let sides = check.subjectWords.joined(separator: ", ")
      let confidence = check.evidence.isUnverified ? "low: unverified" : check.evidence.confidence.rawValue
      let linked = "\(evidence(check.evidence.source)) (\(confidence))"
      return "| \(check.id) | \(sides) | \(check.strictness.rawValue) | \(check.requirement) | \(linked) |"
    }
    return (["| Id | Of | Strictness | Requirement | Evidence |", "|---|---|---|---|---|"] + rows).joined(
      separator: "\n") + "\n"
  }
}
