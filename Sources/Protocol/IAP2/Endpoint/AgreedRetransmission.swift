// swift-iap2 · Apache-2.0

/// The retransmission values that a link has agreed on.
public struct AgreedRetransmission: Sendable, Hashable {
  /// The time between two transmissions of a packet in milliseconds.
  public var milliseconds: Int
  /// The number of retransmissions after which the link ends.
  public var limit: Int

  /// Creates a link's values.
  public init(milliseconds: Int, limit: Int) {
    self.milliseconds = milliseconds
    self.limit = limit
  }
}
