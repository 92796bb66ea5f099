// swift-iap2 · Apache-2.0

import Foundation
import Synchronization

/// The progress of reading a long file, removed from the terminal at the end.
package final class ReadProgress: Sendable {
  private let total: Int?
  private let byteCount = Mutex(0)
  private let line: ProgressLine

  /// Nil if stderr is not a terminal.
  ///
  /// - Parameter byteCount: the length of the file; nil if it is unknown.
  package init?(byteCount: Int?) {
    guard let line = ProgressLine() else { return nil }
    total = byteCount
    self.line = line
  }

  /// - Parameter count: the number of bytes that were read; 0 at the end.
  package func add(_ count: Int) {
    guard count > 0 else { return line.clear() }
    let sum = byteCount.withLock { sum in
      sum += count
      return sum
    }
    line.show { Self.text(sum, of: total, after: $0) }
  }

  /// `34 % of 2.1 GB, 250 MB/s, 6 s left`.
  package static func text(_ byteCount: Int, of total: Int?, after duration: Duration) -> String {
    let seconds = max(duration / .seconds(1), 1e-3)
    let rate = Double(byteCount) / seconds
    let speed = "\(size(rate))/s"
    // A file that grows while it is read has no known length.
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
