// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// A line on stderr that replaces itself, where a person sees it.
final class ProgressLine: Sendable {
  private let start = ContinuousClock.now
  private let shown = Mutex<ContinuousClock.Instant?>(nil)

  /// What takes less is not worth a word.
  private static let quietTime: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(250)

  /// Nil where nobody looks.
  init?() { guard isatty(STDERR_FILENO) == 1 else { return nil } }

  /// - Parameter text: what to show after so much time; asked only when it is time for another line.
  func show(_ text: (Duration) -> String) {
    let now = ContinuousClock.now
    let isDue = shown.withLock { shown in
      guard now - start > Self.quietTime, shown.map({ now - $0 > Self.interval }) ?? true else { return false }
      shown = now
      return true
    }
    if isDue { write(text(now - start)) }
  }

  func clear() { if shown.withLock({ $0 != nil }) { write("") } }

  private func write(_ line: String) { Output.progress("\r\u{1B}[K\(line)") }
}
