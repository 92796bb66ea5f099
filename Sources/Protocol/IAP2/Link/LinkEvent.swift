// swift-iap2 · Apache-2.0

/// The place of an event's bytes, which are valid until the next mutating call.
public struct LentPayload: Sendable, Hashable {
  enum Place: Sendable, Hashable {
    /// The bytes given to `receive`.
    case input
    /// A packet that was split between reads.
    case carry
    /// The packet of the reorder buffer that is being delivered.
    case reordered
    /// A message that was assembled from several packets.
    case assembled
  }
  /// The range of the payload inside its buffer.
  package var range: Range<Int>
  var place: Place

  /// The size of the payload in bytes.
  public var byteCount: Int { range.count }
}

/// The reason why a link ended.
public enum LinkEnd: Sendable, Hashable {
  /// This side closed the link: after all packets were acknowledged, after the time limit for that, or at once with
  /// RST.
  case closed
  /// The peer sent RST or restarted the link with a SYN, or this side reset it because of
  /// ``ProtocolViolation/messagesTooFast``.
  case reset
  /// The accessory sent DETECT on a link that was up and then answered no probe: it restarted without RST.
  case peerRestarted
  /// A packet was retransmitted as often as agreed and not acknowledged.
  case retransmissionLimit
  /// The device echoed no detect sequence. `legacyOnly` is true if it answered in iAP1.
  case notDetected(legacyOnly: Bool)
  /// The peer did not answer a SYN or SYN+ACK in time.
  case unanswered
  /// The two sides could not agree on the values, or the peer repeated its proposal and did not acknowledge the answer.
  case notNegotiated
}

/// An event that the link reports to its endpoint. Each data packet returns one, so the rare large cases are indirect.
enum LinkEvent: Sendable, Equatable {
  case detected
  case legacyPeer
  /// The values of a SYN or SYN+ACK of the peer: the first offer, an answer or a counter-offer.
  indirect case proposal(LinkSynchronization)
  indirect case up(local: LinkSynchronization, remote: LinkSynchronization)
  case data(session: UInt8, LentPayload)
  case down(LinkEnd)
  indirect case violation(LinkViolation)
}
