// swift-iap2 · Apache-2.0

import IAP2
import IAP2Conformance

/// The coverage of a fuzzer as text.
struct CoverageLine: Encodable {
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
