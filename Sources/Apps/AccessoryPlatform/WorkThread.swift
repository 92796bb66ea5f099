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
  private struct Sleeper {
    var deadline: MonotonicTime
    var order: Int
    var continuation: CheckedContinuation<Bool, Never>
  }

  private struct State {
    var jobs: [UnownedJob] = []
    var sleepers: [Sleeper] = []
    var cancelled: Set<Int> = []
    var order = 0
    var isRunning = false
    /// The thread waits for ``wakeUp``.
    var isParked = false
  }

  private static var idleMilliseconds: Int { 200 }

  private let name: String
  private let state = Mutex(State())
  private let wakeUp = DispatchSemaphore(value: 0)
  private let origin = ContinuousClock.now

  /// Creates an executor without a thread.
  ///
  /// - Parameter name: The name of the thread; Linux shows 15 bytes of it.
  init(_ name: String) { self.name = name }

  /// The time since the creation of the executor.
  var now: MonotonicTime {
    let elapsed = (ContinuousClock.now - origin).components
    return MonotonicTime(nanoseconds: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
  }

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
      for sleeper in dueSleepers() { sleeper.continuation.resume(returning: true) }
      let now = now
      let step: Step = state.withLock { state in
        if !state.jobs.isEmpty {
          defer { state.jobs.removeAll() }
          return .jobs(state.jobs)
        }
        state.isParked = true
        guard let first = state.sleepers.map(\.deadline).min() else {
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
          guard isIdle, state.jobs.isEmpty, state.sleepers.isEmpty else { return false }
          state.isRunning = false
          return true
        }
        if ends { return }
      }
    }
  }

  private func dueSleepers() -> [Sleeper] {
    let now = now
    return state.withLock { state in
      let due = state.sleepers.filter { $0.deadline <= now }
      if !due.isEmpty { state.sleepers.removeAll { $0.deadline <= now } }
      return due
    }
  }

  /// Returns when the clock has reached the deadline. Throws when the task is cancelled.
  func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    let order = state.withLock { state in
      state.order += 1
      return state.order
    }
    let hasSlept = await withTaskCancellationHandler {
      await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
        var isCancelled = false
        continueThread { state in
          if state.cancelled.remove(order) != nil {
            isCancelled = true
          } else {
            state.sleepers.append(Sleeper(deadline: deadline, order: order, continuation: continuation))
          }
        }
        if isCancelled { continuation.resume(returning: false) }
      }
    } onCancel: {
      let sleeper: Sleeper? = state.withLock { state in
        guard let index = state.sleepers.firstIndex(where: { $0.order == order }) else {
          state.cancelled.insert(order)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(returning: false)
    }
    state.withLock { _ = $0.cancelled.remove(order) }
    if !hasSlept { throw CancellationError() }
  }
}
