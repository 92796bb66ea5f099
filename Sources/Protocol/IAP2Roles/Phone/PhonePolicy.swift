// swift-iap2 · Apache-2.0

package import IAP2
import IAP2Formats

/// A policy that makes the decisions of the device. It drives authentication and identification. Then it sends the
/// values that the accessory has requested, in the messages that the accessory has listed.
package struct PhonePolicy: RolePolicy {
  /// The side of a phone, `Side.device`.
  package let side = Side.device
  /// The profile that the policy was created with.
  package let profile: PhoneProfile
  /// The current state of the phone, which ``change(_:)`` changes.
  package internal(set) var state: PhoneState
  /// The identification of the accessory; nil until it is accepted.
  package private(set) var identification: IdentificationInformation?
  /// The identification of the connection before this one; nil if there was none.
  package var previousIdentification: IdentificationInformation?
  /// The protocol names of the open EA sessions, by session id.
  package internal(set) var openSessions: [UInt16: String] = [:]

  // Authentication and identification.
  private var certificate: [UInt8] = []
  private var challenge: [UInt8] = []
  private var step = Step.idle
  private var isAuthenticated = false
  private var rejections = 0

  // External accessory.
  var opening: [UInt16: String] = [:]
  var lastSession: UInt16 = 0
  var shownApps: [String: [String]] = [:]
  /// The sessions that running apps have opened, by the app's name and the protocol's name.
  var startedApps: [String: [String: UInt16]] = [:]

  // Requests of the accessory, and the values that were sent last.
  var powerUpdates = Subscription<PowerUpdate>()
  var nowPlaying = Subscription<NowPlayingUpdate>()
  var communications = Subscription<CommunicationsUpdate>()
  var callStates = CallSubscription()
  var callLists = CallListSubscription()
  var routeGuidance = RouteGuidanceSubscription()
  var libraries: [String: MediaLibrarySubscription] = [:]
  var wantsLibraries = false
  var sentLibraries: MediaLibraryInformation?
  var notified = NotifiedState()
  var carPlay = CarPlayOffer()
  var files = PhoneFiles()
  /// Whether a media item was sent, so that its removal must be sent too.
  var hasReportedItem = false
  var devices: [UInt16: HIDReportDescriptor] = [:]
  var assistiveTouch = AssistiveTouchState()
  var bluetooth: (component: UInt16, reported: Bool?)?
  var audio: (isWanted: Bool, reported: AudioSampleRate?) = (false, nil)
  var vehicleStatus = PeerState<VehicleStatusUpdate>()
  /// Whether the location of the accessory was requested.
  var hasRequestedLocation = false

  enum Step: Sendable, Hashable { case idle, certificate, judging, response, verifying, identification, done }

  /// The rejected identifications after which the phone ends the connection. Head units retry once, some twice.
  static let maximumRejections = 3

  /// The EA sessions that are open or requested at once; by default that of `Limits.externalAccessorySessions`. The
  /// limit ensures that there is always a free session id.
  package var maximumSessions = Limits().externalAccessorySessions

  /// Creates the policy of a connection on which nothing was received yet.
  package init(profile: PhoneProfile) {
    self.profile = profile
    state = profile.state
    state.advance(milliseconds: 0)
  }

  /// The power state of the phone itself.
  package var power: PowerObservation { state.power }

  /// The names of the EA protocols that the accessory's identification places outside the link; empty until it is
  /// accepted.
  package var nativeProtocols: [String] { identification?.nativeProtocols ?? [] }

  /// Whether the accessory's authentication succeeded and its identification was accepted.
  package var isReady: Bool { isAuthenticated && identification != nil }

  /// The tick interval of the profile in milliseconds; nil while the phone is not ready or its state does not change
  /// with time.
  package var tickMilliseconds: Int? { isReady && state.isMoving ? profile.tickMilliseconds : nil }

  /// Processes an input and returns the actions that follow from it. A malformed message is reported as a violation.
  package mutating func handle(_ input: RoleInput) -> [RoleAction] {
    switch input {
    case .linkUp:
      return profile.order == .authenticationFirst ? beginAuthentication() : beginIdentification()
    case .message(let id, let bytes):
      do { return try handle(id, bytes) } catch { return [.event(.violation(.malformedMessage(id, error)))] }
    case .certificateChecked(let challenge?, _):
      self.challenge = challenge
      step = .response
      var request = RequestAuthenticationChallengeResponse()
      request.authenticationChallenge = Blob(challenge)
      return RoleMessage.send(request)
    case .certificateChecked(nil, let reason), .responseChecked(false, let reason):
      return RoleMessage.send(AuthenticationFailed())
        + [.event(.authenticationFailed(reason: reason)), .end(.authenticationFailed)]
    case .responseChecked(true, _):
      isAuthenticated = true
      let actions = RoleMessage.send(AuthenticationSucceeded()) + [.event(.authenticated)]
      return actions + (identification == nil ? beginIdentification() : whenReady())
    case .tick(let milliseconds):
      return change { $0.advance(milliseconds: milliseconds) }
    case .file(let event): return handle(event)
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed: return []
    }
  }

  /// Changes the state of the phone with `body` and returns the updates for the accessory; none while the phone is not
  /// ready.
  package mutating func change(_ body: (inout PhoneState) -> Void) -> [RoleAction] {
    body(&state)
    return isReady ? announce() : []
  }

  private mutating func beginAuthentication() -> [RoleAction] {
    step = .certificate
    return RoleMessage.send(RequestAuthenticationCertificate())
  }

  private mutating func beginIdentification() -> [RoleAction] {
    step = .identification
    return RoleMessage.send(StartIdentification())
  }

  private mutating func handle(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch (id, step) {
    case (AuthenticationCertificate.id, .certificate):
      certificate = try AuthenticationCertificate(decoding: bytes.rawBytes).authenticationCertificate.bytes
      step = .judging
      return [.checkCertificate(certificate: certificate)]
    case (AuthenticationResponse.id, .response):
      let response = try AuthenticationResponse(decoding: bytes.rawBytes).authenticationChallengeResponse.bytes
      step = .verifying
      return [.verify(response: response, challenge: challenge, certificate: certificate)]
    case (IdentificationInformation.id, .identification): return identify(bytes)
    case (CancelIdentification.id, .identification): return [.end(.identificationRejected)]
    default:
      // Only IdentificationInformationUpdate may follow after identification.
      let isLate = ControlHeader.isImplied(id) && id != IdentificationInformationUpdate.id
      guard isReady, !isLate else { return [.event(.violation(.outOfTurn(id)))] }
      let undeclared = declarationViolation(id)
      return undeclared + (try feature(id, bytes))
    }
  }

  // MARK: Identification

  private mutating func identify(_ bytes: [UInt8]) -> [RoleAction] {
    let offending: [UInt16]
    switch IdentificationCheck.read(bytes) {
    case .accepted(let information):
      identification = information
      step = .done
      let actions = RoleMessage.send(IdentificationAccepted()) + [.event(.identified(information))]
      return actions + (isAuthenticated ? whenReady() : beginAuthentication())
    case .offending(let parameters): offending = parameters
    }
    rejections += 1
    let actions =
      [RoleAction.send(RoleMessage.rejection(of: offending))]
      + [.event(.identificationRejected(parameters: offending))]
    return rejections < Self.maximumRejections ? actions : actions + [.end(.identificationRejected)]
  }

  /// Returns whether the accessory lists the message as one that it receives. The phone sends no other message.
  func isListed(_ id: UInt16) -> Bool {
    identification?.messagesReceivedFromDevice.elements.contains(id) ?? false
  }

  /// Returns whether the accessory lists the message as one that it sends.
  func isDeclared(_ id: UInt16) -> Bool {
    identification?.messagesSentByAccessory.elements.contains(id) ?? false
  }

  /// Reports a message that the accessory does not list. The message is still processed.
  private func declarationViolation(_ id: UInt16) -> [RoleAction] {
    ControlHeader.isImplied(id) || isDeclared(id) ? [] : [.event(.violation(.undeclaredMessage(id)))]
  }

  /// Sends a message if the accessory lists it.
  func sendIfListed<M: ControlMessage>(_ message: M) -> [RoleAction] {
    isListed(M.id) ? RoleMessage.send(message) : []
  }

  /// Sends an encoded message if the accessory lists it.
  func sendIfListed(_ message: [UInt8]?) -> [RoleAction] {
    guard let message else { return [] }
    return isListed(ControlHeader.id(of: message)) ? [.send(message)] : []
  }

  /// Changes the accepted identification of the accessory; does nothing before it is accepted.
  mutating func update(identification body: (inout IdentificationInformation) -> Void) {
    guard var changed = identification else { return }
    body(&changed)
    identification = changed
  }
}
