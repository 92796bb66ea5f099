// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture

/// The explanations of CarPlay sessions as text, one paragraph each.
enum SessionExplanationText {
  /// The breaches beside the one that explains the stop that are shown.
  private static let maximumOthers = 8

  /// - Parameters:
  ///   - number: The number of the session, from 0.
  ///   - link: The iAP2 inside the session; nil for none.
  ///   - show: The command that shows the records before the stop; nil for standard input.
  static func lines(_ explanation: SessionExplanation, number: Int, _ link: Explanation?, show: String?) -> [String] {
    let isComplete = explanation.point == .complete
    let color: Color = isComplete ? .green : .red
    let isReached = explanation.reached.contains(explanation.stage)
    let verdict =
      switch explanation.point {
      case .complete: "complete"
      case .ruleIgnored: Self.fault(at: explanation.stage, reached: explanation.reached.last)
      default: "\(isReached ? "stopped at" : "stopped before") \(explanation.stage)"
      }
    // Names of services, and other texts of the capture, are those of strangers.
    var lines = ["CarPlay session \(number + 1): \(explanation.ends.printable)"]
    lines += explanation.discovery.map { step in
      let time = step.time.map { " at \(DecodedText.seconds($0))" } ?? ""
      let place = step.connection.map { " over iAP2, connection \($0)" } ?? ""
      return "  \(step.connection == nil ? "discovery" : "bring-up"): record \(step.record)\(time), "
        + "\(name(step.from)): \(step.text.printable)\(place)"
    }
    lines.append("  \(color(verdict)): \(explanation.text.printable)")
    if let finding = explanation.finding { lines.append("  \(text(finding))") }
    lines += explanation.details.map { "  \($0.printable)" }
    if !explanation.reached.isEmpty { lines.append("  got as far as: \(explanation.reached.joined(separator: ", "))") }
    if let last = explanation.last {
      let time = last.time.map { " at \(DecodedText.seconds($0))" } ?? ""
      let silence = explanation.silence.map {
        $0 >= 0.0005 ? "; then \(DecodedText.seconds($0)) without a message" : ""
      }
      lines.append("  last: record \(last.record)\(time), \(name(last.from)): \(last.text.printable)\(silence ?? "")")
    }
    if let link { lines.append("  iAP2 inside it: \(text(link))") }
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

  /// Returns the verdict about a session that went on although a rule was broken at a step.
  private static func fault(at stage: String, reached: String?) -> String {
    guard let reached, reached != stage else { return "\(stage), with a fault" }
    return "\(reached), with a fault at \(stage)"
  }

  private static func text(_ link: Explanation) -> String {
    let verb = link.point.sessionGoesOn ? "failed" : "stopped"
    let verdict = link.point.isComplete ? "complete" : "\(verb) at \(ExplanationWords.word(link.stage))"
    return "\(verdict): \(link.text) --connection \(link.connection) explains it"
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
