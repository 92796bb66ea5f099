// swift-iap2 · Apache-2.0

public import IAP2

/// An event that a head unit or a phone reports to its user.
///
/// The large values are stored indirectly. Otherwise every event, and everything that may hold one, would take the 416
/// bytes of the largest.
public enum RoleEvent: Sendable, Equatable {
  /// The direction of a control message.
  public enum Direction: String, Sendable, Hashable {
    /// Sent by the side that reports the message, or received by it.
    case sent, received
  }

  /// The transport is open. `address` is the address that was passed to `Session.start(address:at:)`.
  case transportOpened(address: String)
  /// The peer speaks iAP2. Reported once per connection, even if the peer repeats its detect sequence.
  case detected
  /// The peer has spoken only iAP1 so far.
  case legacyPeer
  /// The values of a SYN or SYN+ACK of the peer: the first offer, an answer or a counter-offer.
  case proposal(LinkSynchronization)
  /// The link is up. `local` has this side's declarations and the agreed values, `remote` the peer's declarations.
  case linkUp(local: LinkSynchronization, remote: LinkSynchronization)
  /// Authentication succeeded.
  case authenticated
  /// Authentication failed. `reason` is nil if the peer made the decision.
  case authenticationFailed(reason: String?)
  /// The device accepted the identification: on the phone as the accessory sent it, on the head unit without the
  /// parameters that were removed after a rejection.
  indirect case identified(IdentificationInformation)
  /// The device rejected the identification; the ids of the top-level parameters that it named.
  case identificationRejected(parameters: [UInt16])
  /// A control message was sent or received; its id and its bytes, header included.
  case message(Direction, id: UInt16, bytes: [UInt8])
  /// An EA session opened; the name of its protocol and the id of the session.
  case externalAccessoryOpened(protocol: String, session: UInt16)
  /// An EA session closed; the name of its protocol, its id, and the bytes of data that it sent and received.
  case externalAccessoryClosed(protocol: String, session: UInt16, bytesSent: Int, bytesReceived: Int)
  /// Bytes that were written to an EA session could not be sent during its orderly end. Reported before
  /// ``externalAccessoryClosed(protocol:session:bytesSent:bytesReceived:)``.
  case externalAccessoryUndelivered(protocol: String, session: UInt16, byteCount: Int)
  /// The service of an EA session did not return after the end of the connection and was cancelled; see
  /// `Limits.externalAccessoryServiceMilliseconds`.
  case externalAccessoryServiceStopped(protocol: String, session: UInt16)
  /// The phone reported the availability of CarPlay. Both sides report this event.
  indirect case carPlayAvailable(CarPlayAvailability)
  /// The head unit answered an offer of CarPlay. Both sides report this event.
  indirect case carPlayStarted(CarPlayStartSession)
  /// The head unit received the power state of the phone.
  case powerChanged(PowerUpdate)
  /// The phone received the head unit's offer of current.
  case powerSourceChanged(PowerSourceUpdate)
  /// An event of a feature, such as now playing or route guidance.
  indirect case feature(FeatureEvent)
  /// An event of a file transfer.
  case fileTransfer(FileTransferEvent)
  /// A breach of the protocol by the peer, or an exceeded limit.
  case violation(ProtocolViolation)
  /// The reader of the events was too slow, and this number of events was dropped.
  case eventsLost(count: Int)
  /// Both sides are authenticated and identified. Reported at most once per connection, before ``disconnected(_:)``.
  case connected
  /// There is evidence against the connection, and it is being checked.
  case suspected([Evidence])
  /// The peer answered, so the suspicion is withdrawn.
  case cleared
  /// The connection ended; the cause, the evidence and the time.
  case disconnected(Disconnection)
}

extension RoleEvent {
  /// The events without their values and without the feature events. The raw value is the name in JSON and in
  /// scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One case for each event. `powerChanged` stands for both power events.
    case transportOpened, detected, legacyPeer, proposal, linkUp, authenticated, authenticationFailed, identified,
      identificationRejected, message, externalAccessoryOpened, externalAccessoryClosed, externalAccessoryUndelivered,
      externalAccessoryServiceStopped,
      carPlayAvailable,
      carPlayStarted, powerChanged, fileTransfer, violation, eventsLost, connected, suspected, cleared, disconnected
  }

  /// The reason why the connection ended; nil if this event is not ``disconnected(_:)``.
  public var disconnectCause: DisconnectCause? { if case .disconnected(let end) = self { end.cause } else { nil } }

  /// The accepted identification; nil if this event is not ``identified(_:)``.
  public var identification: IdentificationInformation? {
    if case .identified(let information) = self { information } else { nil }
  }

  /// The name in JSON and scenarios.
  public var name: String {
    let kind: Kind
    switch self {
    case .feature(let event): return event.kind.rawValue
    case .transportOpened: kind = .transportOpened
    case .detected: kind = .detected
    case .legacyPeer: kind = .legacyPeer
    case .proposal: kind = .proposal
    case .linkUp: kind = .linkUp
    case .authenticated: kind = .authenticated
    case .authenticationFailed: kind = .authenticationFailed
    case .identified: kind = .identified
    case .identificationRejected: kind = .identificationRejected
    case .message: kind = .message
    case .externalAccessoryOpened: kind = .externalAccessoryOpened
    case .externalAccessoryClosed: kind = .externalAccessoryClosed
    case .externalAccessoryUndelivered: kind = .externalAccessoryUndelivered
    case .externalAccessoryServiceStopped: kind = .externalAccessoryServiceStopped
    case .carPlayAvailable: kind = .carPlayAvailable
    case .carPlayStarted: kind = .carPlayStarted
    case .powerChanged, .powerSourceChanged: kind = .powerChanged
    case .fileTransfer: kind = .fileTransfer
    case .violation: kind = .violation
    case .eventsLost: kind = .eventsLost
    case .connected: kind = .connected
    case .suspected: kind = .suspected
    case .cleared: kind = .cleared
    case .disconnected: kind = .disconnected
    }
    return kind.rawValue
  }

  /// The names of all events, feature events included.
  public static let names = Set(Kind.allCases.map(\.rawValue) + FeatureEvent.Kind.allCases.map(\.rawValue))
}
