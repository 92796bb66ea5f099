// swift-iap2 · Apache-2.0

/// A point on a clock that never goes back, in nanoseconds since an origin that the caller chooses.
///
/// The core never reads a clock. Each call takes the time as an argument, so that tests and simulated runs use virtual
/// time and live links a monotonic system clock.
public struct MonotonicTime: Sendable, Hashable, Comparable, InstantProtocol {
  /// Nanoseconds since the origin.
  public var nanoseconds: Int64

  /// Creates a time from the nanoseconds since the origin.
  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The origin of the clock.
  public static let zero = MonotonicTime(nanoseconds: 0)

  /// Compares the nanoseconds since the same origin.
  @inlinable public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// Returns this time plus a number of milliseconds, which may be negative.
  @inlinable public func adding(milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  /// Returns this time plus a duration, which may be negative.
  public func advanced(by duration: Duration) -> MonotonicTime {
    let (seconds, attoseconds) = duration.components
    return MonotonicTime(nanoseconds: nanoseconds &+ seconds &* 1_000_000_000 &+ attoseconds / 1_000_000_000)
  }

  /// Returns the duration from this time to another one.
  public func duration(to other: MonotonicTime) -> Duration { .nanoseconds(other.nanoseconds &- nanoseconds) }

  /// The seconds since the origin, for output only: a `Double` does not hold every nanosecond.
  public var seconds: Double { Double(nanoseconds) / 1e9 }
}
