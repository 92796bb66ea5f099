// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
package import IAP2Conformance

/// Checks and their outcomes for a terminal.
package enum ConformanceText {
  /// Returns a check with its requirement and evidence.
  package static func requirement(_ check: Check) -> String {
    "\(check.id)  \(check.title) (\(check.subjectWords.joined(separator: ", ")))\n        \(check.requirement)\n        "
      + Color.dim(evidence(check))
  }

  /// Returns the text about a peer that has gone.
  package static func absence(_ absence: PeerAbsence, canRestart: Bool) -> String {
    let gone = Color.red("gone        ") + "  \(absence.after)  After it no connection to the peer came up again."
    // A suite of messages has no last packet.
    let sent = absence.sent.isEmpty ? "" : "\n              The last that it was sent: \(absence.sent.printable)."
    if absence.cameBack { return gone + sent + "\n              It was started again with --restart." }
    let count = absence.notPlayed == 1 ? "1 check is" : "\(absence.notPlayed) checks are"
    return gone + sent + "\n              \(count) not played; "
      + (canRestart
        ? "--restart did not bring it back"
        : "start it again and use --only, or give --restart COMMAND, which starts it")
      + "."
  }

  /// Returns the outcome of a check.
  package static func outcome(_ outcome: Outcome) -> String {
    let check = outcome.check
    let word =
      switch outcome.verdict.kind {
      case .pass: Color.green("pass        ")
      case .fail: (check.strictness == .required ? Color.red : Color.yellow)("fail        ")
      case .inconclusive: Color.yellow("inconclusive")
      case .notApplicable: Color.dim("n/a         ")
      }
    var text = "\(word)  \(check.id)  \(check.title)"
    if let reason = outcome.verdict.reason { text += "\n              \(reason.printable)" }
    if outcome.verdict.kind == .fail {
      text += "\n              " + Color.dim("\(check.requirement) [\(evidence(check))]")
    }
    return text
  }

  private static func evidence(_ check: Check) -> String {
    "\(check.evidence.source); \(check.evidence.confidence.rawValue); \(check.strictness.rawValue)"
  }
}
