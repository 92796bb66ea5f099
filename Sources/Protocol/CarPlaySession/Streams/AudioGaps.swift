// swift-iap2 · Apache-2.0

/// The missing packets of an audio stream, as runs of numbers in ascending order.
struct AudioGaps: Sendable {
  /// A run of missing packets.
  struct Gap: Sendable {
    var numbers: Range<Int64>
    /// The time at which a later packet arrived first.
    var since: Int64
    /// The time of the last request; nil before the first.
    var asked: Int64?
  }

  private var gaps: [Gap] = []
  /// The number after that of the newest packet; nil before the first.
  private(set) var end: Int64?

  /// Creates gaps of a stream that has not begun.
  init() {}

  /// Creates gaps of a stream whose first packet has a number.
  init(from first: Int64) { end = first }

  /// The run that the output waits for.
  var first: Gap? { gaps.first }

  /// Removes the first run.
  mutating func removeFirst() { gaps.removeFirst() }

  /// Records the arrival of a packet that has not arrived before and was not given up.
  mutating func arrive(_ number: Int64, at now: Int64) {
    let start = end ?? number
    if number >= start {
      if number > start { gaps.append(Gap(numbers: start..<number, since: now, asked: nil)) }
      end = number + 1
    } else if let index = gaps.firstIndex(where: { $0.numbers.contains(number) }) {
      let gap = gaps[index]
      let parts = [gap.numbers.lowerBound..<number, (number + 1)..<gap.numbers.upperBound]
      gaps.replaceSubrange(
        index...index,
        with: parts.filter { !$0.isEmpty }.map { Gap(numbers: $0, since: gap.since, asked: gap.asked) })
    }
  }

  /// Records that the sender sent every number below `announced`. Those after the newest packet are missing.
  mutating func announce(end announced: Int64, at now: Int64) {
    guard let end, announced > end else { return }
    gaps.append(Gap(numbers: end..<announced, since: now, asked: nil))
    self.end = announced
  }

  /// Returns the requests for the runs that were not requested within the interval before `now`.
  mutating func requests(at now: Int64, interval: Int64) -> [AudioRetransmitRequest] {
    var requests: [AudioRetransmitRequest] = []
    for index in gaps.indices {
      if let asked = gaps[index].asked, now &- asked < interval { continue }
      gaps[index].asked = now
      let numbers = gaps[index].numbers
      for first in stride(from: numbers.lowerBound, to: numbers.upperBound, by: AudioRetransmitRequest.maximumCount) {
        let count = min(Int64(AudioRetransmitRequest.maximumCount), numbers.upperBound - first)
        requests.append(
          AudioRetransmitRequest(first: UInt16(truncatingIfNeeded: first), count: UInt16(truncatingIfNeeded: count)))
      }
    }
    return requests
  }
}
