// swift-iap2 · Apache-2.0

import Foundation

/// One figure of the report.
struct Figure {
  var name: String
  /// The measured amount per second.
  var rate: Double
  var unit: String
  /// The rate divided by the machine's limit, which is measured in the same run.
  var ratio: Double?
  var limit: String?

  var line: String {
    let scaled: String =
      rate >= 1e9
      ? String(format: "%8.2f G", rate / 1e9)
      : rate >= 1e6
        ? String(format: "%8.2f M", rate / 1e6)
        : rate >= 1e3 ? String(format: "%8.2f k", rate / 1e3) : String(format: "%8.2f  ", rate)
    let ratio = self.ratio.map { String(format: "   %5.2f of %@", $0, limit ?? "") } ?? ""
    return name.padding(toLength: max(62, name.count), withPad: " ", startingAt: 0) + scaled + unit + "/s" + ratio
  }
}

enum Measure {
  /// The seconds that each figure is measured for, after a warm-up of a tenth of that time.
  nonisolated(unsafe) static var seconds = 0.5

  /// CPU time of this thread in seconds. Other work on the machine changes it little.
  private static var threadSeconds: Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }

  /// Returns the best of three rounds: the calls of `body` per second of CPU time times `amount`.
  static func rate(_ amount: Double, _ body: () -> Void) -> Double {
    var batch = 1
    while true {
      let start = threadSeconds
      for _ in 0..<batch { body() }
      if threadSeconds - start > 0.02 { break }
      batch *= 2
    }
    var best = 0.0
    for _ in 0..<3 {
      let start = threadSeconds
      var count = 0
      repeat {
        for _ in 0..<batch { body() }
        count += batch
      } while unsafe threadSeconds - start < seconds / 3
      best = max(best, Double(count) * amount / (threadSeconds - start))
    }
    return best
  }
}

/// Keeps a result from being optimised away.
@inline(never)
func use<Value>(_ value: Value) { unsafe withUnsafePointer(to: value) { _ = unsafe $0 } }
