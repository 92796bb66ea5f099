// swift-iap2 · Apache-2.0

/// Why a connection ended; one per connection and side.
public enum DisconnectCause: String, Sendable, Hashable, CaseIterable {
  /// We ended it, in order.
  case requested
  /// The peer sent RST, with or without the end of the transport within a second; or a quirk of ours did.
  case linkReset
  /// The transport ended without a word.
  case transportClosed
  /// A packet was sent as often as agreed and never acknowledged.
  case retransmissionLimit
  /// Detection, negotiation or identification was not done in time.
  case timeout
  case authenticationFailed
  case identificationRejected
  /// The platform said so, and the link gave no sign of life.
  case notification
  /// The phone was no longer supplied, and the link gave no sign of life.
  case chargingStopped
  /// The peer ended its sessions, and the link gave no sign of life.
  case sessionEnded
  /// Another connection began while this one was believed in.
  case replugged
}
