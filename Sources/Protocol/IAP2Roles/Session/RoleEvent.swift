// swift-iap2 · Apache-2.0

public import IAP2

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
      identificationRejected, message, externalAccessoryOpened, externalAccessoryClosed, carPlayAvailable,
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

/// What a role wants done; the owner does it, in order.
public enum RoleAction: Sendable, Equatable {
  /// A whole control message.
  case send([UInt8])
  case event(RoleEvent)
  /// Accessory: fetch the certificate, then `certificateReady`.
  case fetchCertificate
  case fetchSerialNumber
  case sign(challenge: [UInt8])
  /// Device: judge it, then `certificateJudged`.
  case judge(certificate: [UInt8])
  case verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8])
  /// Opens it and sends `answer`; where it cannot be opened, the policy is asked to close it instead.
  case openExternalAccessory(session: UInt16, protocol: String, answer: [UInt8]?)
  case closeExternalAccessory(session: UInt16)
  /// Offers a file under an id that a message has announced.
  case sendFile(id: UInt8, bytes: [UInt8], type: UInt16?)
  case acceptFile(id: UInt8)
  case cancelFile(id: UInt8)
  /// The connection cannot go on; RST after what is queued.
  case end(DisconnectCause)
}

/// What a role is told.
public enum RoleInput: Sendable, Equatable {
  case linkUp(LinkSynchronization)
  case message(id: UInt16, bytes: [UInt8])
  case certificateReady([UInt8])
  case serialNumberReady([UInt8])
  case signatureReady([UInt8])
  /// The port could not do it; the text names why.
  case authenticatorFailed(String)
  /// The challenge to use; nil when the certificate was turned down, with why.
  case certificateJudged(challenge: [UInt8]?, reason: String?)
  case responseJudged(isValid: Bool, reason: String?)
  /// So much time has passed since the last tick; see ``RolePolicy/tickMilliseconds``.
  case tick(milliseconds: Int)
  case file(FileInput)
}

/// What a role is told of file transfers.
public enum FileInput: Sendable, Equatable {
  case offered(id: UInt8, FileTransferSetup)
  case data(id: UInt8, [UInt8], isLast: Bool)
  case delivered(id: UInt8)
  case failed(id: UInt8)
  case cancelled(id: UInt8)
}

/// The decisions of one role, without time, bytes on the wire or I/O.
public protocol RolePolicy: Sendable {
  var side: Side { get }
  mutating func handle(_ input: RoleInput) -> [RoleAction]
  /// The EA sessions that are open, for an orderly end.
  var openSessions: [UInt16: String] { get }
  /// The EA protocols that the identification has beside the link, where the medium has a place for them.
  var nativeProtocols: [String] { get }
  /// The messages that end a session, and what to do with it.
  mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction]
  /// Identification was accepted and authentication passed.
  var isReady: Bool { get }
  /// How often the role wants to hear that time has passed; nil while nothing goes on by itself.
  var tickMilliseconds: Int? { get }
  /// What is known of the phone's battery.
  var power: PowerSighting { get }
}
