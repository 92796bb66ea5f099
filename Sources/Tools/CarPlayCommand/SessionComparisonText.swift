// swift-iap2 · Apache-2.0

import CaptureText
import CarPlayAnalysis
import CarPlaySession
import CommandSupport
import IAP2Analysis
import IAP2Capture

/// A comparison of CarPlay sessions for people: the first difference, then channel by channel.
struct SessionComparisonText {
  private let comparison: RecordedSessionComparison
  private let ends: SessionEnds
  private let showsAll: Bool

  init(_ comparison: RecordedSessionComparison, _ ends: SessionEnds, showsAll: Bool) {
    (self.comparison, self.ends, self.showsAll) = (comparison, ends, showsAll)
  }

  var lines: [String] {
    [verdict] + ends.lines + unread + SessionJudge.Channel.allCases.flatMap(section) + screens + notes
  }

  private var unread: [String] {
    ends.isPartial ? ["what is sealed, or cannot be read, in both sessions was not compared"] : []
  }

  // MARK: The verdict

  private var verdict: String {
    let count = comparison.differenceCount + ends.differenceCount
    guard count > 0 else {
      let words = "equal\(ends.isPartial ? " as far as they can be read" : ""): \(comparison.rows.count) requests"
      return Color.green("CarPlay session: \(words)")
    }
    let row = comparison.rows.indices.first { comparison.rows[$0].relation != .equal }
    let first = row.map { "request \($0 + 1), \(name(comparison.rows[$0])): \(what(comparison.rows[$0]))" }
    let text = first ?? comparison.screens.first.map { "\($0.type.name): \(Self.words($0))" } ?? ends.text
    return Color.red("CarPlay session: first difference: ") + Self.shortened(text)
      + Color.dim(" (\(count) difference\(count == 1 ? "" : "s"))")
  }

  private func what(_ row: RecordedSessionComparison.Row) -> String {
    switch row.relation {
    case .onlyInA: "only A has it"
    case .onlyInB: "only B has it"
    case .changed, .equal: row.differences.first.map(Self.words) ?? ""
    }
  }

  /// Returns a short line; the section has the full text.
  private static func shortened(_ text: String) -> String { text.count <= 240 ? text : text.prefix(240) + "…" }

  // MARK: Channels

  private func section(_ channel: SessionJudge.Channel) -> [String] {
    let rows = comparison.rows.indices.filter { comparison.rows[$0].channel == channel }
    let differing = rows.count { comparison.rows[$0].relation != .equal }
    let state =
      rows.isEmpty ? "none" : differing == 0 ? Color.green("equal") : Color.red("\(differing) not equal")
    var lines = ["\(channel == .control ? "requests of the phone" : "commands of the head unit"): \(state)"]
    var equal = 0
    for number in rows {
      let row = comparison.rows[number]
      guard row.relation != .equal || showsAll else {
        equal += 1
        continue
      }
      lines += folded(&equal)
      lines.append("  \(row.relation.mark) \(line(row, number))")
      lines += row.differences.map { "        \(Self.words($0))" }
    }
    return lines + folded(&equal)
  }

  private func folded(_ equal: inout Int) -> [String] {
    defer { equal = 0 }
    return equal > 0 ? [Color.dim("    … \(equal) equal")] : []
  }

  private func line(_ row: RecordedSessionComparison.Row, _ number: Int) -> String {
    let digits = "\(number + 1)"
    let (a, b) = (comparison.a, comparison.b)
    let times = [
      row.a.flatMap { a.time(of: a.exchanges[$0].moment) }, row.b.flatMap { b.time(of: b.exchanges[$0].moment) },
    ].map { time in time.map(Self.seconds) ?? String(repeating: " ", count: 10) }
    return String(repeating: " ", count: max(0, 4 - digits.count)) + "\(digits) \(times.joined(separator: " "))  "
      + name(row)
  }

  private static func seconds(_ time: Double) -> String {
    let text = DecodedText.seconds(time)
    return String(repeating: " ", count: max(0, 10 - text.count)) + text
  }

  private func name(_ row: RecordedSessionComparison.Row) -> String {
    comparison.exchange(row)?.name.printable ?? ""
  }

  private static func words(_ difference: MessageDifference) -> String {
    "\(difference.isInAnswer ? "answer" : "request"): \(difference.path.printable): "
      + "A \(difference.a?.printable ?? "none"), B \(difference.b?.printable ?? "none")"
  }

  // MARK: Streams and notes

  private var screens: [String] { comparison.screens.map { "\($0.type.name): \(Self.words($0))" } }

  private static func words(_ screen: RecordedSessionComparison.ScreenDifference) -> String {
    "configuration: A \(screen.a), B \(screen.b)"
  }

  private var notes: [String] {
    guard !comparison.notes.isEmpty else { return [] }
    return ["no differences, by rule:"] + comparison.notes.map { "  \(Self.words($0))" }
  }

  private static func words(_ note: RecordedSessionComparison.Note) -> String {
    switch note {
    case .exchanges(let rule, let a, let b): "\(rule.rawValue): A \(a) messages, B \(b); \(rule.reason)"
    case .values(let rule, let count): "\(rule.rawValue): \(count) value\(count == 1 ? "" : "s"); \(rule.reason)"
    case .content(let source, let a, let b):
      "\(source.type.name)\(source.side == .phone ? "" : ", microphone"): A \(words(a, source)), B \(words(b, source))"
    case .cut: "a session is longer than the limits of a comparison, and its rest is not compared"
    case .lacking(let a, let b):
      "\(a && b ? "both captures lack" : a ? "capture A lacks" : "capture B lacks") bytes of the session, or"
        + " \(a && b ? "have" : "has") damaged ones, so messages may be missing there"
    }
  }

  static func words(_ content: RecordedSession.Content?, _ source: RecordedSession.Source) -> String {
    guard let content else { return "nothing" }
    let unit = source.type.family == .screen ? "picture" : "packet"
    return "\(content.count) \(unit)\(content.count == 1 ? "" : "s") of \(content.byteCount) bytes"
  }
}
