// swift-iap2 · Apache-2.0

import IAP2Runtime
import IAP2Transport
import Synchronization

/// Independent runs that are distributed over threads.
package enum Parallel {
  /// Calls `body` for each number below `count`, on `jobs` threads. Each thread has its own total. After a
  /// cancellation, no further number starts.
  ///
  /// - Parameters:
  ///   - count: the number of runs.
  ///   - jobs: the number of threads; values below 1 mean 1.
  ///   - initial: the initial total of each thread.
  ///   - progress: called from several threads after each run, with the number of completed runs.
  ///   - body: called from several threads, once for each number, in no fixed order.
  /// - Returns: one total for each thread that the system could start; empty if it could start none.
  package static func run<Total: Sendable>(
    count: Int, jobs: Int, from initial: Total, progress: @escaping @Sendable (Int) -> Void = { _ in },
    _ body: @escaping @Sendable (Int, inout Total) -> Void
  ) async -> [Total] {
    let numbers = Numbers(count: count)
    return await withTaskCancellationHandler {
      await withTaskGroup(of: Total?.self) { group in
        for job in 0..<max(1, jobs) {
          group.addTask {
            await withCheckedContinuation { (done: CheckedContinuation<Total?, Never>) in
              // Virtual time blocks the calling thread, which must not be a thread of the cooperative pool.
              let isStarted = canStartThread("iap2-sim-\(job)") {
                var total = initial
                while let number = numbers.next() {
                  body(number, &total)
                  progress(numbers.finished())
                }
                done.resume(returning: total)
              }
              // The other threads do its work.
              if !isStarted { done.resume(returning: nil) }
            }
          }
        }
        return await group.reduce(into: []) { totals, total in if let total { totals.append(total) } }
      }
    } onCancel: {
      numbers.stop()
    }
  }

  private final class Numbers: Sendable {
    private let count: Int
    private let given = Atomic(0)
    private let done = Atomic(0)
    private let isStopped = Atomic(false)

    init(count: Int) { self.count = count }

    func next() -> Int? {
      guard !isStopped.load(ordering: .relaxed) else { return nil }
      let number = given.wrappingAdd(1, ordering: .relaxed).oldValue
      return number < count ? number : nil
    }

    func stop() { isStopped.store(true, ordering: .relaxed) }

    func finished() -> Int { done.wrappingAdd(1, ordering: .relaxed).newValue }
  }
}
