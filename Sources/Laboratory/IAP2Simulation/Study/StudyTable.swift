// swift-iap2 · Apache-2.0

import IAP2Roles

/// The rows of a study as a table in Markdown.
package enum StudyTable {
  /// Returns the lines of the table. The text of a case stands in its first row only.
  package static func lines(_ rows: [ChargingStudy.Row]) -> [String] {
    var lines = [
      "| case | policy | trials | phone: missed | false | median | 99 % | car: missed | false | median | 99 % |",
      "|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
    ]
    var shown = ""
    for row in rows {
      let text = row.studyCase.text == shown ? "" : row.studyCase.text
      shown = row.studyCase.text
      lines.append(
        "| \(text) | \(row.policy.rawValue) | \(row.phone.trials) | \(columns(row.phone)) | \(columns(row.headUnit)) |")
    }
    return lines
  }

  private static func columns(_ tally: ChargingStudy.Tally) -> String {
    [
      "\(tally.missed)", "\(tally.falseVerdicts)", tally.milliseconds(percent: 50).map { "\($0) ms" } ?? "–",
      tally.milliseconds(percent: 99).map { "\($0) ms" } ?? "–",
    ].joined(separator: " | ")
  }
}

/// A row of a study for JSON.
package struct StudyLine: Encodable {
  struct Tally: Encodable {
    var trials: Int
    var missed: Int
    var `false`: Int
    var medianMilliseconds: Int?
    var percentile99Milliseconds: Int?

    init(_ tally: ChargingStudy.Tally) {
      trials = tally.trials
      missed = tally.missed
      `false` = tally.falseVerdicts
      medianMilliseconds = tally.milliseconds(percent: 50)
      percentile99Milliseconds = tally.milliseconds(percent: 99)
    }
  }

  var `case`: String
  var text: String
  var policy: String
  var phone: Tally
  var headUnit: Tally

  /// Creates the line of a row.
  package init(_ row: ChargingStudy.Row) {
    `case` = row.studyCase.name
    text = row.studyCase.text
    policy = row.policy.rawValue
    phone = Tally(row.phone)
    headUnit = Tally(row.headUnit)
  }
}

/// The counts of a whole study for JSON.
package struct StudyTotalLine: Encodable {
  var event = "study"
  /// The number of connections.
  package var trials: Int
  var disconnects: Int
  var rows: Int

  /// Creates the counts of a study's rows.
  package init(_ rows: [ChargingStudy.Row]) {
    trials = rows.reduce(0) { $0 + $1.phone.trials }
    disconnects = rows.reduce(0) { $0 + ($1.studyCase.event.isEnd ? $1.phone.trials : 0) }
    self.rows = rows.count
  }
}
