// swift-iap2 · Apache-2.0

/// What an endpoint tells its owner. Payloads are lent: they are valid until the next mutating call.
public enum ProtocolEvent: Sendable, Equatable {
  /// The other side speaks iAP2.
  case detected
  /// The other side answered in iAP1.
  case legacyPeer
  /// What the peer proposed in a SYN: its first, its answer or a counter-offer.
  case proposal(LinkSynchronization)
  /// The link is up: what we declared and agreed to, and what the peer declared.
  case linkUp(local: LinkSynchronization, remote: LinkSynchronization)
  /// A whole control message, header included.
  case message(id: UInt16, LentPayload)
  /// Bytes of an open EA session.
  case externalAccessoryData(session: UInt16, LentPayload)
  /// Nobody read the session's bytes until its limit was reached: it is closed here, and the peer must be told.
  case externalAccessoryOverflow(session: UInt16)
  case fileTransfer(FileTransferEvent)
  case linkDown(LinkEnd)
  /// The peer broke a rule; the effect is told there.
  case violation(ProtocolViolation)
}

/// What the caller did that cannot be done now.
public enum APIMisuse: Error, Equatable, Sendable {
  case linkNotUp
  /// The link has no session of this type.
  case noSession(LinkSessionType)
  case externalAccessorySessionNotOpen(UInt16)
  case externalAccessorySessionAlreadyOpen(UInt16)
  /// A queue of ours is full: its limit in bytes.
  case queueFull(limit: Int)
  case tooManyExternalAccessorySessions(limit: Int)
  case fileTransferNotPossible(id: UInt8)
  case noFreeFileIdentifier
  case messageTooLong(byteCount: Int)
}
