// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Formats

/// The device's decisions: it drives authentication and identification, then tells what the accessory has listed and
/// asked for.
public struct PhonePolicy: RolePolicy {
  public let side = Side.device
  public let profile: PhoneProfile
  public internal(set) var state: PhoneState
  /// What the accessory said it is; nil until accepted.
  public private(set) var identification: IdentificationInformation?
  public internal(set) var openSessions: [UInt16: String] = [:]

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
  /// Sessions that running apps have opened, by the app's name and the protocol's.
  var startedApps: [String: [String: UInt16]] = [:]

  // What the accessory has asked for.
  var powerUpdates = Subscription<PowerUpdate>()
  var nowPlaying = Subscription<NowPlayingUpdate>()
  var communications = Subscription<CommunicationsUpdate>()
  var callStates = CallSubscription()
  var callLists = CallListSubscription()
  var routeGuidance = RouteGuidanceSubscription()
  var libraries: [String: MediaLibrarySubscription] = [:]
  var wantsLibraries = false
  var toldLibraries: MediaLibraryInformation?
  var notified = NotifiedState()
  var carPlay = CarPlayOffer()
  var files = PhoneFiles()
  /// Something played since the accessory asked, so that its end must be told.
  var hasToldItem = false
  var devices: [UInt16: HIDReportDescriptor] = [:]
  var assistiveTouch = AssistiveTouchState()
  var bluetooth: (component: UInt16, told: Bool?)?
  var audio: (isWanted: Bool, told: AudioSampleRate?) = (false, nil)
  var vehicleStatus = Mirror<VehicleStatusUpdate>()

  enum Step: Sendable, Hashable { case idle, certificate, judging, response, verifying, identification, done }

  /// Identifications we turn down before we give up: head units retry once, some twice.
  static let maximumRejections = 3

  public init(profile: PhoneProfile) {
    self.profile = profile
    state = profile.state
    state.advance(milliseconds: 0)
  }

  public var power: PowerSighting { state.power }

  public var nativeProtocols: [String] { identification?.nativeProtocols ?? [] }

  public var isReady: Bool { isAuthenticated && identification != nil }

  public var tickMilliseconds: Int? { isReady && state.isMoving ? profile.tickMilliseconds : nil }

  public mutating func handle(_ input: RoleInput) -> [RoleAction] {
    switch input {
    case .linkUp:
      return profile.order == .authenticationFirst ? beginAuthentication() : beginIdentification()
    case .message(let id, let bytes):
      do { return try handle(id, bytes) } catch { return [.event(.violation(.malformedMessage(id, error)))] }
    case .certificateJudged(let challenge?, _):
      self.challenge = challenge
      step = .response
      var request = RequestAuthenticationChallengeResponse()
      request.authenticationChallenge = Blob(challenge)
      return RoleMessage.send(request)
    case .certificateJudged(nil, let reason), .responseJudged(false, let reason):
      return RoleMessage.send(AuthenticationFailed())
        + [.event(.authenticationFailed(reason: reason)), .end(.authenticationFailed)]
    case .responseJudged(true, _):
      isAuthenticated = true
      let actions = RoleMessage.send(AuthenticationSucceeded()) + [.event(.authenticated)]
      return actions + (identification == nil ? beginIdentification() : whenReady())
    case .tick(let milliseconds):
      return change { $0.advance(milliseconds: milliseconds) }
    case .file(let event): return handle(event)
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed: return []
    }
  }

  /// Changes what the phone is, and tells whoever has asked.
  public mutating func change(_ body: (inout PhoneState) -> Void) -> [RoleAction] {
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
    case (AuthenticationCertificate.info.id, .certificate):
      certificate = try AuthenticationCertificate(decoding: bytes.rawBytes).authenticationCertificate.bytes
      step = .judging
      return [.judge(certificate: certificate)]
    case (AuthenticationResponse.info.id, .response):
      let response = try AuthenticationResponse(decoding: bytes.rawBytes).authenticationChallengeResponse.bytes
      step = .verifying
      return [.verify(response: response, challenge: challenge, certificate: certificate)]
    case (IdentificationInformation.info.id, .identification): return identify(bytes)
    case (CancelIdentification.info.id, .identification): return [.end(.identificationRejected)]
    default:
      // An update of the identification is the one such message that comes later.
      let isLate = ControlHeader.isImplied(id) && id != IdentificationInformationUpdate.info.id
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
      let actions = RoleMessage.send(IdentificationAccepted()) + [.event(.identified)]
      return actions + (isAuthenticated ? whenReady() : beginAuthentication())
    case .offending(let parameters): offending = parameters
    }
    rejections += 1
    let actions =
      [RoleAction.send(RoleMessage.rejection(of: offending))]
      + [.event(.identificationRejected(parameters: offending))]
    return rejections < Self.maximumRejections ? actions : actions + [.end(.identificationRejected)]
  }

  /// The accessory has listed the message as one it takes: nothing else is ever sent.
  func isListed(_ id: UInt16) -> Bool {
    identification?.messagesReceivedFromDevice.elements.contains(id) ?? false
  }

  /// The accessory has listed the message as one it sends.
  func isDeclared(_ id: UInt16) -> Bool {
    identification?.messagesSentByAccessory.elements.contains(id) ?? false
  }

  /// A message that the accessory never announced is named, and taken all the same.
  private func declarationViolation(_ id: UInt16) -> [RoleAction] {
    ControlHeader.isImplied(id) || isDeclared(id) ? [] : [.event(.violation(.undeclaredMessage(id)))]
  }

  func tell<M: ControlMessage>(_ message: M) -> [RoleAction] {
    isListed(M.info.id) ? RoleMessage.send(message) : []
  }

  /// The same for a message that is bytes already.
  func tell(_ message: [UInt8]?) -> [RoleAction] {
    guard let message else { return [] }
    return isListed(ControlHeader.id(of: message)) ? [.send(message)] : []
  }

  /// What the accessory is, once it is known.
  mutating func update(identification body: (inout IdentificationInformation) -> Void) {
    guard var changed = identification else { return }
    body(&changed)
    identification = changed
  }
}
