// swift-iap2 · Apache-2.0

/// What a ``Session`` asks of its owner or reports to it, in order.
public enum SessionEvent: Sendable, Equatable {
  /// An event for the user of the role.
  case role(RoleEvent)
  /// An EA session is open, and its bytes may come.
  ///
  /// - `isRequested`: ``Session/openExternalAccessory(_:at:)`` asked for it; otherwise the peer or a running app did.
  /// - `isNative`: its bytes go beside the link, through the owner.
  case opened(session: UInt16, protocol: String, isRequested: Bool, isNative: Bool)
  /// Bytes of an open EA session, in order.
  case data(session: UInt16, [UInt8])
  /// An EA session is over, or could not be opened. Nothing more comes of it; bytes that came are still to be read.
  case closed(session: UInt16)
  /// Open the stream of an EA protocol that the identification has beside the link. The owner answers with
  /// ``SessionInput/nativeOpened(session:)`` or ``SessionInput/nativeUnavailable(session:)`` before any other input.
  case openNative(session: UInt16, protocol: String)
  /// Close a native stream; ``SessionInput/nativeEnded(session:bytesSent:bytesReceived:)`` follows when
  /// everything that came was read.
  case closeNative(session: UInt16)
}

/// Work that a ``Session`` does not do itself: signing and judging, which may take a coprocessor 30 s.
public struct SessionRequest: Sendable, Equatable {
  /// One of the authentication actions of ``RoleAction``.
  public var action: RoleAction
  /// The connection that asks; the answer to an earlier connection is ignored.
  public var connection: Int
}

/// What happens to a ``Session`` beside received bytes and time.
public enum SessionInput: Sendable, Equatable {
  /// The transport has ended.
  case transportClosed
  /// End the connection in order: each EA session, what is queued, then RST.
  case disconnect
  /// The platform says that the connection is gone, rightly or not.
  case notice
  /// The result of a request; `nil` when there is none.
  case answer(to: SessionRequest, RoleInput?)
  /// End an EA session once everything that was written has left, or its time is over.
  case closeExternalAccessory(session: UInt16)
  /// End an EA session at once.
  case abortExternalAccessory(session: UInt16)
  /// So many bytes of an EA session were read, which lets its sender go on.
  case consumed(session: UInt16, byteCount: Int)
  /// The owner has a stream beside the link for the session.
  case nativeOpened(session: UInt16)
  /// The transport has no place beside the link; the session goes through the link.
  case nativeUnavailable(session: UInt16)
  /// The native stream failed while the link is up.
  case nativeFailed(session: UInt16)
  /// Everything written to the native stream has left.
  case nativeDrained(session: UInt16)
  /// The native stream is closed, and everything that came was read.
  case nativeEnded(session: UInt16, bytesSent: Int, bytesReceived: Int)
}
