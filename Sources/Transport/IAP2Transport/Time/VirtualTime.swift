// swift-iap2 · Apache-2.0

public import IAP2
import Synchronization

/// The error of a run that cannot continue: no job is ready, no task sleeps, and the body has not returned.
///
/// Two causes are usual: both ends of a session wait for each other, or a task waits for real time or for a thread.
public struct VirtualTimeStalled: Error, Sendable, CustomStringConvertible {
  /// The virtual time at which the run stands still.
  public let time: MonotonicTime
  /// The participants of the run, each with the thing that it waits for.
  public let waits: [String]

  /// The time, the waits and the remedy, on lines of their own.
  public var description: String {
    (["virtual time stands still at \(time.seconds) s: no job is ready, and no task sleeps on its clock"]
      + waits.map { "- \($0)" }
      + ["Task.sleep, threads, queues and sockets do not move virtual time: sleep on the clock that the run passes on"])
      .joined(separator: "\n")
  }
}

/// A pace for virtual time: it decides in real time how far the clock advances. ``VirtualTime/run(_:)`` has none.
package protocol VirtualPace: Sendable {
  /// Waits, on the thread of the run, until the clock may advance.
  ///
  /// - Parameters:
  ///   - deadline: The time at which the next task wakes; nil if no task sleeps.
  ///   - now: The present time of the clock.
  /// - Returns: The time to which the clock advances, at most the deadline.
  func wait(for deadline: MonotonicTime?, now: MonotonicTime) -> MonotonicTime
  /// A job of another thread is ready: a wait ends.
  func wake()
}

/// A clock and task executor for virtual time. It runs every job on the calling thread. When no job is ready, it
/// advances the time to the earliest deadline of a sleeping task. A run does not wait for real time and is
/// deterministic.
///
/// Rules for code that runs inside: Child tasks, default actors and async streams stay on this executor. An
/// unstructured `Task` needs it as its executor preference. No code may wait for another thread or for a socket, and
/// `Task.sleep` does not move virtual time. `sleep(for:)` of this clock does. It is a `Clock`, so that code that takes
/// an `any Clock<Duration>` runs by it too.
public final class VirtualTime: TaskExecutor, RuntimeClock, Clock {
  private struct State {
    var now = MonotonicTime.zero
    var jobs: [UnownedJob] = []
    var parties: [VirtualParty] = []
  }

  private let state = Mutex(State())
  private let sleepers = SleepQueue()

  private let pace: (any VirtualPace)?

  private init(pace: (any VirtualPace)? = nil) { self.pace = pace }

  /// The virtual time since the start of the run.
  public var now: MonotonicTime { state.withLock { $0.now } }

  /// Queues a job for the thread that called `run`.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.jobs.append(job) }
    pace?.wake()
  }

  /// Runs the body to its end in virtual time.
  ///
  /// - Throws: The error of the body, or ``VirtualTimeStalled``.
  public static func run<Success: Sendable>(
    _ body: @escaping @Sendable (VirtualTime) async throws -> Success
  ) throws -> Success {
    try run(pace: nil, body)
  }

  /// Runs the body to its end in virtual time that advances at a pace. Other threads may wake its tasks.
  package static func run<Success: Sendable>(
    pace: (any VirtualPace)?, _ body: @escaping @Sendable (VirtualTime) async throws -> Success
  ) throws -> Success {
    let time = VirtualTime(pace: pace)
    let result = Mutex<Result<Success, any Error>?>(nil)
    Task(executorPreference: time) {
      let outcome: Result<Success, any Error>
      do { outcome = .success(try await time.participant("the run") { try await body(time) }) } catch {
        outcome = .failure(error)
      }
      result.withLock { $0 = outcome }
    }
    defer { time.finish() }
    while true {
      if let outcome = result.withLock({ $0 }) { return try outcome.get() }
      if time.runJobs() { continue }
      if let pace {
        time.advance(at: pace)
      } else if !time.wakeNext() {
        throw time.stalled
      }
    }
  }

  private var stalled: VirtualTimeStalled {
    let (now, parties) = state.withLock { ($0.now, $0.parties) }
    return VirtualTimeStalled(time: now, waits: parties.flatMap(\.lines))
  }

  func add(_ party: VirtualParty) { state.withLock { $0.parties.append(party) } }
  func remove(_ party: VirtualParty) { state.withLock { $0.parties.removeAll { $0 === party } } }

  /// Runs all ready jobs. Returns false if there were none.
  private func runJobs() -> Bool {
    var jobs: [UnownedJob] = []
    state.withLock { swap(&jobs, &$0.jobs) }
    for job in jobs { unsafe job.runSynchronously(on: asUnownedTaskExecutor()) }
    return !jobs.isEmpty
  }

  /// The rounds of jobs that tasks have after the end of a run. Each is the way from one wait to the next.
  private static let lastRounds = 1000

  /// Ends the tasks that still sleep. Otherwise nothing would ever wake them, and their memory would stay.
  private func finish() {
    sleepers.finish()
    var rounds = 0
    while rounds < Self.lastRounds, runJobs() { rounds += 1 }
  }

  /// Advances the time to the earliest deadline and wakes the first task that sleeps until then. Returns false if no
  /// task sleeps.
  private func wakeNext() -> Bool {
    guard let sleeper = sleepers.takeFirst() else { return false }
    state.withLock { $0.now = max($0.now, sleeper.deadline) }
    sleeper.wake()
    return true
  }

  /// Advances the time as far as a pace allows, and wakes the first task that sleeps until then.
  private func advance(at pace: any VirtualPace) {
    let deadline = sleepers.firstDeadline
    let time = pace.wait(for: deadline, now: now)
    state.withLock { $0.now = max($0.now, time) }
    if let deadline, deadline <= time { _ = wakeNext() }
  }

  /// The resolution of the clock, a nanosecond.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Sleeps until the virtual time reaches the deadline. The tolerance has no effect. Throws when the task is
  /// cancelled.
  public func sleep(until deadline: MonotonicTime, tolerance: Duration?) async throws {
    try await sleep(until: deadline)
  }

  /// Sleeps until the virtual time reaches the deadline. Throws when the task is cancelled.
  public func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    try await sleepers.sleep(until: deadline)
  }
}
