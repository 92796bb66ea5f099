// swift-iap2 · Apache-2.0

/// Where the connections on this transport stand. The cause of an end is part of the state.
enum SessionState: Sendable, Equatable {
  /// A connection is there, from the opened transport on.
  case open
  /// The orderly end of the connection was decided; EA sessions still send what was written.
  case draining(DisconnectCause)
  /// The orderly end of the connection was decided, for this cause; the link sends what is queued.
  case ending(DisconnectCause)
  /// The end of the connection was handled. The link may start again while the transport stays open.
  case ended(DisconnectCause)
  /// The last bytes leave; the transport is to be closed behind them.
  case over(DisconnectCause)
}
