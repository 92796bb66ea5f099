// swift-iap2 · Apache-2.0

/// A request or a report of a ``Session`` to its owner, in order.
package enum SessionEvent: Sendable, Equatable {
  /// An event for the user of the role.
  case role(RoleEvent)
  /// An EA session is open, and its bytes may arrive.
  ///
  /// - `isRequested`: Whether ``Session/openExternalAccessory(_:at:)`` requested it. Otherwise the peer or a running
  ///   app did.
  /// - `isNative`: Whether its bytes go outside the link, through the owner.
  case opened(session: UInt16, protocol: String, isRequested: Bool, isNative: Bool)
  /// Bytes of an open EA session arrived, in order.
  case data(session: UInt16, [UInt8])
  /// An EA session closed or could not be opened. No more bytes follow; the bytes that arrived are still to be read.
  case closed(session: UInt16)
  /// A request to open the stream of an EA protocol that the identification places outside the link. The owner answers
  /// with ``SessionInput/nativeOpened(session:)`` or ``SessionInput/nativeUnavailable(session:)`` before any other
  /// input.
  case openNative(session: UInt16, protocol: String)
  /// A request to close a native stream. ``SessionInput/nativeEnded(session:)`` follows after everything that arrived
  /// was read.
  case closeNative(session: UInt16)
  /// A native EA session has ended. The owner reports
  /// ``RoleEvent/externalAccessoryClosed(protocol:session:bytesSent:bytesReceived:)`` with the bytes that it has
  /// counted so far.
  case nativeClosed(session: UInt16, protocol: String)
}

/// A request for work that a ``Session`` does not do itself: to sign a challenge, or to check a certificate or a
/// signature. A coprocessor may need 30 s.
package struct SessionRequest: Sendable, Equatable {
  /// The work to do: one of the authentication actions of ``RoleAction``.
  package var action: RoleAction
  /// The number of the connection that made the request. The answer to a request of an earlier connection is ignored.
  package var connection: Int
}

/// An input of a ``Session`` other than received bytes and time.
package enum SessionInput: Sendable, Equatable {
  /// The transport has closed.
  case transportClosed
  /// The user ends the connection in order: each EA session, then the queue, then RST.
  case disconnect
  /// The platform notified of a disconnect, rightly or not.
  case notice
  /// The result of a request; `nil` if there is none.
  case answer(to: SessionRequest, RoleInput?)
  /// The user ends an EA session after all written bytes are sent, or after its time limit.
  case closeExternalAccessory(session: UInt16)
  /// The user ends an EA session at once.
  case abortExternalAccessory(session: UInt16)
  /// The user has read this number of bytes of an EA session, so its sender may continue.
  case consumed(session: UInt16, byteCount: Int)
  /// The owner has opened a stream outside the link for the session.
  case nativeOpened(session: UInt16)
  /// The transport has no stream outside the link, so the session goes through the link.
  case nativeUnavailable(session: UInt16)
  /// The native stream failed while the link was up.
  case nativeFailed(session: UInt16)
  /// Everything that was written to the native stream has been sent.
  case nativeDrained(session: UInt16)
  /// The native stream is closed, and everything that arrived was read.
  case nativeEnded(session: UInt16)
  /// The service of an EA session that the peer or a running app opened has returned, after the session closed.
  case serviceEnded
}
