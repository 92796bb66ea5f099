// swift-iap2 · Apache-2.0

import CommandSupport
import Dispatch
import Synchronization
import Testing

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
    #expect(written.withLock { $0.isEmpty })
    gate.signal()
    queue.drain(.seconds(60))
    #expect(written.withLock { $0 } == [0, 1, 2, 3])
    #expect(lost.withLock { $0 } == [6])
    // A piece that is larger than the limit is written when nothing waits.
    queue.add(2 * OutputQueue.maximumByteCount) { _ in
    } _: {
      written.withLock { $0.append(10) }
    }
    queue.drain(.seconds(60))
    #expect(written.withLock { $0.last } == 10)
  }
}
