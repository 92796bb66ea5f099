// swift-iap2 · Apache-2.0

public import IAP2

/// An event of a role with its time.
public struct TimedEvent: Sendable, Equatable {
  /// The time on the role's clock.
  public var time: MonotonicTime
  /// The event.
  public var event: RoleEvent

  /// Creates an event with its time.
  package init(time: MonotonicTime, event: RoleEvent) {
    self.time = time
    self.event = event
  }
}
