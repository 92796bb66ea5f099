// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Formats

/// A policy that makes the decisions of the accessory. In authentication and identification it only answers, in either
/// order.
///
/// Before both are complete, it answers no message of a feature (Authentication.md#both-needed; high). A peer that skips a
/// step does not get the credentials of the Wi-Fi. After both, it offers power, sends its requests and answers the phone's requests. It sends only messages that its
/// identification lists. After a rejected identification it tries once more without the optional parameters that the
/// phone named.
package struct HeadUnitPolicy: RolePolicy {
  /// The side of a head unit, `Side.accessory`.
  package let side = Side.accessory
  let profile: HeadUnitProfile
  /// The current state of the car, which ``change(_:)`` changes.
  package internal(set) var state: HeadUnitState
  private(set) var identification: IdentificationInformation
  /// The protocol names of the open EA sessions, by session id.
  package internal(set) var openSessions: [UInt16: String] = [:]
  private var hasRetried = false
  private var authentication = Authentication.pending
  private var agreement = Agreement.pending

  // The values that the phone has sent.
  var nowPlaying = PeerState<NowPlayingUpdate>()
  var communications = PeerState<CommunicationsUpdate>()
  var calls: [String: PeerState<CallStateUpdate>] = [:]
  var routeGuidance = PeerState<RouteGuidanceUpdate>()
  /// The maneuvers that the phone has sent, by index. A phone sends each one only once, so they are kept until there is
  /// no route.
  package internal(set) var maneuvers: [UInt16: RouteGuidanceManeuverUpdate] = [:]
  /// The lanes before maneuvers that the phone has sent, by index. They are kept until there is no route.
  package internal(set) var lanes: [UInt16: LaneGuidanceInformation] = [:]
  var files: [UInt8: IncomingFile] = [:]

  // Requests of the phone, and the values that were sent last.
  var vehicleStatus = Subscription<VehicleStatusUpdate>()
  var sentPower: PowerSourceUpdate?
  /// The power state of the phone, as the phone reported it.
  package internal(set) var power = PowerObservation()
  var locationKinds: Set<LocationSentence> = []
  var isLocationWanted = false
  /// The kinds of CarPlay that the phone offers now.
  var carPlayOffers: (wired: Bool, wireless: Bool) = (false, false)
  /// The messages of the phone that must arrive before the head unit sends its requests.
  private var awaited: Set<UInt16>

  /// The step of authentication. A success without an answered challenge is out of turn
  /// (Authentication.md#success-needs-challenge; low).
  private enum Authentication { case pending, answered, succeeded }
  /// The step of identification.
  private enum Agreement { case pending, sent, accepted }

  /// The unsolicited messages of a phone about itself. They are processed once the identification is accepted, and are not
  /// answered (Authentication.md#unasked-before-both; low).
  private static let unasked: Set<UInt16> = [
    DeviceInformationUpdate.id, DeviceLanguageUpdate.id, DeviceTimeUpdate.id, DeviceUUIDUpdate.id,
    DeviceTransportIdentifierNotification.id, WirelessCarPlayUpdate.id,
  ]

  /// The parameters that every identification needs (Identification.md#required; medium).
  package static let requiredParameters = Set(IdentificationInformation.rows.filter(\.count.isRequired).map(\.id))

  /// Creates the policy of a connection on which nothing was received yet.
  package init(profile: HeadUnitProfile) {
    self.profile = profile
    state = profile.state
    identification = profile.identification
    awaited = profile.waitsFor
  }

  /// The names of the EA protocols that the identification places outside the link.
  package var nativeProtocols: [String] { identification.nativeProtocols }

  /// Whether authentication succeeded and the phone accepted the identification.
  package var isReady: Bool { authentication == .succeeded && agreement == .accepted }

  /// Whether the phone requests location now.
  package var reportsLocation: Bool { isReady && !locationKinds.isEmpty }

  /// The tick interval in milliseconds; nil unless the policy is ready, the phone requests location and the track has
  /// sentences left.
  package var tickMilliseconds: Int? {
    reportsLocation && state.track?.isFinished == false ? Self.trackMilliseconds : nil
  }

  /// The tick interval in milliseconds while a track is driven. Positions come about once a second; this interval
  /// suffices for ten a second.
  private static var trackMilliseconds: Int { 100 }

  /// Processes an input and returns the actions that follow from it. A malformed message is reported as a violation.
  package mutating func handle(_ input: RoleInput) -> [RoleAction] {
    switch input {
    case .linkUp: return []
    case .message(let id, let bytes):
      do { return try handle(id, bytes) } catch { return [.event(.violation(.malformedMessage(id, error)))] }
    case .certificateReady(let certificate):
      var message = AuthenticationCertificate()
      message.authenticationCertificate = Blob(certificate)
      return reply(message)
    case .serialNumberReady(let number):
      var message = AccessoryAuthenticationSerialNumber()
      message.serialNumber = Blob(number)
      return reply(message)
    case .signatureReady(let signature):
      var message = AuthenticationResponse()
      message.authenticationChallengeResponse = Blob(signature)
      if authentication == .pending { authentication = .answered }
      return reply(message)
    case .authenticatorFailed(let reason):
      return [.event(.authenticationFailed(reason: reason)), .end(.authenticationFailed)]
    case .tick(let milliseconds): return drive(milliseconds)
    case .file(let event): return handle(event)
    case .certificateChecked, .responseChecked: return []
    }
  }

  private mutating func handle(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case RequestAuthenticationCertificate.id:
      let request = try RequestAuthenticationCertificate(decoding: bytes.rawBytes)
      return request.requestSerialNumber.isSet ? [.fetchCertificate, .fetchSerialNumber] : [.fetchCertificate]
    case RequestAuthenticationChallengeResponse.id:
      let request = try RequestAuthenticationChallengeResponse(decoding: bytes.rawBytes)
      return [.sign(challenge: request.authenticationChallenge.bytes)]
    case AuthenticationSucceeded.id:
      guard authentication == .answered else { return outOfTurn(id) }
      authentication = .succeeded
      return [.event(.authenticated)] + whenReady()
    case AuthenticationFailed.id:
      return [.event(.authenticationFailed(reason: nil)), .end(.authenticationFailed)]
    case StartIdentification.id:
      if agreement == .pending { agreement = .sent }
      return reply(identification)
    case IdentificationAccepted.id:
      guard agreement == .sent else { return outOfTurn(id) }
      agreement = .accepted
      return [.event(.identified(identification))] + whenReady()
    case IdentificationRejected.id: return rejected(bytes)
    default:
      guard isReady || (agreement == .accepted && Self.unasked.contains(id)) else { return outOfTurn(id) }
      let isAsked = identification.messagesReceivedFromDevice.elements.contains(id)
      let actions = (isAsked ? [] : [.event(.violation(.undeclaredMessage(id)))]) + (try feature(id, bytes))
      return awaited.remove(id) == nil ? actions : actions + whenReady()
    }
  }

  private func outOfTurn(_ id: UInt16) -> [RoleAction] { [.event(.violation(.outOfTurn(id)))] }

  func reply(_ message: some ControlMessage) -> [RoleAction] { RoleMessage.send(message) }

  func isDeclared(_ id: UInt16) -> Bool { identification.messagesSentByAccessory.elements.contains(id) }

  /// Sends a message if the identification lists it.
  func sendIfListed<M: ControlMessage>(_ message: M) -> [RoleAction] { isDeclared(M.id) ? reply(message) : [] }

  private mutating func whenReady() -> [RoleAction] {
    guard isReady, awaited.isEmpty else { return [] }
    var actions = sendPower()
    for request in profile.requests where isDeclared(ControlHeader.id(of: request)) {
      actions.append(.send(request))
    }
    for device in profile.devices { actions += sendIfListed(device.start) }
    if profile.devices.contains(where: { $0.function == .assistiveTouchPointer }) {
      actions += sendIfListed(StartAssistiveTouch())
    }
    return actions
  }

  private mutating func rejected(_ bytes: [UInt8]) -> [RoleAction] {
    let named = RoleMessage.parameterIDs(bytes)
    let event = RoleAction.event(.identificationRejected(parameters: named))
    let optional = named.filter { !Self.requiredParameters.contains($0) }
    guard !hasRetried, !optional.isEmpty else {
      return [event] + reply(CancelIdentification()) + [.end(.identificationRejected)]
    }
    hasRetried = true
    identification.remove(parameters: Set(optional))
    IdentificationCheck.dropMessages(of: Set(optional), from: &identification)
    return [event] + reply(identification)
  }

  // MARK: External accessory

  private func protocolName(of request: StartExternalAccessoryProtocolSession) -> String? {
    identification.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolIdentifier == request.externalAccessoryProtocolIdentifier
    }?.externalAccessoryProtocolName
  }

  mutating func open(_ request: StartExternalAccessoryProtocolSession) -> [RoleAction] {
    let session = request.externalAccessoryProtocolSessionIdentifier
    guard let name = protocolName(of: request), openSessions[session] == nil else {
      // A repeated request leaves an open session open. A session with an unknown protocol is closed at once.
      return openSessions[session] == nil ? status(session, .close) : []
    }
    openSessions[session] = name
    var answer: [UInt8]?
    if case .send(let message)? = status(session, .ok).first { answer = message }
    return [.openExternalAccessory(session: session, protocol: name, answer: answer)]
  }

  private func status(_ session: UInt16, _ status: ExternalAccessoryProtocolSessionStatus) -> [RoleAction] {
    var message = StatusExternalAccessoryProtocolSession()
    message.externalAccessoryProtocolSessionIdentifier = session
    message.externalAccessoryProtocolSessionStatus = status
    return sendIfListed(message)
  }

  /// Closes an EA session and returns the actions that end it; none if the session is not open.
  package mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    guard openSessions.removeValue(forKey: session) != nil else { return [] }
    return status(session, .close) + [.closeExternalAccessory(session: session)]
  }
}
