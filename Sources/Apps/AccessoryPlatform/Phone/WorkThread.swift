// swift-iap2 · Apache-2.0

import Dispatch
import IAP2
import IAP2Transport
import Synchronization

/// A serial task executor with a thread of its own, and the clock of the tasks on it.
///
/// `EASession.init?` blocks its caller until the phone has answered. Nothing that it waits for may need the global pool
/// or the main actor, because its callers may block all of their threads. So the phone, its timers included, runs here.
/// The thread starts with the first job. It ends after ``idleMilliseconds`` without a job and without a sleeping task.
final class WorkThread: TaskExecutor, RuntimeClock {
  private struct State {
    var jobs: [UnownedJob] = []
    var isRunning = false
    /// The thread waits for ``wakeUp``.
    var isParked = false
  }

  private static var idleMilliseconds: Int { 200 }

  private let name: String
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let sleepers = SleepQueue()
  private let clock = WallClock()

  /// Creates an executor without a thread.
  ///
  /// - Parameter name: The name of the thread; Linux shows 15 bytes of it.
  init(_ name: String) { self.name = name }

  /// The time since the creation of the executor.
  var now: MonotonicTime { clock.now }

  /// Queues a job for the thread, and starts the thread if it does not run.
  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    continueThread { $0.jobs.append(job) }
  }

  private func continueThread(_ change: (inout State) -> Void) {
    let (starts, wakes) = state.withLock { state in
      change(&state)
      defer {
        state.isRunning = true
        state.isParked = false
      }
      return (!state.isRunning, state.isParked)
    }
    if wakes { wakeUp.signal() }
    guard starts, !canStartThread(name, { self.run() }) else { return }
    // Without another thread of its own, the work shares the pool of Dispatch.
    DispatchQueue.global().async { self.run() }
  }

  private enum Step {
    case jobs([UnownedJob])
    case wait(nanoseconds: Int64, isIdle: Bool)
  }

  private func run() {
    while true {
      let now = now
      for sleeper in sleepers.takeDue(at: now) { sleeper.wake() }
      let step: Step = state.withLock { state in
        if !state.jobs.isEmpty {
          defer { state.jobs.removeAll() }
          return .jobs(state.jobs)
        }
        state.isParked = true
        guard let first = sleepers.firstDeadline else {
          return .wait(nanoseconds: Int64(Self.idleMilliseconds) * 1_000_000, isIdle: true)
        }
        return .wait(nanoseconds: max(0, first.nanoseconds - now.nanoseconds), isIdle: false)
      }
      switch step {
      case .jobs(let jobs): for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
      case .wait(let nanoseconds, let isIdle):
        _ = wakeUp.wait(timeout: .now() + .nanoseconds(Int(nanoseconds)))
        let ends = state.withLock { state in
          state.isParked = false
          guard isIdle, state.jobs.isEmpty, sleepers.isEmpty else { return false }
          state.isRunning = false
          return true
        }
        if ends { return }
      }
    }
  }

  /// Returns after a time. Throws when the task is cancelled.
  func sleep(_ time: Duration) async throws(CancellationError) {
    try await sleep(until: now.adding(milliseconds: time.milliseconds))
  }

  /// Returns when the clock has reached the deadline. Throws when the task is cancelled.
  func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    // The thread may wait for a later deadline, or have ended.
    try await sleepers.sleep(until: deadline, whenAdded: { self.continueThread { _ in } })
  }
}

extension Duration {
  /// The milliseconds, rounded up.
  var milliseconds: Int {
    Int(components.seconds * 1000 + (components.attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
  }
}
