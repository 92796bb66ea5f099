// swift-iap2 · Apache-2.0

import CommandSupport
import Foundation
import IAP2
package import IAP2Analysis
import IAP2Capture

/// The explanations of connections as text, one paragraph each.
package enum ExplanationText {
  /// - Parameter file: the capture, for the commands that show more of it; nil for standard input.
  package static func lines(_ explanation: Explanation, file: String?) -> [String] {
    let point = explanation.point
    let color: Color = point.isComplete ? .green : .red
    var lines = ["connection \(explanation.connection): \(ExplanationWords.transport(explanation.history))"]
    let failure = "\(point.sessionGoesOn ? "failed" : "stopped") at \(ExplanationWords.word(explanation.stage))"
    lines.append("  \(color(point.isComplete ? "complete" : failure)): \(explanation.text)")
    for detail in ExplanationWords.details(explanation) { lines.append("  \(detail)") }
    let reached = explanation.reached.filter { $0 != .complete }.map(ExplanationWords.word)
    lines.append(
      "  got as far as: \(reached.isEmpty ? "nothing that the capture shows" : reached.joined(separator: ", "))")
    lines.append("  last: " + ExplanationWords.last(explanation))
    lines.append("  expected next: " + ExplanationWords.turn(explanation.turn, isComplete: point.isComplete))
    if !point.isComplete, let file { lines += ExplanationWords.commands(for: explanation, file).map { "  see: \($0)" } }
    guard !explanation.causes.isEmpty else { return lines }
    lines.append(
      point.isComplete
        ? "  known causes, if it was not an end in order:" : point.isOfRule ? "  the rule:" : "  known causes:")
    return lines + explanation.causes.flatMap { cause($0) }
  }

  package static func lines(_ point: StopPoint) -> [String] {
    [
      "\(Color.green(point.id)) (\(point.stage.map(ExplanationWords.word) ?? "any stage")): \(point.text)",
      "  expected next: \(ExplanationWords.turn(point.turn, isComplete: point.isComplete))",
    ]
      + point.causes.flatMap { cause($0) }
  }

  package static func lines(_ rule: SessionRule) -> [String] {
    [
      "\(Color.green(rule.id)) (\(ExplanationWords.word(rule.stage))): \(rule.text) \(rule.repair)",
      "  \(rule.confidence.rawValue): \(rule.evidence)",
    ]
  }

  private static func cause(_ cause: KnownCause) -> [String] {
    [
      "    \(Color.yellow(cause.id)): \(cause.text) \(cause.check)",
      Color.dim("      \(ExplanationWords.confidence(cause)): \(cause.evidence)"),
    ]
  }
}
