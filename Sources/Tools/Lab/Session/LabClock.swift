// swift-iap2 · Apache-2.0

import IAP2
import IAP2Transport
import Synchronization

/// The clock of a session whose both ends are ours: it stands still, or passes at a multiple of real time.
final class LabClock: RuntimeClock {
  private struct State {
    /// The time at a moment of real time, from which it passes.
    var time = MonotonicTime.zero
    var since = ContinuousClock.now
    var isPaused: Bool
    var speed: Double

    var now: MonotonicTime {
      guard !isPaused else { return time }
      return time.advanced(by: since.duration(to: .now) * speed)
    }

    mutating func stop() { (time, since) = (now, .now) }
  }

  private let state: Mutex<State>
  private let sleepers = SleepQueue()
  private let changed = Signal()

  init(isPaused: Bool, speed: Double) { state = Mutex(State(isPaused: isPaused, speed: speed)) }

  var now: MonotonicTime { state.withLock(\.now) }

  func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    try await sleepers.sleep(until: deadline) { self.changed.notify() }
  }

  /// Changes whether the time stands still, and how fast it passes.
  func set(isPaused: Bool, speed: Double) {
    state.withLock { state in
      state.stop()
      (state.isPaused, state.speed) = (isPaused, speed)
    }
    changed.notify()
  }

  var pace: (isPaused: Bool, speed: Double) { state.withLock { ($0.isPaused, $0.speed) } }

  /// Moves a clock that stands still to the next moment at which something happens. Returns false if there is none.
  func jump() -> Bool {
    guard let next = sleepers.firstDeadline else { return false }
    state.withLock { state in
      state.stop()
      if state.now < next { state.time = next }
    }
    changed.notify()
    return true
  }

  /// Wakes the tasks that sleep on the clock, until the task is cancelled.
  func run() async {
    while !Task.isCancelled {
      for sleeper in sleepers.takeDue(at: now) { sleeper.wake() }
      await wait(sleepers.firstDeadline.flatMap(realTime))
    }
    // Whoever still sleeps is cancelled by its owner.
  }

  /// The real time of a time; nil while the clock stands still before it.
  private func realTime(of deadline: MonotonicTime) -> ContinuousClock.Instant? {
    state.withLock { state in
      let left = state.now.duration(to: deadline)
      if left <= .zero { return .now }
      return state.isPaused ? nil : ContinuousClock.now.advanced(by: left / state.speed)
    }
  }

  private func wait(_ time: ContinuousClock.Instant?) async {
    await withTaskGroup(of: Void.self) { group in
      if let time { group.addTask { do { try await Task.sleep(until: time, clock: .continuous) } catch {} } }
      group.addTask { [changed] in await changed.wait() }
      await group.next()
      group.cancelAll()
    }
  }
}
