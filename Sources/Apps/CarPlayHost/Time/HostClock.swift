// swift-iap2 · Apache-2.0

import Synchronization

/// A car's clock. Its virtual time advances only when the app's main queue is idle, or when a test waits.
///
/// An app that accepts a `Clock` can use this one; its sleeps then end in virtual time. Other timing in an app, such as
/// `DispatchQueue`, `Timer` and `Task.sleep(for:)` without a clock, stays in real time.
public final class CarClock: Clock, Sendable {
  /// A point in virtual time, from the car's start.
  public struct Instant: InstantProtocol, Sendable, Hashable {
    /// The time since the car's start.
    public var offset: Duration

    /// Returns the instant later by a duration.
    public func advanced(by duration: Duration) -> Self { Self(offset: offset + duration) }
    /// Returns the duration to another instant.
    public func duration(to other: Self) -> Duration { other.offset - offset }
    /// Returns whether the left instant is earlier.
    public static func < (left: Self, right: Self) -> Bool { left.offset < right.offset }
  }

  private struct Sleeper {
    var id: UInt64
    var deadline: Instant
    var continuation: CheckedContinuation<Void, any Error>
  }

  private struct State {
    var now = Instant(offset: .zero)
    var nextID: UInt64 = 0
    var cancelled: Set<UInt64> = []
    /// The sleeps that are over but have not returned.
    var waking: Set<UInt64> = []
    var sleepers: [Sleeper] = []
  }

  private let state = Mutex(State())

  /// Creates a clock at zero.
  public init() {}

  /// The current virtual time.
  public var now: Instant { state.withLock(\.now) }
  /// The resolution; virtual time has no granularity.
  public var minimumResolution: Duration { .nanoseconds(1) }

  /// Advances virtual time without leaving the thread. It emulates slow work of an app without a slow test.
  public func spend(_ duration: Duration) { state.withLock { $0.now.offset += max(duration, .zero) } }

  /// Sleeps for a time of the car's clock, as ``sleep(until:tolerance:)`` does.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public nonisolated(nonsending) func sleep(for duration: Duration, tolerance: Duration? = nil) async throws {
    try await sleep(until: now.advanced(by: duration), tolerance: tolerance)
  }

  /// Sleeps until the car's clock reaches an instant.
  ///
  /// The function does not leave the caller's actor, so a sleep of the main actor begins and ends on the main queue,
  /// and the car waits until this queue is idle. On another thread, a sleep could begin or continue after the car has
  /// found the queue idle.
  ///
  /// - Throws: `CancellationError` when the task is cancelled.
  public nonisolated(nonsending) func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    try await sleep(until: deadline, isolation: #isolation)
  }

  /// Closures that use a parameter for the isolation stay on the actor. Closures in a function like the one above leave
  /// it.
  private func sleep(until deadline: Instant, isolation: isolated (any Actor)?) async throws {
    let id = state.withLock { state in
      state.nextID += 1
      return state.nextID
    }
    defer {
      state.withLock { state in
        state.cancelled.remove(id)
        state.waking.remove(id)
      }
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
        let end: Result<Void, any Error>? = state.withLock { state in
          if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
          if deadline <= state.now { return .success(()) }
          state.sleepers.append(Sleeper(id: id, deadline: deadline, continuation: continuation))
          return nil
        }
        if let end { continuation.resume(with: end) }
      }
    } onCancel: {
      let sleeper = state.withLock { state -> Sleeper? in
        guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
          state.cancelled.insert(id)
          return nil
        }
        return state.sleepers.remove(at: index)
      }
      sleeper?.continuation.resume(throwing: CancellationError())
    }
  }

  /// The earliest end of a sleep.
  var nextSleepEnd: Instant? { state.withLock { $0.sleepers.map(\.deadline).min() } }

  /// Whether a sleep is over but has not returned.
  var isWaking: Bool { state.withLock { !$0.waking.isEmpty } }

  /// Moves the clock forward and ends the sleeps that are due.
  func advance(to instant: Instant) {
    let due = state.withLock { state -> [Sleeper] in
      state.now = max(state.now, instant)
      let due = state.sleepers.filter { $0.deadline <= state.now }.sorted { $0.deadline < $1.deadline }
      state.sleepers.removeAll { $0.deadline <= state.now }
      state.waking.formUnion(due.map(\.id))
      return due
    }
    for sleeper in due { sleeper.continuation.resume() }
  }
}
