// swift-iap2 · Apache-2.0

/// The other messages of a subscription. The fact belongs to its Start message, whose sender is the subscriber.
public struct MessageSubscription: Sendable, Hashable {
  /// The id of the message with which the subscriber ends the subscription.
  package var stop: UInt16
  /// The ids of the messages that the other side sends until then.
  package var updates: [UInt16]

  /// Creates a subscription.
  public init(stop: UInt16, updates: [UInt16]) {
    self.stop = stop
    self.updates = updates
  }
}
