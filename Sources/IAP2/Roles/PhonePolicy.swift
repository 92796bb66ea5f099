// swift-iap2 · Apache-2.0

/// Which of the two comes first; both orders are seen in the wild (link-and-sessions, section 6).
public enum SessionOrder: String, Sendable, Hashable, CaseIterable {
  case authenticationFirst = "authentication-first"
  case identificationFirst = "identification-first"
}

/// What a phone is and what it tells.
public struct PhoneProfile: Sendable, Equatable {
  public var name = "swift-iap2 Phone"
  public var language = "en"
  /// Any UUID; one car was seen to reset the link without it (PodBox).
  public var uuid = "00000000-0000-4000-8000-000000000001"
  public var bluetoothAddress = "02:00:00:00:00:02"
  public var usbSerialNumber = "0000000000000000000000000000000000000001"
  /// Unix seconds; the epoch is as LIVI and bridgething read it (medium).
  public var secondsSinceReferenceDate: Int64 = 1_767_225_600
  public var batteryLevel: UInt16 = 80
  public var offersCarPlay = true
  public var order = SessionOrder.authenticationFirst

  public init() {}
}

/// The device's decisions: it drives authentication and identification, then tells what the accessory has listed.
public struct PhonePolicy: RolePolicy {
  public let side = Side.device
  public let profile: PhoneProfile
  private var certificate: [UInt8] = []
  private var challenge: [UInt8] = []
  private var step = Step.idle
  private var isAuthenticated = false
  private var hasOfferedCarPlay = false
  private var rejections = 0
  /// What the accessory said it is; nil until accepted.
  public private(set) var identification: IdentificationInformation?
  private var opening: [UInt16: String] = [:]
  private(set) public var openSessions: [UInt16: String] = [:]
  private var lastSession: UInt16 = 0
  private var power: StartPowerUpdates?
  private var source: PowerSourceUpdate?

  enum Step: Sendable, Hashable { case idle, certificate, judging, response, verifying, identification, done }

  /// Identifications we turn down before we give up: head units retry once, some twice.
  static let maximumRejections = 3

  public init(profile: PhoneProfile) { self.profile = profile }

  public var isReady: Bool { isAuthenticated && identification != nil }

  public mutating func handle(_ input: RoleInput) -> [RoleAction] {
    switch input {
    case .linkUp:
      return profile.order == .authenticationFirst ? beginAuthentication() : beginIdentification()
    case .message(let id, let bytes):
      do { return try handle(id, bytes) } catch { return [.event(.violation(.badMessage(error)))] }
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
    case .certificateReady, .serialNumberReady, .signatureReady, .authenticatorFailed: return []
    }
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
    default: return isReady ? try feature(id, bytes) : []
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
  private func isListed(_ id: UInt16) -> Bool {
    identification?.messagesReceivedFromDevice.elements.contains(id) ?? false
  }

  private func tell<M: ControlMessage>(_ message: M) -> [RoleAction] {
    isListed(M.info.id) ? RoleMessage.send(message) : []
  }

  /// The notifications nobody asks for, in the order an emulator that works with cars sends them (PodBox).
  private func whenReady() -> [RoleAction] {
    var uuid = DeviceUUIDUpdate()
    uuid.uuid = profile.uuid
    var language = DeviceLanguageUpdate()
    language.language = profile.language
    var information = DeviceInformationUpdate()
    information.deviceName = profile.name
    var transport = DeviceTransportIdentifierNotification()
    transport.bluetoothTransportID = profile.bluetoothAddress
    transport.usbTransportID = profile.usbSerialNumber
    var time = DeviceTimeUpdate()
    time.secondsSinceReferenceDate = profile.secondsSinceReferenceDate
    return tell(uuid) + tell(language) + tell(information) + tell(transport) + tell(time)
  }

  // MARK: Features

  private mutating func feature(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case PowerSourceUpdate.info.id:
      let update = try PowerSourceUpdate(decoding: bytes.rawBytes)
      source = update
      return [.event(.powerSourceChanged(update))] + tellPower() + offerCarPlay()
    case StartPowerUpdates.info.id:
      power = try StartPowerUpdates(decoding: bytes.rawBytes)
      return tellPower()
    case StopPowerUpdates.info.id:
      power = nil
      return []
    case CarPlayStartSession.info.id:
      return [.event(.carPlayStarted(try CarPlayStartSession(decoding: bytes.rawBytes)))]
    case StatusExternalAccessoryProtocolSession.info.id:
      return status(try StatusExternalAccessoryProtocolSession(decoding: bytes.rawBytes))
    default: return []
    }
  }

  /// One attribute a message, in the order a real phone was seen to use: 4, 5, 0, 1, 6 (PodBox).
  private func tellPower() -> [RoleAction] {
    guard let wanted = power else { return [] }
    let current = source?.availableCurrentForDevice ?? 0
    let isCharging = current > 0 && source?.deviceBatteryShouldChargeIfPowerIsPresent ?? false
    var updates: [PowerUpdate] = []
    func add(_ flag: Presence, _ change: (inout PowerUpdate) -> Void) {
      guard flag.isSet else { return }
      var update = PowerUpdate()
      change(&update)
      updates.append(update)
    }
    add(wanted.isExternalChargerConnected) { $0.isExternalChargerConnected = current > 0 }
    add(wanted.batteryChargingState) { $0.batteryChargingState = isCharging ? .charging : .disabled }
    add(wanted.maximumCurrentDrawnFromAccessory) { $0.maximumCurrentDrawnFromAccessory = current }
    add(wanted.deviceBatteryWillChargeIfPowerIsPresent) { $0.deviceBatteryWillChargeIfPowerIsPresent = isCharging }
    add(wanted.batteryChargeLevel) { $0.batteryChargeLevel = profile.batteryLevel }
    return updates.flatMap { tell($0) }
  }

  private mutating func offerCarPlay() -> [RoleAction] {
    guard profile.offersCarPlay, !hasOfferedCarPlay, isListed(CarPlayAvailability.info.id) else { return [] }
    hasOfferedCarPlay = true
    var availability = CarPlayAvailability()
    var wired = CarPlayAvailability.WiredAttributes()
    wired.wiredCarPlayAvailable = true
    wired.usbTransportIdentifier = profile.usbSerialNumber
    availability.wiredAttributes = wired
    return RoleMessage.send(availability) + [.event(.carPlayAvailable(availability))]
  }

  // MARK: External accessory

  /// Opens a session of a protocol the accessory has identified; nil if it has not.
  public mutating func openExternalAccessory(_ name: String) -> (session: UInt16, actions: [RoleAction])? {
    let supported = identification?.supportedExternalAccessoryProtocol.first {
      $0.externalAccessoryProtocolName == name
    }
    guard isReady, let supported else { return nil }
    repeat { lastSession = lastSession == .max ? 1 : lastSession + 1 } while openSessions[lastSession] != nil
    var start = StartExternalAccessoryProtocolSession()
    start.externalAccessoryProtocolIdentifier = supported.externalAccessoryProtocolIdentifier
    start.externalAccessoryProtocolSessionIdentifier = lastSession
    let actions = RoleMessage.send(start)
    // An accessory that does not list its answer will not give one; others drop data that comes before it (wiomoc).
    let answers = identification?.messagesSentByAccessory.elements.contains(
      StatusExternalAccessoryProtocolSession.info.id)
    if answers == true {
      opening[lastSession] = name
      return (lastSession, actions)
    }
    openSessions[lastSession] = name
    return (lastSession, actions + [.openExternalAccessory(session: lastSession, protocol: name, answer: nil)])
  }

  private mutating func status(_ message: StatusExternalAccessoryProtocolSession) -> [RoleAction] {
    let session = message.externalAccessoryProtocolSessionIdentifier
    if message.externalAccessoryProtocolSessionStatus == .ok, let name = opening.removeValue(forKey: session) {
      openSessions[session] = name
      return [.openExternalAccessory(session: session, protocol: name, answer: nil)]
    }
    guard message.externalAccessoryProtocolSessionStatus == .close else { return [] }
    let wasOpening = opening.removeValue(forKey: session) != nil
    guard openSessions.removeValue(forKey: session) != nil || wasOpening else { return [] }
    return [.closeExternalAccessory(session: session)]
  }

  public mutating func closeExternalAccessory(_ session: UInt16) -> [RoleAction] {
    let wasOpening = opening.removeValue(forKey: session) != nil
    guard openSessions.removeValue(forKey: session) != nil || wasOpening else { return [] }
    var stop = StopExternalAccessoryProtocolSession()
    stop.externalAccessoryProtocolSessionIdentifier = session
    return RoleMessage.send(stop) + [.closeExternalAccessory(session: session)]
  }
}

extension RoleMessage {
  /// 1D03 with one empty parameter for each rejected one, also for ids its own schema does not name.
  static func rejection(of parameters: [UInt16]) -> [UInt8] {
    let byteCount = 6 + 4 * parameters.count
    var bytes: [UInt8] = [0x40, 0x40, UInt8(byteCount >> 8), UInt8(byteCount & 0xFF), 0x1D, 0x03]
    for id in parameters { bytes += [0, 4, UInt8(id >> 8), UInt8(id & 0xFF)] }
    return bytes
  }
}
