// swift-iap2 · Apache-2.0

public import IAP2
import IAP2Formats

/// The accessory's decisions: purely reactive in authentication and identification, in whichever order they come.
///
/// After both, it offers power, sends its requests, and answers what the phone asks, each only if its lists say so.
/// A rejected identification is tried once more without the optional parameters that were named.
public struct HeadUnitPolicy: RolePolicy {
  public let side = Side.accessory
  let profile: HeadUnitProfile
  public internal(set) var state: HeadUnitState
  private(set) var identification: IdentificationInformation
  public internal(set) var openSessions: [UInt16: String] = [:]
  private var hasRetried = false
  private var isAuthenticated = false
  private var isIdentified = false

  // What the phone has told.
  var nowPlaying = Mirror<NowPlayingUpdate>()
  var communications = Mirror<CommunicationsUpdate>()
  var calls: [String: Mirror<CallStateUpdate>] = [:]
  var routeGuidance = Mirror<RouteGuidanceUpdate>()
  /// By index: a phone tells each only once.
  public internal(set) var maneuvers: [UInt16: RouteGuidanceManeuverUpdate] = [:]
  public internal(set) var lanes: [UInt16: LaneGuidanceInformation] = [:]
  var files: [UInt8: IncomingFile] = [:]

  // What the phone has asked for.
  var vehicleStatus = Subscription<VehicleStatusUpdate>()
  var toldPower: PowerSourceUpdate?
  public internal(set) var power = PowerSighting()
  var locationKinds: Set<LocationSentence> = []
  var isLocationWanted = false
  /// What the phone offers now, wired and wireless.
  var carPlayOffers: (wired: Bool, wireless: Bool) = (false, false)
  /// What it still waits for before it asks for anything.
  private var awaited: Set<UInt16>

  /// Always needed (Identification.md#required; medium).
  static let requiredParameters: Set<UInt16> = Set(0...9).union([12, 13])

  public init(profile: HeadUnitProfile) {
    self.profile = profile
    state = profile.state
    identification = profile.identification
    awaited = profile.waitsFor
  }

  public var nativeProtocols: [String] { identification.nativeProtocols }

  public var isReady: Bool { isAuthenticated && isIdentified }

  public var tickMilliseconds: Int? {
    isReady && !locationKinds.isEmpty && state.track?.isFinished == false ? Self.trackMilliseconds : nil
  }

  /// Positions come about once a second; this is fine enough for ten.
  private static var trackMilliseconds: Int { 100 }

  public mutating func handle(_ input: RoleInput) -> [RoleAction] {
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
      return reply(message)
    case .authenticatorFailed(let reason):
      return [.event(.authenticationFailed(reason: reason)), .end(.authenticationFailed)]
    case .tick(let milliseconds): return drive(milliseconds)
    case .file(let event): return handle(event)
    case .certificateJudged, .responseJudged: return []
    }
  }

  private mutating func handle(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case RequestAuthenticationCertificate.info.id:
      let request = try RequestAuthenticationCertificate(decoding: bytes.rawBytes)
      return request.requestSerialNumber.isSet ? [.fetchCertificate, .fetchSerialNumber] : [.fetchCertificate]
    case RequestAuthenticationChallengeResponse.info.id:
      let request = try RequestAuthenticationChallengeResponse(decoding: bytes.rawBytes)
      return [.sign(challenge: request.authenticationChallenge.bytes)]
    case AuthenticationSucceeded.info.id:
      isAuthenticated = true
      return [.event(.authenticated)] + whenReady()
    case AuthenticationFailed.info.id:
      return [.event(.authenticationFailed(reason: nil)), .end(.authenticationFailed)]
    case StartIdentification.info.id: return reply(identification)
    case IdentificationAccepted.info.id:
      guard !isIdentified else { return [] }
      isIdentified = true
      return [.event(.identified)] + whenReady()
    case IdentificationRejected.info.id: return rejected(bytes)
    default:
      let isAsked = identification.messagesReceivedFromDevice.elements.contains(id)
      let actions = (isAsked ? [] : [.event(.violation(.undeclaredMessage(id)))]) + (try feature(id, bytes))
      return awaited.remove(id) == nil ? actions : actions + whenReady()
    }
  }

  func reply(_ message: some ControlMessage) -> [RoleAction] { RoleMessage.send(message) }

  func isDeclared(_ id: UInt16) -> Bool { identification.messagesSentByAccessory.elements.contains(id) }

  /// Sends what the identification lists; nothing else.
  func tell<M: ControlMessage>(_ message: M) -> [RoleAction] { isDeclared(M.info.id) ? reply(message) : [] }

  private mutating func whenReady() -> [RoleAction] {
    guard isReady, awaited.isEmpty else { return [] }
    var actions = tellPower()
    for request in profile.requests where isDeclared(ControlHeader.id(of: request)) {
      actions.append(.send(request))
    }
    for device in profile.devices { actions += tell(device.start) }
    if profile.devices.contains(where: { $0.function == .assistiveTouchPointer }) {
      actions += tell(StartAssistiveTouch())
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
      // A session that is open stays open; one we cannot open is closed at once.
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
    return tell(message)
  }

  public mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    guard openSessions.removeValue(forKey: session) != nil else { return [] }
    return status(session, .close) + [.closeExternalAccessory(session: session)]
  }
}
