// swift-iap2 · Apache-2.0

public import IAP2

/// The time a connection runs by: the wall clock for live links, virtual time for runs and tests.
public protocol RuntimeClock: Sendable {
  var now: MonotonicTime { get }
  func sleep(until deadline: MonotonicTime) async throws(CancellationError)
}

/// The machine's monotonic clock, from its creation on.
public struct WallClock: RuntimeClock {
  private let origin = ContinuousClock.now

  public init() {}

  public var now: MonotonicTime {
    let elapsed = (ContinuousClock.now - origin).components
    return MonotonicTime(nanoseconds: elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000)
  }

  public func sleep(until deadline: MonotonicTime) async throws(CancellationError) {
    // The only error of `Task.sleep` is the cancellation.
    do {
      try await Task.sleep(until: origin + .nanoseconds(deadline.nanoseconds), clock: .continuous)
    } catch { throw CancellationError() }
  }
}
