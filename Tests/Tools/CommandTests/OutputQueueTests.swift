// swift-iap2 · Apache-2.0

import CommandSupport
import Dispatch
import IAP2
import Synchronization
import Testing

@testable import CarPlayCommand

@Suite struct OutputQueueTests {
  @Test func anOutputThatNobodyReadsStopsNothingAndTellsWhatIsMissing() async {
    let queue = OutputQueue("test")
    let gate = DispatchSemaphore(value: 0)
    let written = Mutex<[Int]>([])
    let lost = Mutex<[Int]>([])
    let size = OutputQueue.maximumByteCount / 4
    // The first piece waits for its reader. Three more fit behind it, and six do not.
    for number in 0..<10 {
      queue.add(size) { count in
        lost.withLock { $0.append(count) }
      } _: {
        if number == 0 { gate.wait() }
        written.withLock { $0.append(number) }
      }
    }
    #expect(written.withLock { $0.isEmpty } && !queue.drain(.milliseconds(20)))
    gate.signal()
    while written.withLock({ $0.count < 4 }) { await Task.yield() }
    #expect(queue.drain(.seconds(60)))
    #expect(written.withLock { $0 } == [0, 1, 2, 3])
    #expect(lost.withLock { $0 } == [6])
    // A piece that is larger than the limit is written when nothing waits.
    queue.add(2 * OutputQueue.maximumByteCount) { _ in
    } _: {
      written.withLock { $0.append(10) }
    }
    while written.withLock({ $0.last != 10 }) { await Task.yield() }
  }

  @Test func aSecondHasALimitOfLinesAndTellsWhatWasLeftOut() {
    var limit = LineLimit()
    func shown(_ count: Int, _ milliseconds: Int) -> (shown: Int, leftOut: Int) {
      var sum = (shown: 0, leftOut: 0)
      for _ in 0..<count {
        let (isShown, leftOut) = limit.take(at: MonotonicTime.zero.advanced(by: .milliseconds(milliseconds)))
        sum = (sum.shown + (isShown ? 1 : 0), sum.leftOut + leftOut)
      }
      return sum
    }
    #expect(shown(150, 0) == (LineLimit.maximumCount, 0) && shown(10, 999) == (0, 0))
    #expect(shown(10, 1000) == (10, 60) && shown(10, 3000) == (10, 0))
  }
}
