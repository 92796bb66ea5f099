// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayAnalysis
import CarPlaySession
import CommandSupport
import IAP2
import IAP2Analysis
package import IAP2Capture

/// The explanations of CarPlay sessions as text, one paragraph each.
enum SessionExplanationText {
  /// The breaches beside the one that explains the stop that are shown.
  private static let maximumOthers = 8

  /// - Parameters:
  ///   - number: The number of the session, from 0.
  ///   - show: The command that shows the records before the stop; nil for standard input.
  static func lines(_ explanation: SessionExplanation, number: Int, show: String?) -> [String] {
    let isComplete = explanation.point == .complete
    let color: Color = isComplete ? .green : .red
    let isReached = explanation.reached.contains(explanation.stage)
    let verb = explanation.point == .ruleIgnored ? "failed at" : isReached ? "stopped at" : "stopped before"
    let verdict = isComplete ? "complete" : "\(verb) \(explanation.stage)"
    var lines = ["CarPlay session \(number + 1): \(explanation.ends)"]
    lines.append("  \(color(verdict)): \(explanation.text)")
    if let finding = explanation.finding { lines.append("  \(text(finding))") }
    lines += explanation.details.map { "  \($0)" }
    lines.append("  got as far as: \(explanation.reached.joined(separator: ", "))")
    if let last = explanation.last {
      let time = last.time.map { " at \(DecodedText.seconds($0))" } ?? ""
      let silence = explanation.silence.map {
        $0 >= 0.0005 ? "; then \(DecodedText.seconds($0)) without a message" : ""
      }
      lines.append("  last: record \(last.record)\(time), \(name(last.from)): \(last.text.printable)\(silence ?? "")")
    }
    let expected = explanation.expected.joined(separator: ", or ")
    if !isComplete {
      let turn = explanation.turn.map { "from the \(name($0))" } ?? "from either side"
      lines.append("  expected: \(expected.isEmpty ? "unknown" : "\(expected.printable), \(turn)")")
      if let show { lines.append("  see: \(show)") }
    }
    if let finding = explanation.finding { lines += ["  the rule:"] + rule(finding) }
    guard !explanation.others.isEmpty else { return lines }
    lines.append("  other breaches:")
    lines += explanation.others.prefix(maximumOthers).map { "    \($0.level): \(text($0))" }
    let more = explanation.others.count - maximumOthers
    if more > 0 { lines.append("    and \(more) more: --json has all") }
    return lines
  }

  static func lines(_ rule: CarPlayRule) -> [String] {
    let side = rule.side.map { $0 == .headUnit ? "head unit" : "phone" } ?? "both sides"
    return [
      "\(Color.green(rule.id)) (CarPlay, \(side), \(rule.step.rawValue), \(rule.level.rawValue)): \(rule.text) \(rule.repair)",
      "  \(rule.confidence?.rawValue ?? "unverified"): \(rule.evidence)",
    ]
  }

  private static func name(_ side: Side) -> String { side == .accessory ? "head unit" : "phone" }

  private static func text(_ finding: SessionExplanation.Finding) -> String {
    let verb = finding.isOwed ? "owes an answer (\(finding.id))" : "breaks \(finding.id)"
    return "record \(finding.record): the \(name(finding.side)) \(verb): \(finding.detail.printable)"
  }

  private static func rule(_ finding: SessionExplanation.Finding) -> [String] {
    [
      "    \(Color.yellow(finding.id)), \(finding.level): \(finding.text) \(finding.repair)",
      Color.dim("      \(finding.confidence ?? "unverified"): \(finding.evidence)"),
    ]
  }
}

/// The output of `iap2 explain` about CarPlay sessions.
package struct SessionExplanationOutput {
  private let sessions: [(number: Int, explanation: SessionExplanation)]
  private let file: String
  private let keyLogs: [String]
  private let json: Bool

  /// The records before the last step that the suggested command shows.
  private static let recordsBefore = 8

  /// Creates the output of a file's sessions, with their numbers from 0.
  package init(
    _ sessions: [(number: Int, explanation: SessionExplanation)], of file: String, keyLogs: [String], json: Bool
  ) {
    (self.sessions, self.file, self.keyLogs, self.json) = (sessions, file, keyLogs, json)
  }

  /// Prints all sessions, or the one with a number from 1.
  package func show(only wanted: Int? = nil) throws {
    let shown = sessions.filter { wanted == nil || $0.number + 1 == wanted }
    if let wanted, shown.isEmpty {
      let count =
        sessions.isEmpty ? "no CarPlay session" : "\(sessions.count) CarPlay session\(sessions.count == 1 ? "" : "s")"
      throw CommandFailure(.badInput, "\(file) has \(count), so there is no session \(wanted)")
    }
    for (number, explanation) in shown {
      if json {
        try Output.json(SessionExplanationLine(explanation, number: number))
      } else {
        SessionExplanationText.lines(explanation, number: number, show: command(explanation)).forEach(Output.line)
      }
    }
  }

  /// Returns the command that shows the records before the stop; nil for standard input.
  private func command(_ explanation: SessionExplanation) -> String? {
    guard file != "-" else { return nil }
    let record = explanation.finding?.record ?? explanation.last?.record ?? 1
    let words = [file] + keyLogs.flatMap { ["--key-log", $0] }
    return "iap2 decode --filter 'record >= \(max(1, record - Self.recordsBefore))' "
      + words.map(ExplanationWords.quoted).joined(separator: " ")
  }

  /// Prints the rules of sessions.
  package static func showRules(json: Bool) throws {
    for rule in CarPlayRule.all {
      if json {
        try Output.json(CarPlayRuleLine(rule))
      } else {
        SessionExplanationText.lines(rule).forEach(Output.line)
      }
    }
  }
}

/// The choice of a connection or of a CarPlay session of a capture.
package enum SessionChoice {
  /// Checks the numbers of `--connection` and `--session`.
  package static func validate(connection: Int?, session: Int?) throws {
    guard connection ?? 1 >= 1 else { throw ValidationError("--connection takes a number from 1") }
    guard session ?? 1 >= 1 else { throw ValidationError("--session takes a number from 1") }
    guard connection == nil || session == nil else { throw ValidationError("give --connection or --session") }
  }
}
