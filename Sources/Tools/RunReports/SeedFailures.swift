// swift-iap2 · Apache-2.0

import CommandSupport
import Synchronization

/// The line of a seed that failed.
package struct SeedFailure: Encodable, Sendable {
  package let event = "violation"
  package var seed: UInt64
  package var violations: [String]
  /// The command that plays the seed again.
  package var again: String

  package init(seed: UInt64, violations: [String], again: String) {
    (self.seed, self.violations, self.again) = (seed, violations, again)
  }

  package var text: String {
    ([Color.red("seed \(seed):")] + violations.map { "  \($0)" } + ["  again: \(again)"]).joined(separator: "\n")
  }
}

/// The failed seeds of a campaign, for its reports.
package final class SeedFailures: Sendable {
  /// The most seeds that a report names.
  private static let maximumCount = 100

  package init() {}

  private let state = Mutex<(lines: [SeedFailure], others: Int)>(([], 0))

  package func add(_ line: SeedFailure) {
    state.withLock { state in
      if state.lines.count < Self.maximumCount { state.lines.append(line) } else { state.others += 1 }
    }
  }

  /// Returns the report: a part for the campaign, which fails with any of its seeds, and one for each failed seed.
  ///
  /// - Parameter incomplete: Why not all seeds were played; nil if they were.
  package func report(title: String, facts: [String], incomplete: String?) -> RunReport {
    let (lines, others) = state.withLock { $0 }
    var report = RunReport(title: title)
    report.facts = ReportFacts.all + facts
    var all = RunReport.Part("all seeds")
    let count = lines.count + others
    all.failure = incomplete ?? (count == 0 ? nil : "\(count) seed\(count == 1 ? "" : "s") failed")
    if others > 0 { all.details = ["\(others) more seeds are not listed"] }
    report.parts = [all]
    for line in lines.sorted(by: { $0.seed < $1.seed }) {
      var part = RunReport.Part("seed \(line.seed)")
      (part.failure, part.details) = (line.violations.first, line.violations + ["again: \(line.again)"])
      report.parts.append(part)
    }
    return report
  }
}
