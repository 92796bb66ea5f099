// swift-iap2 · Apache-2.0

import IAP2
import IAP2Fuzzing

/// The counts of a fuzzer's findings and its coverage, for JSON.
package struct FuzzSummary: Encodable {
  var event = "fuzz"
  var seed: UInt64
  /// The number of rounds that have a result.
  package var rounds = 0
  var crashes = 0
  var hangs = 0
  var resets = 0
  var closed = 0
  /// The paths of the stored captures.
  package var findings: [String] = []
  var coverage = FuzzCoverageLine()

  /// Creates the summary of no round.
  package init(seed: UInt64) { self.seed = seed }

  /// Counts a finding.
  ///
  /// - Parameter path: The path of the stored capture; nil if it could not be stored.
  package mutating func add(_ outcome: FuzzOutcome, capture path: String?) {
    switch outcome {
    case .survived: return
    case .reset: resets += 1
    case .closed: closed += 1
    case .hang: hangs += 1
    case .crash: crashes += 1
    }
    if let path { findings.append(path) }
  }

  /// Sets the coverage of the run.
  package mutating func end(with report: PeerFuzzer.Report) { coverage = FuzzCoverageLine(report) }

  /// Whether the peer hung or crashed, or a capture could not be stored.
  package var isFailed: Bool { crashes + hangs > 0 || findings.count < crashes + hangs + resets + closed }

  /// The counts and the coverage as lines of text.
  package var text: String {
    "\(rounds) rounds: \(crashes) crashes, \(hangs) hangs, \(resets) resets, \(closed) times closed\n\(coverage.text)"
  }
}

/// A finding of a fuzzer for JSON.
package struct FuzzFindingLine: Encodable {
  var event = "finding"
  var kind: String
  var round: Int
  var schedule: String
  /// The question above the link without an answer; nil for none.
  var unanswered: String?
  /// The path of the capture; nil if it could not be stored.
  var capture: String?
  var again: String

  /// Creates the line of a finding.
  ///
  /// - Parameters:
  ///   - capture: The path of the stored capture.
  ///   - again: The command that repeats the round.
  package init(_ finding: PeerFuzzer.Finding, capture: String?, again: String) {
    kind = finding.outcome.rawValue
    round = finding.round
    schedule = finding.schedule.text
    unanswered = finding.unanswered
    self.capture = capture
    self.again = again
  }
}

/// The coverage of a fuzzer for JSON.
struct FuzzCoverageLine: Encodable {
  /// The changes on a type of session.
  struct Session: Encodable {
    /// The number of rounds that used it, or for control that had a link.
    var rounds = 0
    /// The number of rounds in which the peer answered in it.
    var answered = 0
    var changedPackets = 0
  }

  /// The identifiers of messages in hexadecimal digits, ascending.
  struct Messages: Encodable {
    var changed: [String] = []
    var received: [String] = []
    var sent: [String] = []
  }

  /// The number of rounds that reached each state.
  var states: [String: Int] = [:]
  var messages = Messages()
  var control = Session()
  var externalAccessory = Session()
  var file = Session()
  /// The questions above the link that the peer answers.
  var questions: [String] = []
  /// The number of rounds after whose changes the peer was asked.
  var asked = 0

  init() {}

  init(_ report: PeerFuzzer.Report) {
    let coverage = report.coverage
    states = Dictionary(FuzzCoverage.State.allCases.map { ($0.rawValue, coverage[$0]) }) { first, _ in first }
    messages = Messages(
      changed: Self.names(coverage.changedMessages), received: Self.names(coverage.receivedMessages),
      sent: Self.names(coverage.sentMessages))
    func changed(_ type: LinkSessionType) -> Int { coverage.changedPackets[type, default: 0] }
    control = Session(rounds: coverage[.linkUp], answered: coverage[.ready], changedPackets: changed(.control))
    externalAccessory = Session(
      rounds: coverage[.externalAccessoryOpened], answered: coverage[.externalAccessoryAnswered],
      changedPackets: changed(.externalAccessory))
    file = Session(
      rounds: coverage[.fileOffered], answered: coverage[.fileAnswered], changedPackets: changed(.fileTransfer))
    questions = report.questions.names
    asked = coverage[.asked]
  }

  private static func names(_ ids: Set<UInt16>) -> [String] {
    ids.sorted().map { id in
      let digits = String(id, radix: 16, uppercase: true)
      return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
  }

  var text: String {
    let reached = ["linkUp", "authenticated", "identified", "ready"].map { "\($0) \(states[$0] ?? 0)" }
    let asking =
      questions.isEmpty
      ? "the peer answers no question above the link, so only the link was judged"
      : "asked above the link in \(asked) rounds: \(questions.joined(separator: ", "))"
    return """
      rounds that reached: \(reached.joined(separator: ", ")), an EA session \(externalAccessory.rounds), \
      a file \(file.rounds)
      changed packets: control \(control.changedPackets) (\(messages.changed.count) messages), \
      EA \(externalAccessory.changedPackets), file \(file.changedPackets); \
      \(messages.received.count) messages received
      \(asking)
      """
  }
}
