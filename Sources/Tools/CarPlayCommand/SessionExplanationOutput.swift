// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CommandSupport
package import IAP2Analysis
package import IAP2Capture

/// The output of `iap2 explain` about CarPlay sessions.
package struct SessionExplanationOutput {
  private let sessions: [(number: Int, explanation: SessionExplanation)]
  /// The iAP2 inside the sessions.
  private let inside: [Explanation]
  private let file: String
  private let keyLogs: [String]
  private let json: Bool

  /// The records before the last step that the suggested command shows.
  private static let recordsBefore = 8

  /// Creates the output of a file's sessions, with their numbers from 0, and of the iAP2 inside them.
  package init(
    _ sessions: [(number: Int, explanation: SessionExplanation)], _ inside: [Explanation], of file: String,
    keyLogs: [String], json: Bool
  ) {
    (self.sessions, self.inside, self.file, self.keyLogs, self.json) = (sessions, inside, file, keyLogs, json)
  }

  /// Prints all sessions, or the one with a number from 1.
  package func show(only wanted: Int? = nil) throws {
    let shown = sessions.filter { wanted == nil || $0.number + 1 == wanted }
    if let wanted, shown.isEmpty {
      throw SessionChoice.missing(wanted, in: file, count: sessions.count)
    }
    for (number, explanation) in shown {
      let link = inside.first { $0.session == number }
      if json {
        try Output.json(SessionExplanationLine(explanation, number: number))
        if let link { try Output.json(ExplanationLine(link)) }
      } else {
        SessionExplanationText.lines(explanation, number: number, link, show: command(explanation))
          .forEach(Output.line)
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
