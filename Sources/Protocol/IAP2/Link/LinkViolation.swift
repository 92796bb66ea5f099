// swift-iap2 · Apache-2.0

/// A breach of the link's rules by the peer. Unless the case says otherwise, the bytes are ignored and the link goes
/// on.
public enum LinkViolation: Sendable, Equatable {
  /// Bytes that are not a packet were skipped.
  case garbage(byteCount: Int)
  /// A packet has a damaged header. One byte of it was skipped.
  case badHeader(LinkHeaderDamage)
  /// A packet has a wrong payload checksum and was dropped without an acknowledgement.
  case badPayloadChecksum(sequence: SequenceNumber)
  /// A packet is longer than this side declared. A complete one was dropped. If only its header was received, its
  /// length may be wrong, so one byte was skipped.
  case packetTooLong(byteCount: Int, limit: Int)
  /// The rest of a packet did not arrive in time. One byte of it was skipped.
  case partialPacket(byteCount: Int)
  /// A packet is further ahead than this side's window and was dropped.
  case outsideWindow(sequence: SequenceNumber)
  /// An acknowledgement of a packet that was not sent was ignored.
  case acknowledgementOutOfRange(SequenceNumber)
  /// A SYN has a malformed payload and was ignored.
  case badSynchronization(LinkSynchronizationError)
  /// The two sides could not agree on the link's values, or a proposed value cannot work. The link ends.
  case notNegotiated
  /// A peer repeated its SYN or SYN+ACK more often than `Limits.synchronizationRepetitions` and did not acknowledge
  /// the answer. The link ends.
  case synchronizationRepeated(limit: Int)
  /// Data before the link was up was ignored.
  case dataBeforeLinkUp
}

/// The damage of a packet header: a wrong checksum, or a length below nine bytes.
public enum LinkHeaderDamage: Sendable, Hashable {
  /// The header checksum is wrong.
  case checksum
  /// The length is below nine bytes.
  case length
}
