// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// How far a long file is, on stderr, where a person sees it; gone when it is read.
final class ReadProgress: Sendable {
  private struct State {
    var byteCount = 0
    var shown: ContinuousClock.Instant?
  }

  private let total: Int?
  private let start = ContinuousClock.now
  private let state = Mutex(State())

  /// What takes less is not worth a word.
  private static let quietTime: Duration = .seconds(1)
  private static let interval: Duration = .milliseconds(250)

  /// Nil where nobody looks.
  ///
  /// - Parameter byteCount: the whole; nil where it is not known.
  init?(byteCount: Int?) {
    guard isatty(STDERR_FILENO) == 1 else { return nil }
    total = byteCount
  }

  /// - Parameter count: bytes that were read; 0 at the end.
  func add(_ count: Int) {
    let now = ContinuousClock.now
    let line = state.withLock { state -> String? in
      state.byteCount += count
      guard count > 0 else { return state.shown == nil ? nil : "" }
      guard now - start > Self.quietTime, state.shown.map({ now - $0 > Self.interval }) ?? true else { return nil }
      state.shown = now
      return Self.text(state.byteCount, of: total, after: now - start)
    }
    guard let line else { return }
    FileHandle.standardError.write(Data("\r\u{1B}[K\(line)".utf8))
  }

  /// `34 % of 2.1 GB, 250 MB/s, 6 s left`.
  static func text(_ byteCount: Int, of total: Int?, after duration: Duration) -> String {
    let seconds = max(duration / .seconds(1), 1e-3)
    let rate = Double(byteCount) / seconds
    let speed = "\(size(rate))/s"
    // A file that grows while it is read has no whole.
    guard let total, total >= byteCount, total > 0 else { return "\(size(Double(byteCount))), \(speed)" }
    let left = Int((Double(total - byteCount) / rate).rounded(.up))
    return "\(byteCount * 100 / total) % of \(size(Double(total))), \(speed), \(left) s left"
  }

  private static func size(_ byteCount: Double) -> String {
    let units = ["bytes", "kB", "MB", "GB", "TB"]
    var number = byteCount
    var unit = 0
    while number >= 1000, unit < units.count - 1 {
      number /= 1000
      unit += 1
    }
    let isSmall = unit > 0 && number < 10
    return String(format: isSmall ? "%.1f" : "%.0f", number) + " \(units[unit])"
  }
}
