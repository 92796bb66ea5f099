// swift-iap2 · Apache-2.0

/// The state of the connections on a transport. The cause of an end is part of the state.
enum SessionState: Sendable, Equatable {
  /// There is a connection. It exists from the opening of the transport.
  case open
  /// An orderly end was decided for this cause, and EA sessions still send their written bytes.
  case draining(DisconnectCause)
  /// An orderly end was decided for this cause, and the link sends its queue.
  case ending(DisconnectCause)
  /// The end of the connection was handled. The link may restart while the transport is open.
  case ended(DisconnectCause)
  /// The last bytes are being sent. Then the owner closes the transport.
  case over(DisconnectCause)
}
