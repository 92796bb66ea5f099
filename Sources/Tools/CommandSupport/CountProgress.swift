// swift-iap2 · Apache-2.0

/// The progress of a long count, as a line on stderr.
package struct CountProgress: Sendable {
  private let total: Int
  private let unit: String
  private let line: ProgressLine

  /// Nil if stderr is not a terminal.
  package init?(total: Int, unit: String) {
    guard let line = ProgressLine() else { return nil }
    self.total = total
    self.unit = unit
    self.line = line
  }

  /// - Parameter count: the number of finished items, in any order of calls.
  package func note(_ count: Int) { line.show { Self.text(count, of: total, unit, after: $0) } }

  package func clear() { line.clear() }

  /// `34 % of 1000000 sessions, 850 a second, 13 min left`.
  package static func text(_ count: Int, of total: Int, _ unit: String, after duration: Duration) -> String {
    let rate = Double(count) / max(duration / .seconds(1), 1e-3)
    let left = Int((Double(total - count) / max(rate, 1e-3)).rounded(.up))
    let time = left >= 120 ? "\(left / 60) min" : "\(left) s"
    return "\(count * 100 / max(1, total)) % of \(total) \(unit), \(Int(rate)) a second, \(time) left"
  }
}
