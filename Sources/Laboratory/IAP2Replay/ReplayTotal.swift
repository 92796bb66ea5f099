// swift-iap2 · Apache-2.0

/// The sum of the reports of several replays of one recording.
package struct ReplayTotal: Sendable {
  package var loops = 0
  package var sent = 0
  package var received = 0
  package var matched = 0
  package var differences = 0
  package var tolerated = 0
  package var isEqual = true
  package var time = 0.0

  /// Creates an empty sum.
  package init() {}

  /// Adds the report of one replay.
  package mutating func add(_ report: ReplayReport) {
    loops += 1
    sent += report.sentCount
    received += report.receivedCount
    matched += report.matchedCount
    differences += report.differenceCount
    tolerated += report.toleratedCount
    isEqual = isEqual && report.isEqual
  }

  /// The last line of the JSON output.
  package var line: ReplayFinishedLine {
    ReplayFinishedLine(
      ok: isEqual, differences: differences, tolerated: tolerated, loops: loops, sent: sent, received: received,
      matched: matched, time: time)
  }
}

/// The last line of a replay in JSON.
package struct ReplayFinishedLine: Encodable {
  var event = "finished"
  /// Whether all differences are tolerated.
  var ok: Bool
  var differences: Int
  var tolerated: Int
  /// The number of replays.
  var loops: Int
  var sent: Int
  var received: Int
  var matched: Int
  var time: Double
}
