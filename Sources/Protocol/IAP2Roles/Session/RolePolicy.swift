// swift-iap2 · Apache-2.0

public import IAP2

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
