// swift-iap2 · Apache-2.0

/// An event that an endpoint reports to its owner. Payloads are valid until the next mutating call.
///
/// Each data packet returns an event, so the rare large cases are indirect.
public enum ProtocolEvent: Sendable, Equatable {
  /// The peer speaks iAP2.
  case detected
  /// The peer answered in iAP1.
  case legacyPeer
  /// The values that the peer proposed in a SYN or SYN+ACK: its first offer, its answer or a counter-offer.
  indirect case proposal(LinkSynchronization)
  /// The link is up. `local` has the agreed values and the window of this side, `remote` the values that the peer
  /// declared.
  indirect case linkUp(local: LinkSynchronization, remote: LinkSynchronization)
  /// A whole control message, header included.
  case message(id: UInt16, LentPayload)
  /// Bytes of an open EA session.
  case externalAccessoryData(session: UInt16, LentPayload)
  /// The application did not read a session's bytes until the limit was reached. The session is closed on this side,
  /// and the owner must close it towards the peer.
  case externalAccessoryOverflow(session: UInt16)
  /// A file transfer changed or delivered bytes.
  case fileTransfer(FileTransferEvent)
  /// The link has ended.
  case linkDown(LinkEnd)
  /// The peer broke a rule. The violation states the effect.
  indirect case violation(ProtocolViolation)
}

/// A call that is not possible in the endpoint's present state. The call changed nothing.
public enum APIMisuse: Error, Equatable, Sendable {
  /// The link is not up.
  case linkNotUp
  /// The agreed list has no link session of this type.
  case noSession(LinkSessionType)
  /// No EA session with this id is open.
  case externalAccessorySessionNotOpen(UInt16)
  /// An EA session with this id is already open.
  case externalAccessorySessionAlreadyOpen(UInt16)
  /// A queue of this side is full; its limit: bytes of control messages, or datagrams about files.
  case queueFull(limit: Int)
  /// As many EA sessions are open as ``Limits/externalAccessorySessions`` allows.
  case tooManyExternalAccessorySessions(limit: Int)
  /// No transfer with this id is in a state that allows the call.
  case fileTransferNotPossible(id: UInt8)
  /// Every file id of this side is in use.
  case noFreeFileIdentifier
  /// The message is longer than ``Limits/messageByteCount``; its size in bytes.
  case messageTooLong(byteCount: Int)
}
