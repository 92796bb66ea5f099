// swift-iap2 · Apache-2.0

import CarPlayAnalysis
import CarPlaySession
import IAP2Analysis

/// A line of a comparison of CarPlay sessions in JSON. The kind of the line decides which keys it has.
struct SessionComparisonLine: Encodable {
  /// The kind of a difference: `onlyInA`, `onlyInB`, `value`, `screen` or `end`.
  var difference: String?
  /// The kind of a note: `exchanges`, `values`, `content`, `cut` or `unread`.
  var note: String?
  /// The channel; absent for streams and ends.
  var socket: String?
  /// The number of the request, from 1.
  var request: Int?
  var relation: String?
  var name: String?
  /// `request` or `answer`, and the path in that message.
  var message: String?
  var field: String?
  var stream: String?
  var rule: String?
  var count: Int?
  var a: String?
  var b: String?
  /// Seconds since the first request.
  var timeA: Double?
  var timeB: Double?
  var recordA: Int?
  var recordB: Int?

  private init() {}

  /// Returns the lines of a comparison: differences, notes, and requests.
  static func all(_ comparison: RecordedSessionComparison, _ ends: SessionEnds) -> [SessionComparisonLine] {
    var lines = comparison.rows.indices.flatMap { differences($0, comparison) }
    lines += comparison.screens.map { screen in
      var line = SessionComparisonLine()
      (line.difference, line.stream, line.a, line.b) = ("screen", screen.type.name, screen.a, screen.b)
      return line
    }
    if ends.differenceCount > 0 {
      var line = SessionComparisonLine()
      (line.difference, line.a, line.b) = ("end", ends.a, ends.b)
      lines.append(line)
    }
    if ends.isPartial {
      var line = SessionComparisonLine()
      line.note = "unread"
      lines.append(line)
    }
    lines += comparison.notes.map(Self.init)
    return lines + comparison.rows.indices.map { Self.row($0, comparison) }
  }

  private static func differences(_ number: Int, _ comparison: RecordedSessionComparison) -> [SessionComparisonLine] {
    let row = comparison.rows[number]
    var line = Self.row(number, comparison)
    line.relation = nil
    switch row.relation {
    case .equal: return []
    case .onlyInA, .onlyInB:
      line.difference = row.relation.rawValue
      return [line]
    case .changed:
      return row.differences.map { difference in
        line.difference = "value"
        line.message = difference.isInAnswer ? "answer" : "request"
        (line.field, line.a, line.b) = (difference.path, difference.a, difference.b)
        return line
      }
    }
  }

  private static func row(_ number: Int, _ comparison: RecordedSessionComparison) -> SessionComparisonLine {
    let row = comparison.rows[number]
    var line = SessionComparisonLine()
    (line.socket, line.request, line.relation) = (row.channel.rawValue, number + 1, row.relation.rawValue)
    line.name = comparison.exchange(row)?.name
    if let index = row.a {
      let moment = comparison.a.exchanges[index].moment
      (line.timeA, line.recordA) = (comparison.a.time(of: moment), moment.record)
    }
    if let index = row.b {
      let moment = comparison.b.exchanges[index].moment
      (line.timeB, line.recordB) = (comparison.b.time(of: moment), moment.record)
    }
    return line
  }

  private init(_ note: RecordedSessionComparison.Note) {
    switch note {
    case .exchanges(let rule, let a, let b):
      (self.note, self.rule, self.a, self.b) = ("exchanges", rule.rawValue, "\(a)", "\(b)")
    case .values(let rule, let count): (self.note, self.rule, self.count) = ("values", rule.rawValue, count)
    case .content(let source, let a, let b):
      (self.note, stream) = ("content", source.type.name)
      (self.a, self.b) = (SessionComparisonText.words(a, source), SessionComparisonText.words(b, source))
    case .cut: self.note = "cut"
    case .lacking(let a, let b): (self.note, self.a, self.b) = ("lacking", "\(a)", "\(b)")
    }
  }
}
