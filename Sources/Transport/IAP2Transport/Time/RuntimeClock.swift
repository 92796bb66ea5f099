// swift-iap2 · Apache-2.0

public import IAP2

/// A clock that a connection runs by: the wall clock for live links, virtual time for simulations and tests.
public protocol RuntimeClock: Sendable {
  /// The current time of this clock.
  var now: MonotonicTime { get }
  /// Returns when the clock has reached the deadline. Throws when the task is cancelled.
  func sleep(until deadline: MonotonicTime) async throws(CancellationError)
}

/// The machine's monotonic clock. Its zero is the moment of its creation.
public struct WallClock: RuntimeClock {
  private let origin = ContinuousClock.now

  /// Creates a clock that starts at zero.
  public init() {}

  /// The time since the creation of the clock.
  public var now: MonotonicTime {
    let elapsed = (ContinuousClock.now - origin).components
    return MonotonicTime(nanoseconds: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
  }

  /// Sleeps until the deadline. Throws when the task is cancelled.
  public func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    // `Task.sleep` throws only on cancellation.
    do {
      try await Task.sleep(until: origin + .nanoseconds(deadline.nanoseconds), clock: .continuous)
    } catch { throw CancellationError() }
  }
}
