// swift-iap2 · Apache-2.0

package import IAP2

/// An action that a role requests. The owner carries out the actions in order.
package enum RoleAction: Sendable, Equatable {
  /// Sends a whole control message, header included.
  case send([UInt8])
  /// Reports an event to the user.
  case event(RoleEvent)
  /// Accessory: fetches the certificate. ``RoleInput/certificateReady(_:)`` is the answer.
  case fetchCertificate
  /// Accessory: fetches the serial number. ``RoleInput/serialNumberReady(_:)`` is the answer.
  case fetchSerialNumber
  /// Accessory: signs a challenge. ``RoleInput/signatureReady(_:)`` is the answer.
  case sign(challenge: [UInt8])
  /// Device: checks a certificate. ``RoleInput/certificateChecked(challenge:reason:)`` is the answer.
  case checkCertificate(certificate: [UInt8])
  /// Device: verifies the response to a challenge. ``RoleInput/responseChecked(isValid:reason:)`` is the answer.
  case verify(response: [UInt8], challenge: [UInt8], certificate: [UInt8])
  /// Opens an EA session and then sends `answer`. If the session cannot be opened,
  /// ``RolePolicy/closeExternalAccessory(_:)`` is called instead.
  case openExternalAccessory(session: UInt16, protocol: String, answer: [UInt8]?)
  /// Closes an EA session.
  case closeExternalAccessory(session: UInt16)
  /// Offers a file under an id that a message has announced. `type` is the file type in the setup datagram; nil omits
  /// it.
  case sendFile(id: UInt8, bytes: [UInt8], type: UInt16?)
  /// Accepts a file that the peer offers.
  case acceptFile(id: UInt8)
  /// Ends a file transfer in either direction, or declines an offer.
  case cancelFile(id: UInt8)
  /// Ends the connection. The queue is sent first, then RST.
  case end(DisconnectCause)
}

extension RoleAction {
  /// The size of the control message that the action sends; 0 for any other action.
  var messageByteCount: Int { if case .send(let message) = self { message.count } else { 0 } }
}

/// An input to a role.
package enum RoleInput: Sendable, Equatable {
  /// The link is up; this side's declarations and the agreed values.
  case linkUp(LinkSynchronization)
  /// A control message was received; its id and its bytes, header included.
  case message(id: UInt16, bytes: [UInt8])
  /// Accessory: the certificate.
  case certificateReady([UInt8])
  /// Accessory: the serial number.
  case serialNumberReady([UInt8])
  /// Accessory: the signature of the challenge.
  case signatureReady([UInt8])
  /// Accessory: the authenticator failed; the reason as text.
  case authenticatorFailed(String)
  /// Device: the result of the certificate check. `challenge` is the challenge to send; nil if the certificate was
  /// refused for `reason`.
  case certificateChecked(challenge: [UInt8]?, reason: String?)
  /// Device: the result of the response check; `reason` says why the response is not valid.
  case responseChecked(isValid: Bool, reason: String?)
  /// The time since the last tick in milliseconds; see ``RolePolicy/tickMilliseconds``.
  case tick(milliseconds: Int)
  /// An event of a file transfer.
  case file(FileInput)
}

/// An event of a file transfer, as an input to a role.
package enum FileInput: Sendable, Equatable {
  /// The peer offers a file. The role accepts or cancels it.
  case offered(id: UInt8, FileTransferSetup)
  /// A piece of a file of the peer arrived.
  case data(id: UInt8, [UInt8], isLast: Bool)
  /// The peer confirmed a whole file of this side.
  case delivered(id: UInt8)
  /// A transfer failed.
  case failed(id: UInt8)
  /// The peer cancelled a transfer.
  case cancelled(id: UInt8)
}

/// A policy that makes the decisions of one role. It has no clock, no link and no I/O.
package protocol RolePolicy: Sendable {
  /// The side that the role is on.
  var side: Side { get }
  /// Processes an input and returns the actions that follow from it, in order.
  mutating func handle(_ input: RoleInput) -> [RoleAction]
  /// The protocol names of the open EA sessions, by session id. An orderly end closes these sessions.
  var openSessions: [UInt16: String] { get }
  /// The names of the EA protocols that the identification places outside the link. They apply only on a transport that
  /// has streams for them.
  var nativeProtocols: [String] { get }
  /// Closes an EA session and returns the actions that end it; none if the session is not open.
  mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction]
  /// Whether identification was accepted and authentication succeeded.
  var isReady: Bool { get }
  /// The interval in milliseconds at which the role needs ticks; nil while nothing changes with time.
  var tickMilliseconds: Int? { get }
  /// The known power state of the phone.
  var power: PowerObservation { get }
}
