// swift-iap2 · Apache-2.0

/// A filter for the times of a binary capture's records. It replaces times that no capture program can mean.
///
/// A time is plausible in the range of pcap, 1970 to 2106, if it is at most a year from the time before it. A record
/// without a plausible time takes the time before it, so the order of the records stays (FieldBehavior.md#f31).
struct CaptureClock: Sendable {
  /// The number of implausible times, and the number of the first record that has one.
  private(set) var implausible: (count: Int, firstRecord: Int)?
  /// The last time in the plausible range as the file has it, and the time that stands for it.
  private var last: (written: Int64, time: Int64)?
  private var hasLeftRange = false

  /// The range of the seconds of pcap, in nanoseconds.
  static let range: Range<Int64> = 0..<(1 << 32) * 1_000_000_000
  /// The longest step between two records. A clock that is set at start-up makes a longer one.
  private static let longestStep: Int64 = 366 * day
  private static let day: Int64 = 86_400 * 1_000_000_000

  /// Returns the time of a record; nil while no record had a plausible one.
  ///
  /// - Parameter written: the time in nanoseconds since the Unix epoch. Times beyond 64 bits are given as the nearest.
  mutating func time(_ written: Int64, record: Int) -> Int64? {
    guard Self.range.contains(written) else {
      hasLeftRange = true
      note(record)
      return last?.time
    }
    guard let last else {
      self.last = (written, written)
      return written
    }
    let step = written - last.written
    let (time, isTooFar) = last.time.addingReportingOverflow(step)
    // In a file with times out of range, a time within it is as likely to be wrong.
    guard abs(step) <= (hasLeftRange ? Self.day : Self.longestStep), !isTooFar else {
      note(record)
      self.last = (written, last.time)
      return last.time
    }
    self.last = (written, time)
    return time
  }

  private mutating func note(_ record: Int) {
    implausible = (count: (implausible?.count ?? 0) + 1, firstRecord: implausible?.firstRecord ?? record)
  }
}
