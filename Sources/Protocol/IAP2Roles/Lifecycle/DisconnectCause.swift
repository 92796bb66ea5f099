// swift-iap2 · Apache-2.0

/// The reason why a connection ended, one per connection and side. The raw value is the name in JSON and in scenarios.
public enum DisconnectCause: String, Sendable, Hashable, CaseIterable {
  /// This side ended the connection in order.
  case requested
  /// The peer sent RST or restarted the link with a SYN, or a quirk of this side reset the link. The cause stays if the
  /// transport then closes before the link restarts.
  case linkReset
  /// The accessory restarted without RST: it sent DETECT on a link that was up and then answered no probe. The link
  /// restarts on the open transport.
  case peerRestarted
  /// The transport closed without RST.
  case transportClosed
  /// A packet was retransmitted as often as agreed and never acknowledged.
  case retransmissionLimit
  /// The two sides could not agree on the link's values, or the peer repeated its SYN and never acknowledged the
  /// answer.
  case negotiationFailed
  /// Detection, negotiation or identification did not finish in time, or a silent peer answered no probe.
  case timeout
  /// The device refused the accessory, or the accessory's authenticator failed.
  case authenticationFailed
  /// The device rejected the identification and there is no further attempt, or the accessory cancelled identification.
  case identificationRejected
  /// The platform notified of a disconnect. Under ``LifecyclePolicy/evidence`` a check has confirmed it.
  case notification
  /// The phone was no longer supplied with power. Under ``LifecyclePolicy/evidence`` a check has confirmed the
  /// disconnect.
  case chargingStopped
  /// The peer ended CarPlay or its last EA session, and a check has confirmed the disconnect.
  case sessionEnded
  /// Another connection began while this one was still regarded as connected.
  case replugged
}
