// swift-iap2 · Apache-2.0

import Synchronization

/// Collects a report while a run goes on. What exceeds its limits is counted.
package final class RunRecorder: Sendable {
  /// The most rows of a report. A page with more of them is slow in a browser.
  static let maximumRows = 20_000
  /// The most bytes of all pictures of a report.
  static let maximumPictureByteCount = 48 << 20

  private struct State {
    var report: RunReport
    var rows = 0
    var pictureByteCount = 0
    var hasLeftPicturesOut = false
  }

  private let state: Mutex<State>

  package init(title: String) { state = Mutex(State(report: RunReport(title: title))) }

  /// The report so far.
  package var report: RunReport {
    state.withLock { state in
      var report = state.report
      if state.hasLeftPicturesOut { report.facts.append("Later pictures are left out: they are too many for a page.") }
      return report
    }
  }

  /// Begins a part.
  package func begin(_ name: String) { state.withLock { $0.report.parts.append(RunReport.Part(name)) } }

  /// Begins a part if there is none.
  package func beginFirst(_ name: String) {
    state.withLock { if $0.report.parts.isEmpty { $0.report.parts.append(RunReport.Part(name)) } }
  }

  package func add(_ row: RunReport.Row) {
    state.withLock { state in
      guard let last = state.report.parts.indices.last else { return }
      guard state.rows < Self.maximumRows else {
        state.report.parts[last].omitted += 1
        return
      }
      state.rows += 1
      state.report.parts[last].rows.append(row)
    }
  }

  /// Adds a picture to the last row.
  package func add(_ picture: RunReport.Picture) {
    state.withLock { state in
      guard let part = state.report.parts.indices.last, let row = state.report.parts[part].rows.indices.last else {
        return
      }
      guard state.pictureByteCount + picture.bytes.count <= Self.maximumPictureByteCount else {
        state.hasLeftPicturesOut = true
        return
      }
      state.pictureByteCount += picture.bytes.count
      state.report.parts[part].rows[row].pictures.append(state.report.pictures.count)
      state.report.pictures.append(picture)
    }
  }

  /// Ends the last part.
  package func end(failure: String?, details: [String] = [], seconds: Double? = nil) {
    change { report in
      guard let last = report.parts.indices.last else { return }
      (report.parts[last].failure, report.parts[last].details) = (failure, details)
      report.parts[last].seconds = seconds ?? report.parts[last].seconds
    }
  }

  package func change(_ body: (inout RunReport) -> Void) { state.withLock { body(&$0.report) } }
}
