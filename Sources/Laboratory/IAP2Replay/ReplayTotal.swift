// swift-iap2 · Apache-2.0

package import Basics

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
  package var line: EventRecord {
    ReplayEvent.finished(isEqual, differences, tolerated, loops, sent, received, matched, time)
  }
}
