// swift-iap2 · Apache-2.0

public import IAP2

/// What a head unit or a phone tells its user.
public enum RoleEvent: Sendable, Equatable {
  public enum Direction: String, Sendable, Hashable { case sent, received }

  case transportOpened(address: String)
  case detected
  /// The other side speaks iAP1 only, so far.
  case legacyPeer
  /// What the other side proposed in a SYN.
  case proposal(LinkSynchronization)
  /// What we declared and agreed to, and what the peer declared.
  case linkUp(local: LinkSynchronization, remote: LinkSynchronization)
  case authenticated
  /// Both sides tell it; the reason is known where the judgement was made.
  case authenticationFailed(reason: String?)
  case identified
  /// The top-level identification parameters that were named.
  case identificationRejected(parameters: [UInt16])
  /// Every control message, with its bytes.
  case message(Direction, id: UInt16, bytes: [UInt8])
  case externalAccessoryOpened(protocol: String, session: UInt16)
  case externalAccessoryClosed(protocol: String, session: UInt16, bytesSent: Int, bytesReceived: Int)
  /// Bytes that were written to an EA session and that its orderly end could not send in time; before its end.
  case externalAccessoryUndelivered(protocol: String, session: UInt16, byteCount: Int)
  /// The service of an EA session did not return after the end of the connection and was cancelled.
  case externalAccessoryServiceStopped(protocol: String, session: UInt16)
  case carPlayAvailable(CarPlayAvailability)
  case carPlayStarted(CarPlayStartSession)
  /// The phone's battery, as the head unit hears of it.
  case powerChanged(PowerUpdate)
  /// The head unit's offer of current, as the phone hears of it.
  case powerSourceChanged(PowerSourceUpdate)
  case feature(FeatureEvent)
  case fileTransfer(FileTransferEvent)
  case violation(ProtocolViolation)
  /// The reader of the events was so far behind that these could not be kept.
  case eventsLost(count: Int)
  /// Both sides are ready: once for each connection, and once `disconnected` behind it.
  case connected
  /// Something speaks against the connection, and it is being checked.
  case suspected([Evidence])
  /// The peer gave a sign of life.
  case cleared
  case disconnected(Disconnection)
}

extension RoleEvent {
  /// The events without their values, features apart; the raw value is the name in JSON and scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case transportOpened, detected, legacyPeer, proposal, linkUp, authenticated, authenticationFailed, identified,
      identificationRejected, message, externalAccessoryOpened, externalAccessoryClosed, externalAccessoryUndelivered,
      externalAccessoryServiceStopped,
      carPlayAvailable,
      carPlayStarted, powerChanged, fileTransfer, violation, eventsLost, connected, suspected, cleared, disconnected
  }

  /// Why a connection ended, if this is its end.
  public var disconnectCause: DisconnectCause? { if case .disconnected(let end) = self { end.cause } else { nil } }

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

  /// Every name there is.
  public static let names = Set(Kind.allCases.map(\.rawValue) + FeatureEvent.Kind.allCases.map(\.rawValue))
}
