// swift-iap2 · Apache-2.0

import Dispatch
import IAP2Transport
import Synchronization

/// An executor with its own thread for an actor. Its jobs may block.
final class OwnThread: SerialExecutor {
  /// The queue of jobs. It exists until the thread has ended, which is after the executor's end.
  private final class Line: Sendable {
    private struct State {
      var jobs: [@Sendable () -> Void] = []
      var isOver = false
    }

    private let state = Mutex(State())
    // The count of added jobs, plus one for the end.
    private let added = DispatchSemaphore(value: 0)

    func add(_ job: @escaping @Sendable () -> Void) {
      state.withLock { $0.jobs.append(job) }
      added.signal()
    }

    func end() {
      state.withLock { $0.isOver = true }
      added.signal()
    }

    func run() {
      while true {
        added.wait()
        let next: (@Sendable () -> Void)? = state.withLock { $0.jobs.isEmpty ? nil : $0.jobs.removeFirst() }
        if let next { next() } else if state.withLock({ $0.isOver }) { return }
      }
    }
  }

  private let line = Line()

  /// Starts the thread.
  ///
  /// - Parameter name: The thread's name, by which the lab finds it.
  init(name: String) {
    let line = line
    startThread(name) { line.run() }
  }

  deinit { line.end() }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let executor = unsafe asUnownedSerialExecutor()
    line.add { unsafe job.runSynchronously(on: executor) }
  }
}
