// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Simulation

extension Simulate {
  func runStudy() async throws {
    let count = ChargingStudy.trialCount(disconnects: disconnects)
    let progress = CountProgress(total: count, unit: "connections")
    let (rows, isInterrupted) = await StopSignal.finish(whenUnread: true) { [disconnects, jobs, confirmation] in
      await ChargingStudy.run(
        confirmationMilliseconds: confirmation.map { Int($0 * 1000) } ?? LifecycleTimes().confirmationMilliseconds,
        disconnects: disconnects, jobs: jobs, progress: { progress?.note($0) })
    }
    progress?.clear()
    let total = StudyTable.Total(rows)
    if !isInterrupted, total.trials < count { throw CommandFailure.noThread }
    if json {
      for row in rows { try Output.json(StudyTable.Line(row)) }
      try Output.json(total)
    } else {
      StudyTable.print(rows)
    }
    guard isInterrupted else { return }
    Output.note("ended after \(total.trials) of \(count) connections")
    throw ExitStatus.failed.code
  }
}

/// The study's rows as a table in Markdown, and as JSON.
enum StudyTable {
  static func print(_ rows: [ChargingStudy.Row]) {
    Output.line(
      "| case | policy | trials | phone: missed | false | median | 99 % | car: missed | false | median | 99 % |")
    Output.line("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|")
    var shown = ""
    for row in rows {
      let text = row.studyCase.text == shown ? "" : row.studyCase.text
      shown = row.studyCase.text
      Output.line(
        "| \(text) | \(row.policy.rawValue) | \(row.phone.trials) | \(columns(row.phone)) | \(columns(row.headUnit)) |")
    }
  }

  private static func columns(_ tally: ChargingStudy.Tally) -> String {
    [
      "\(tally.missed)", "\(tally.falseVerdicts)", tally.milliseconds(percent: 50).map { "\($0) ms" } ?? "–",
      tally.milliseconds(percent: 99).map { "\($0) ms" } ?? "–",
    ].joined(separator: " | ")
  }

  struct Line: Encodable {
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

    init(_ row: ChargingStudy.Row) {
      `case` = row.studyCase.name
      text = row.studyCase.text
      policy = row.policy.rawValue
      phone = Tally(row.phone)
      headUnit = Tally(row.headUnit)
    }
  }

  struct Total: Encodable {
    var event = "study"
    /// The number of connections.
    var trials: Int
    var disconnects: Int
    var rows: Int

    init(_ rows: [ChargingStudy.Row]) {
      trials = rows.reduce(0) { $0 + $1.phone.trials }
      disconnects = rows.reduce(0) { $0 + ($1.studyCase.event.isEnd ? $1.phone.trials : 0) }
      self.rows = rows.count
    }
  }
}
