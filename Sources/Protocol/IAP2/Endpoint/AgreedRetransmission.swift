// swift-iap2 · Apache-2.0

/// The retransmission values that a link has agreed on.
package struct AgreedRetransmission: Sendable, Hashable {
  /// The time between two transmissions of a packet in milliseconds.
  package var milliseconds: Int
  /// The number of retransmissions after which the link ends.
  package var limit: Int

  /// Creates a link's values.
  package init(milliseconds: Int, limit: Int) {
    self.milliseconds = milliseconds
    self.limit = limit
  }
}
