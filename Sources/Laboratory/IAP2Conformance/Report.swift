// swift-iap2 · Apache-2.0

public import IAP2

/// A count of checks by verdict.
public struct Tally: Sendable, Hashable {
  /// The number of checks.
  public private(set) var checks = 0
  /// The number of checks for each kind of verdict; kinds without a check have no entry.
  public private(set) var counts: [Verdict.Kind: Int] = [:]

  /// Creates a count of no checks.
  public init() {}

  /// Creates a count of the verdicts of these outcomes.
  public init(_ outcomes: [Outcome]) { for outcome in outcomes { add(outcome.verdict) } }

  /// Counts the verdict of one check.
  public mutating func add(_ verdict: Verdict) {
    checks += 1
    counts[verdict.kind, default: 0] += 1
  }

  /// The number of checks with this kind of verdict.
  public subscript(kind: Verdict.Kind) -> Int { counts[kind, default: 0] }
}

/// A report of a suite in JUnit XML, which build servers read. Inconclusive and not applicable checks count as skipped.
public enum JUnitReport {
  /// Returns the report as XML.
  ///
  /// - Parameters:
  ///   - outcomes: the checks of the suite.
  ///   - subject: the name of the side that was checked, such as `phone`, for the name of the suite.
  public static func text(_ outcomes: [Outcome], of subject: String) -> String {
    let tally = Tally(outcomes)
    let skipped = tally[.inconclusive] + tally[.notApplicable]
    let total = outcomes.reduce(0) { $0 + $1.milliseconds }
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append(
      "<testsuite name=\"iap2 conformance of a \(escaped(subject))\" tests=\"\(tally.checks)\" "
        + "failures=\"\(tally[.fail])\" errors=\"0\" skipped=\"\(skipped)\" time=\"\(time(total))\">")
    for outcome in outcomes {
      let check = outcome.check
      let start =
        "  <testcase classname=\"\(check.area.rawValue)\" name=\"\(check.id) \(escaped(check.title))\" "
        + "time=\"\(time(outcome.milliseconds))\""
      switch outcome.verdict {
      case .pass: lines.append(start + "/>")
      case .fail(let reason):
        lines.append(start + ">")
        lines.append("    <failure message=\"\(escaped(reason))\">\(escaped(check.requirement))</failure>")
        lines.append("  </testcase>")
      case .inconclusive(let reason), .notApplicable(let reason):
        lines.append(start + ">")
        lines.append("    <skipped message=\"\(outcome.verdict.kind.rawValue): \(escaped(reason))\"/>")
        lines.append("  </testcase>")
      }
    }
    return (lines + ["</testsuite>", ""]).joined(separator: "\n")
  }

  private static func time(_ milliseconds: Int) -> String {
    let rest = String(milliseconds % 1000)
    return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
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

    *Of* is the side that is checked. Evidence of low confidence is marked: a peer that fails such a check may be \
    correct.

    \(table)
    """
  }

  private static var table: String {
    let rows = Check.all.map { check in
      let sides = [Side.accessory, .device].filter(check.subjects.contains).map(word).joined(separator: ", ")
      let sure = check.evidence.isUnverified ? "low: unverified" : check.evidence.confidence.rawValue
      return "| \(check.id) | \(sides) | \(check.requirement) | \(check.evidence.source) (\(sure)) |"
    }
    return (["| Id | Of | Requirement | Evidence |", "|---|---|---|---|"] + rows).joined(separator: "\n") + "\n"
  }

  /// Returns the name of the role on a side: `head unit` or `phone`.
  public static func word(_ side: Side) -> String { side == .accessory ? "head unit" : "phone" }
}
