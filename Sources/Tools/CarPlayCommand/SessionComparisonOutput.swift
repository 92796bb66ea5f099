// swift-iap2 · Apache-2.0

package import CarPlayAnalysis
package import CarPlaySession
import CommandSupport

/// The output of `iap2 diff` about CarPlay sessions, and that of `iap2 replay`.
package struct SessionComparisonOutput {
  private let comparison: RecordedSessionComparison
  private let ends: SessionEnds

  /// Compares the sessions of two captures; nil if no capture has one.
  package init?(_ a: CapturedSession, _ b: CapturedSession, ignoring rules: Set<SessionValueRule>) {
    guard a.session != nil || b.session != nil else { return nil }
    comparison = RecordedSessionComparison(
      a.session ?? RecordedSession(), b.session ?? RecordedSession(), ignoring: rules)
    ends = SessionEnds(a.explanation, b.explanation)
  }

  /// Compares a recording with the live session that was made of it.
  ///
  /// - Parameters:
  ///   - stop: Why the live session stopped early; nil if it went to its end.
  ///   - side: The live side, whose messages are compared.
  package init(
    replay live: RecordedSession, of recording: RecordedSession, _ captured: CapturedSession, stop: String?,
    only side: SessionSide, ignoring rules: Set<SessionValueRule>
  ) {
    comparison = RecordedSessionComparison(recording, live, ignoring: rules, only: side)
    ends = SessionEnds(captured.explanation, stop: stop)
  }

  /// The number of differences that count.
  package var differenceCount: Int { comparison.differenceCount + ends.differenceCount }

  /// Prints the comparison as text, or as JSON, one object per line.
  package func show(all: Bool, json: Bool) throws {
    guard json else {
      return SessionComparisonText(comparison, ends, showsAll: all).lines.forEach(Output.line)
    }
    for line in SessionComparisonLine.all(comparison, ends) { try Output.json(line) }
  }

  /// Prints the verdict of all comparisons as JSON.
  package static func showVerdict(differences count: Int) throws {
    try Output.json(Verdict(equal: count == 0, differences: count))
  }

  private struct Verdict: Encodable {
    var equal: Bool
    var differences: Int
  }
}
