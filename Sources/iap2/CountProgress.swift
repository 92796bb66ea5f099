// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// How far a long count is, on stderr, where a person sees it.
final class CountProgress: Sendable {
  private let total: Int
  private let unit: String
  private let start = ContinuousClock.now
  private let shown = Mutex<ContinuousClock.Instant?>(nil)

  private static let quietTime: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(250)

  /// Nil where nobody looks.
  init?(total: Int, unit: String) {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    self.total = total
    self.unit = unit
  }

  /// - Parameter count: what is done, in any order.
  func note(_ count: Int) {
    let now = ContinuousClock.now
    let isDue = shown.withLock { shown in
      guard now - start > Self.quietTime, shown.map({ now - $0 > Self.interval }) ?? true else { return false }
      shown = now
      return true
    }
    guard isDue else { return }
    write(Self.text(count, of: total, unit, after: now - start))
  }

  func clear() { if shown.withLock({ $0 != nil }) { write("") } }

  private func write(_ line: String) { FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8)) }

  /// `34 % of 1000000 sessions, 850 a second, 13 min left`.
  static func text(_ count: Int, of total: Int, _ unit: String, after duration: Duration) -> String {
    let rate = Double(count) / max(duration / .seconds(1), 1e-3)
    let left = Int((Double(total - count) / max(rate, 1e-3)).rounded(.up))
    let time = left >= 120 ? "\(left / 60) min" : "\(left) s"
    return "\(count * 100 / max(1, total)) % of \(total) \(unit), \(Int(rate)) a second, \(time) left"
  }
}
