// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
import IAP2Conformance
import IAP2Faults
import IAP2Roles
import RunReports

// The facts and sentences of reports.
extension Conformance {
  /// The facts of this run for a report.
  var details: [String] {
    [
      "Peer: \(transport ?? "")", "Date: \(Date.now.formatted(.iso8601))", "iap2 \(ProgramVersion.number)",
      captures.map { "Captures: \($0)" },
    ].compactMap(\.self)
  }

  /// Returns the checks as the parts of a run, for comparisons with other runs.
  func run(_ outcomes: [Outcome]) -> RunReport {
    var run = RunReport(title: "iap2 conformance of a \(subject)")
    run.parts = outcomes.map { outcome in
      var part = RunReport.Part(outcome.check.id)
      switch outcome.verdict {
      case .pass: break
      case .fail(let reason): part.failure = reason
      case .inconclusive(let reason), .notApplicable(let reason):
        part.rows = [RunReport.Row(.notice, time: nil, who: outcome.verdict.kind.rawValue, reason)]
      }
      return part
    }
    return run
  }

  /// Returns the sentences about options that may be the cause of a verdict.
  func remarks(_ outcomes: [Outcome], _ plan: FaultPlan?) -> [String] {
    var remarks: [String] = []
    if let stop = outcomes.lazy.compactMap(\.sessionStop).first {
      remarks.append("The ordinary session, from which the rules are judged, ended early: \(stop).")
    }
    let undecided = outcomes.filter { $0.verdict.kind == .fail || $0.verdict.kind == .inconclusive }
    guard !undecided.isEmpty else { return remarks }
    if plan != nil {
      remarks.append("Faults were injected: run again without --fault before you repair the \(subject).")
    }
    if timeout < Double(Setting.defaultAnswerMilliseconds) / 1000 {
      remarks.append("--timeout is shorter than usual: run again with a longer one before you repair the \(subject).")
    }
    if role == .headUnit, undecided.contains(where: { $0.verdict.reason?.contains("(AA04)") ?? false }) {
      remarks.append(
        "The phone rejects this program's authentication (AA04): give a certificate that it trusts with --certificate "
          + "and --key, or with --authenticator.")
    }
    return remarks
  }
}
