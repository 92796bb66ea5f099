// swift-iap2 · Apache-2.0

/// A point on a clock that only goes forward, in nanoseconds since an origin the caller chose.
///
/// The core never reads a clock: each verb takes the time as an argument, so that tests and simulated runs use virtual
/// time and live links the wall clock.
public struct MonotonicTime: Sendable, Hashable, Comparable {
  /// Nanoseconds since the origin.
  public var nanoseconds: Int64

  public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

  /// The origin itself.
  public static let zero = MonotonicTime(nanoseconds: 0)

  @inlinable public static func < (a: Self, b: Self) -> Bool { a.nanoseconds < b.nanoseconds }

  /// This time and so many milliseconds more.
  @inlinable public func adding(milliseconds: Int) -> MonotonicTime {
    MonotonicTime(nanoseconds: nanoseconds &+ Int64(milliseconds) &* 1_000_000)
  }

  /// Seconds since the origin, for people and logs.
  public var seconds: Double { Double(nanoseconds) / 1e9 }
}
