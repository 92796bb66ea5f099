// swift-iap2 · Apache-2.0

/// What a head unit is and offers.
public struct HeadUnitProfile: Sendable, Equatable {
  public var identification: IdentificationInformation
  /// What is offered to the phone right after identification; nil says nothing about power.
  public var powerSource: PowerSourceUpdate?
  /// The answer to an offer of CarPlay; nil does not answer.
  public var carPlay: CarPlayStartSession?

  public init(identification: IdentificationInformation) { self.identification = identification }

  /// EA protocols of one accessory: their identifiers are one byte, and 0 is not used.
  public static let maximumProtocols = 255

  /// A wired head unit with power, CarPlay and the given EA protocols, at most ``maximumProtocols``.
  public static func standard(name: String = "swift-iap2 Head Unit", protocols: [String] = []) -> HeadUnitProfile {
    var identification = IdentificationInformation()
    identification.name = name
    identification.modelIdentifier = "HU-1"
    identification.manufacturer = "swift-iap2"
    identification.serialNumber = "0001"
    identification.firmwareVersion = "1.0"
    identification.hardwareVersion = "1.0"
    identification.powerProvidingCapability = .advanced
    identification.maximumCurrentDrawnFromDevice = 0
    identification.currentLanguage = "en"
    identification.supportedLanguage = ["en"]
    var sent: [UInt16] = [0xAE00, 0xAE02, 0xAE03, 0x4301]
    var received: [UInt16] = [0x4E09, 0x4E0A, 0x4E0B, 0x4E0C, 0x4E0E, 0xAE01, 0x4300]
    if !protocols.isEmpty {
      sent.append(0xEA03)
      received += [0xEA00, 0xEA01]
    }
    identification.messagesSentByAccessory = Packed(sent)
    identification.messagesReceivedFromDevice = Packed(received)
    // One byte of identifier.
    identification.supportedExternalAccessoryProtocol = protocols.prefix(maximumProtocols).enumerated().map {
      index, name in
      var item = SupportedExternalAccessoryProtocol()
      item.externalAccessoryProtocolIdentifier = UInt8(index + 1)
      item.externalAccessoryProtocolName = name
      item.externalAccessoryProtocolMatchAction = .noAction
      return item
    }
    var component = USBHostTransportComponent()
    component.transportComponentIdentifier = 1
    component.transportComponentName = "USB"
    component.transportSupportsiAP2Connection = true
    component.transportSupportsCarPlay = true
    component.usbHostTransportCarPlayInterfaceNumber = 0
    identification.usbHostTransportComponent = [component]
    var profile = HeadUnitProfile(identification: identification)
    var power = PowerSourceUpdate()
    power.availableCurrentForDevice = 2400
    power.deviceBatteryShouldChargeIfPowerIsPresent = true
    profile.powerSource = power
    var start = CarPlayStartSession()
    var wired = CarPlayStartSession.WiredAttributes()
    wired.ipAddress = ["fe80::1"]
    start.wiredAttributes = wired
    start.port = 7000
    start.deviceIdentifier = "02:00:00:00:00:01"
    profile.carPlay = start
    return profile
  }
}

/// The accessory's decisions: purely reactive in authentication and identification, in whichever order they come.
///
/// After both, it offers power, asks for power updates, and answers an offer of CarPlay, each only if its lists say so.
/// A rejected identification is tried once more without the optional parameters that were named.
public struct HeadUnitPolicy: RolePolicy {
  public let side = Side.accessory
  let profile: HeadUnitProfile
  private var identification: IdentificationInformation
  private var hasRetried = false
  private var isAuthenticated = false
  private var isIdentified = false
  private(set) public var openSessions: [UInt16: String] = [:]

  /// Always needed (link-and-sessions, section 7; medium).
  static let requiredParameters: Set<UInt16> = Set(0...9).union([12, 13])

  public init(profile: HeadUnitProfile) {
    self.profile = profile
    identification = profile.identification
  }

  public var isReady: Bool { isAuthenticated && isIdentified }

  public mutating func handle(_ input: RoleInput) -> [RoleAction] {
    switch input {
    case .linkUp: return []
    case .message(let id, let bytes):
      do { return try handle(id, bytes) } catch { return [.event(.violation(.badMessage(error)))] }
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
    case StartExternalAccessoryProtocolSession.info.id:
      return start(try StartExternalAccessoryProtocolSession(decoding: bytes.rawBytes))
    case StopExternalAccessoryProtocolSession.info.id:
      let stop = try StopExternalAccessoryProtocolSession(decoding: bytes.rawBytes)
      let session = stop.externalAccessoryProtocolSessionIdentifier
      guard openSessions.removeValue(forKey: session) != nil else { return [] }
      return [.closeExternalAccessory(session: session)]
    case CarPlayAvailability.info.id:
      let availability = try CarPlayAvailability(decoding: bytes.rawBytes)
      return [.event(.carPlayAvailable(availability))] + startCarPlay(availability)
    case PowerUpdate.info.id: return [.event(.powerChanged(try PowerUpdate(decoding: bytes.rawBytes)))]
    default: return []
    }
  }

  private func reply(_ message: some ControlMessage) -> [RoleAction] { RoleMessage.send(message) }

  private func mayDeclare(_ id: UInt16) -> Bool { identification.messagesSentByAccessory.elements.contains(id) }

  private func whenReady() -> [RoleAction] {
    guard isReady else { return [] }
    var actions: [RoleAction] = []
    if let power = profile.powerSource, mayDeclare(PowerSourceUpdate.info.id) { actions += reply(power) }
    if mayDeclare(StartPowerUpdates.info.id) {
      var start = StartPowerUpdates()
      start.maximumCurrentDrawnFromAccessory = true
      start.deviceBatteryWillChargeIfPowerIsPresent = true
      start.isExternalChargerConnected = true
      start.batteryChargingState = true
      start.batteryChargeLevel = true
      actions += reply(start)
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

  private func startCarPlay(_ availability: CarPlayAvailability) -> [RoleAction] {
    let isAvailable =
      availability.wiredAttributes?.wiredCarPlayAvailable == true
      || availability.wirelessAttributes?.wirelessCarPlayAvailable == true
    guard isAvailable, let start = profile.carPlay, mayDeclare(CarPlayStartSession.info.id) else { return [] }
    return reply(start) + [.event(.carPlayStarted(start))]
  }

  // MARK: External accessory

  private mutating func start(_ request: StartExternalAccessoryProtocolSession) -> [RoleAction] {
    let session = request.externalAccessoryProtocolSessionIdentifier
    let supported = identification.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolIdentifier == request.externalAccessoryProtocolIdentifier
    }
    guard let supported, openSessions[session] == nil else {
      // A session that is open stays open; one we cannot open is closed at once.
      return openSessions[session] == nil ? status(session, .close) : []
    }
    let name = supported.externalAccessoryProtocolName
    openSessions[session] = name
    var answer: [UInt8]?
    if case .send(let message)? = status(session, .ok).first { answer = message }
    return [.openExternalAccessory(session: session, protocol: name, answer: answer)]
  }

  private func status(_ session: UInt16, _ status: ExternalAccessoryProtocolSessionStatus) -> [RoleAction] {
    guard mayDeclare(StatusExternalAccessoryProtocolSession.info.id) else { return [] }
    var message = StatusExternalAccessoryProtocolSession()
    message.externalAccessoryProtocolSessionIdentifier = session
    message.externalAccessoryProtocolSessionStatus = status
    return reply(message)
  }

  public mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    guard openSessions.removeValue(forKey: session) != nil else { return [] }
    return status(session, .close) + [.closeExternalAccessory(session: session)]
  }
}

/// Small things both roles do with messages.
enum RoleMessage {
  /// Sends a message; one that cannot be encoded is our own profile's fault and is told as such.
  static func send(_ message: some ControlMessage) -> [RoleAction] {
    do { return [.send(try message.encoded())] } catch {
      return [.event(.violation(.limit(StaticName("messageByteCount"), 65_535)))]
    }
  }

  /// The top-level parameter ids of a message, in wire order.
  static func parameterIDs(_ message: [UInt8]) -> [UInt16] {
    var ids: [UInt16] = []
    var offset = 6
    while offset + 4 <= message.count {
      let length = Int(message[offset]) << 8 | Int(message[offset + 1])
      ids.append(UInt16(message[offset + 2]) << 8 | UInt16(message[offset + 3]))
      guard length >= 4 else { break }
      offset += length
    }
    return ids
  }
}
