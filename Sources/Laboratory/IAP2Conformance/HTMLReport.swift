// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// A report of a suite as one HTML page without scripts, for people who were not at the run.
public enum HTMLReport {
  /// Returns the report as HTML.
  ///
  /// - Parameters:
  ///   - outcomes: the checks of the suite.
  ///   - subject: the name of the side that was checked, such as `phone`.
  ///   - advice: the result in sentences, as ``RepairAdvice/sentences`` has it.
  ///   - details: the facts of the run, such as the peer, the date, and the folder of the captures.
  ///   - captures: the addresses of the captures by the ids of their checks. Several checks may share one.
  ///   - comparison: what follows the facts, in HTML, such as the differences from an earlier run.
  public static func text(
    _ outcomes: [Outcome], of subject: String, advice: [String], details: [String] = [],
    captures: [String: String] = [:], comparison: String = ""
  ) -> String {
    let tally = Tally(outcomes)
    let title = "Conformance of a \(JUnitReport.escaped(subject))"
    let counts = Verdict.Kind.allCases.map { "\(tally[$0]) \(words($0))" }.joined(separator: ", ")
    let rows = outcomes.map { row($0, capture: captures[$0.check.id]) }.joined(separator: "\n")
    let sentences = advice.map { "<p>\(JUnitReport.escaped($0))</p>" }.joined(separator: "\n")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>\(title)</title>
      <style>
      body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
      table { border-collapse: collapse; width: 100% }
      td, th { border-top: 1px solid #ccc; padding: .4rem .6rem; text-align: left; vertical-align: top }
      .pass { color: #176b2c } .fail { color: #b3261e; font-weight: 600 } .weak { color: #8a5a00 } .open { color: #666 }
      small { color: #666 }
      </style>
      </head>
      <body>
      <h1>\(title)</h1>
      <p>\(tally.checks) checks: \(counts). \(tally.failures(.required)) required checks failed.</p>
      \(sentences)
      <p>\(details.map(JUnitReport.escaped).joined(separator: "<br>\n"))</p>
      <p><small>A run is no certification: it says what this program saw of one peer in one run, and nothing about what
      Apple demands.</small></p>
      \(comparison)
      <table>
      <tr><th>Verdict</th><th>Check</th><th>Requirement</th></tr>
      \(rows)
      </table>
      </body>
      </html>

      """
  }

  private static func words(_ kind: Verdict.Kind) -> String {
    switch kind {
    case .pass: "passed"
    case .fail: "failed"
    case .inconclusive: "inconclusive"
    case .notApplicable: "not applicable"
    }
  }

  private static func row(_ outcome: Outcome, capture: String?) -> String {
    let check = outcome.check
    let style =
      switch outcome.verdict.kind {
      case .pass: "pass"
      case .fail: check.strictness == .required ? "fail" : "weak"
      case .inconclusive, .notApplicable: "open"
      }
    let reason = outcome.verdict.reason.map { "<br>\(JUnitReport.escaped($0))" } ?? ""
    let basis = "\(check.evidence.source); \(check.evidence.confidence.rawValue); \(check.strictness.rawValue)"
    let link = capture.map { "<br><a href=\"\(JUnitReport.escaped($0))\">capture</a>" } ?? ""
    return "<tr id=\"\(check.id)\"><td class=\"\(style)\">\(words(outcome.verdict.kind))</td>"
      + "<td>\(check.id) <small>\(check.area.rawValue)</small>\(link)</td>"
      + "<td>\(JUnitReport.escaped(check.requirement))\(reason)<br><small>\(JUnitReport.escaped(basis))</small></td>"
      + "</tr>"
  }
}
