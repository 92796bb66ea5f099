// swift-iap2 · Apache-2.0

import IAP2

/// A limit for the lines of one second.
struct LineLimit {
  /// The largest number of lines in a second. A phone that tries again and again makes some, an app with a log too.
  /// Ours.
  static let maximumCount = 100

  private var since: MonotonicTime?
  private var count = 0

  /// Counts a line.
  ///
  /// - Returns: Whether the line is shown, and the number of lines that were left out in the seconds before.
  mutating func take(at time: MonotonicTime) -> (isShown: Bool, leftOut: Int) {
    var leftOut = 0
    if since.map({ $0.advanced(by: .seconds(1)) <= time }) ?? true {
      leftOut = max(0, count - Self.maximumCount)
      (since, count) = (time, 0)
    }
    count += 1
    return (count <= Self.maximumCount, leftOut)
  }
}
