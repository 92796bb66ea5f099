// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// A line on a terminal's stderr that is replaced by its next version.
package final class ProgressLine: Sendable {
  private let start = ContinuousClock.now
  private let shown = Mutex<ContinuousClock.Instant?>(nil)

  /// Durations below this threshold are not shown.
  private static let quietTime: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(250)

  /// Nil if stderr is not a terminal.
  package init?() { guard isatty(STDERR_FILENO) == 1 else { return nil } }

  /// - Parameter text: returns the text for the elapsed time. Called only when a new line is due.
  package func show(_ text: (Duration) -> String) {
    let now = ContinuousClock.now
    let isDue = shown.withLock { shown in
      guard now - start > Self.quietTime, shown.map({ now - $0 > Self.interval }) ?? true else { return false }
      shown = now
      return true
    }
    if isDue { write(text(now - start)) }
  }

  package func clear() { if shown.withLock({ $0 != nil }) { write("") } }

  private func write(_ line: String) { Output.progress(line) }
}
