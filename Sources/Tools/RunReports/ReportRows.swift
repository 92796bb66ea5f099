// swift-iap2 · Apache-2.0

package import Basics
package import CarPlayCommand
package import CarPlayControl
package import CarPlaySession
import CommandSupport
import Foundation

/// The facts that stand in every report of a run.
package enum ReportFacts {
  package static var all: [String] {
    let words = ["iap2"] + ProcessInfo.processInfo.arguments.dropFirst()
    return [
      "Command: \(words.joined(separator: " "))", "Date: \(Date.now.formatted(.iso8601))",
      "iap2 \(ProgramVersion.number)",
    ]
  }
}

extension RunReport.Row.Kind {
  /// Creates the meaning of an event's row.
  init(_ severity: EventSeverity) {
    self =
      switch severity {
      case .detail: .detail
      case .step, .content: .content
      case .notice: .notice
      case .warning: .warning
      case .end: .end
      }
  }
}

extension CarPlayLine {
  /// Returns the row of an event in a report, if it has one.
  package static func row(
    _ event: SessionEvent, of side: SessionSide, at time: MonotonicTime, linkCause: String?
  ) -> RunReport.Row? {
    guard let record = event.record(of: side, linkCause: linkCause), record.declaration.audience == .everybody else {
      return nil
    }
    let (who, text) = words(of: record, of: side)
    return RunReport.Row(.init(record.declaration.severity), time: time.seconds, who: who, text)
  }
}

extension CarLine {
  /// The rows of the line in a report.
  package var reportRows: [RunReport.Row] {
    if case .step(_, let time) = self {
      return [RunReport.Row(.step, time: time, who: "step", record.text)]
    }
    return rows.map { row in
      let kind: RunReport.Row.Kind =
        switch row.tone {
        case .user: .notice
        case .toApp, .fromApp: .message
        case .screen: .content
        case .report: .warning
        case .failure: .end
        case .dim: .detail
        }
      return RunReport.Row(kind, time: row.time, who: row.who, row.text)
    }
  }
}
