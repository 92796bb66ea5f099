// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
import IAP2Analysis
import IAP2Capture
import IAP2Replay
import IAP2Roles
import RunReports

/// A replay for a terminal: a line for each message, marked if it differs from the recording, and a summary.
enum ReplayText {
  /// The number of differences that a summary shows.
  private static let shownDifferences = 40

  static func lines(
    _ event: ReplayEvent, _ time: MonotonicTime, _ role: Role, _ script: ReplayScript
  ) -> [String] {
    func ladderLine(_ mark: String, sent: Bool, _ text: String) -> String {
      let isFromHeadUnit = (role == .headUnit) == sent
      let arrow = isFromHeadUnit ? "head unit ───► phone" : "head unit ◄─── phone"
      return "\(DecodedText.seconds(time.seconds)) \(mark) \(arrow)  \(text)"
    }
    func note(_ text: String, _ color: Color = .dim) -> String {
      let who = role.columnName
      return "\(DecodedText.seconds(time.seconds))   \(who)  \(color(text))"
    }
    switch event {
    case .linkUp(let link): return [note("link up: \(DecodedText.synchronization(link))", .blue)]
    case .sent(let message, let step): return [ladderLine(" ", sent: true, self.message(message, step, script))]
    case .sentData(let session, let byteCount, _):
      return [
        ladderLine(" ", sent: true, Color.magenta("\(byteCount) bytes of \(ReplayWords.session(session, script))"))
      ]
    case .offeredFile(let index, _):
      let file = script.files[index]
      return [ladderLine(" ", sent: true, Color.cyan("file \(file.id): \(ComparisonWords.setup(file.setup))"))]
    case .received(let message, let step, let differences):
      return [ladderLine(mark(differences, step), sent: false, self.message(message, step, script))]
        + differences.map { details($0, script) }
    case .receivedData(let session, let byteCount):
      return [
        ladderLine(" ", sent: false, Color.magenta("\(byteCount) bytes of \(ReplayWords.session(session, script))"))
      ]
    case .receivedFile(let id, let byteCount, let step):
      let extra = step == nil ? Color.green("+") : " "
      return [ladderLine(extra, sent: false, Color.cyan("file \(id): \(byteCount) bytes announced"))]
    case .overdue(let step):
      return [note("no longer waiting for \(ReplayWords.name(script.steps[step], script))", .yellow)]
    case .eventsLost(let count): return [note("\(count) events were not shown, because they came too fast", .red)]
    case .ready, .input: return []
    case .note(let found): return [note(ReplayWords.text(found, script), .yellow)]
    case .difference(let difference):
      let who = mark([difference], nil)
      let text = "\(ReplayWords.subject(difference, script)): \(ReplayWords.what(difference))\(tolerated(difference))"
      return ["\(DecodedText.seconds(time.seconds)) \(who) \(text)"]
    case .violation(let violation): return [note(ViolationText.text(violation), .red)]
    case .disconnected(let cause): return [note("disconnected: \(cause.rawValue)")]
    }
  }

  private static func mark(_ differences: [ReplayDifference], _ step: Int?) -> String {
    guard let first = differences.first else { return " " }
    switch first.kind {
    case .missing: return Color.red("-")
    case .extra: return Color.green("+")
    case .order: return Color.yellow("^")
    case .parameter, .messageBytes, .identifier, .data, .fileSetup, .fileData, .fileOutcome: return Color.yellow("~")
    case .authentication, .connection: return Color.red("!")
    }
  }

  private static func details(_ difference: ReplayDifference, _ script: ReplayScript) -> String {
    String(repeating: " ", count: 14) + ReplayWords.what(difference) + tolerated(difference)
  }

  private static func message(_ bytes: [UInt8], _ step: Int?, _ script: ReplayScript) -> String {
    let id = ControlHeader.id(of: bytes)
    let place = step.map { ", record \(script.steps[$0].record)" } ?? ", not in the recording"
    return Color.green(MessageCatalog[id]?.name ?? "unknown message")
      + " " + Color.dim("\(MessageCatalog.text(id)), \(bytes.count) bytes\(place)")
  }

  private static func tolerated(_ difference: ReplayDifference) -> String {
    difference.tolerance.map { Color.dim(" (tolerated: \($0.text))") } ?? ""
  }

  // MARK: The summary

  static func summary(_ report: ReplayReport, _ script: ReplayScript) -> [String] {
    var lines: [String] = []
    let failures = report.differences.filter { $0.tolerance == nil }
    let tolerated = report.toleratedCount > 0 ? ", \(report.toleratedCount) tolerated" : ""
    if report.isEqual {
      lines.append(Color.green("as recorded") + (tolerated.isEmpty ? "" : ": \(report.toleratedCount) tolerated"))
    } else if let first = failures.first {
      let place = first.record.map { "record \($0): " } ?? ""
      let count = report.differenceCount
      lines.append(
        Color.red("first difference: ")
          + shortened("\(place)\(ReplayWords.subject(first, script)): \(ReplayWords.what(first))")
          + Color.dim(" (\(count) difference\(count == 1 ? "" : "s")\(tolerated))"))
    } else {
      // Without a link there is no session, whatever is tolerated.
      lines.append(Color.red("the link did not come up"))
    }
    // If not all differences are shown, failures come first.
    let isLong = report.differences.count > shownDifferences
    let shown = isLong ? failures + report.differences.filter { $0.tolerance != nil } : report.differences
    for difference in shown.prefix(shownDifferences) {
      let place = difference.record.map { "record \($0)" } ?? "not recorded"
      lines.append(
        "  \(mark([difference], nil)) \(place): \(ReplayWords.subject(difference, script)): \(shortened(ReplayWords.what(difference)))"
          + self.tolerated(difference))
    }
    if report.differenceCount > shownDifferences {
      lines.append("  … \(report.differenceCount - shownDifferences) more")
    }
    for (rule, count) in report.repeated.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      lines.append("  \(count) messages more or less, by rule \(rule.rawValue): \(rule.reason)")
    }
    let recorded = script.steps.count { step in
      switch step.content {
      case .message, .file: step.from != script.side
      case .data, .end: false
      }
    }
    lines.append(
      "sent \(report.sentCount), received \(report.receivedCount), of which \(report.matchedCount) as recorded;"
        + " the recording has \(recorded) of the peer")
    return lines
  }

  private static func shortened(_ text: String) -> String { text.count <= 240 ? text : text.prefix(240) + "…" }
}
