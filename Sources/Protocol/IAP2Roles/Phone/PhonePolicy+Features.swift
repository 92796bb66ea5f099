// swift-iap2 · Apache-2.0

import IAP2

extension PhonePolicy {
  /// Sends the notifications without a request, and the requests to the accessory.
  mutating func whenReady() -> [RoleAction] {
    var actions = notify() + tellApps() + offerApps() + askAccessory()
    actions += beginWirelessCarPlay()
    // An accessory that lists neither message never sends the message that the offer waits for.
    if !isDeclared(PowerSourceUpdate.info.id), !isDeclared(StartHID.info.id) { actions += allowWiredCarPlay() }
    return actions + openApps()
  }

  /// Sends every change that the accessory has requested.
  mutating func announce() -> [RoleAction] {
    var actions = notify() + tellApps()
    // Each feature is sent by itself, so that a text too long for a message stops only its own feature.
    actions += telling { () throws(WireError) in tell(try powerUpdates.update(to: state.battery.update)) }
    actions += telling { () throws(WireError) in try tellNowPlaying() }
    actions += telling { () throws(WireError) in tell(try communications.update(to: state.telephone.update)) }
    for call in state.telephone.calls {
      actions += telling { () throws(WireError) in tell(try callStates.update(to: call)) }
    }
    if let lists = callLists.update(to: state.telephone) { actions += tell(lists) }
    actions += telling { () throws(WireError) in try tellRoute() }
    state.telephone.forgetEnded()
    callStates.forget(except: Set(state.telephone.calls.map(\.identifier)))
    return actions + tellLibraries() + tellDevices() + beginWirelessCarPlay() + offerCarPlay() + openApps()
  }

  private func telling(_ body: () throws(WireError) -> [RoleAction]) -> [RoleAction] {
    do { return try body() } catch { return [RoleMessage.tooLong] }
  }

  /// Reports a Stop of a subscription that was not started.
  func notStarted(_ id: UInt16) -> [RoleAction] { [.event(.violation(.notStarted(id)))] }

  mutating func feature(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case PowerSourceUpdate.info.id, StartPowerUpdates.info.id, StopPowerUpdates.info.id:
      return try handlePower(id, bytes)
    case 0x4154...0x4172: return try handleTelephone(id, bytes)
    case 0x5000...0x5003: return try handleNowPlaying(id, bytes)
    case 0x4C00...0x4C09: return try handleLibrary(id, bytes)
    case 0x5200...0x5204: return try handleRoute(id, bytes)
    case 0x5400...0x5404, 0x6800...0x6807: return try handleHID(id, bytes)
    case StatusExternalAccessoryProtocolSession.info.id:
      return status(try StatusExternalAccessoryProtocolSession(decoding: bytes.rawBytes))
    case RequestAppLaunch.info.id: return launch(try RequestAppLaunch(decoding: bytes.rawBytes))
    case CarPlayStartSession.info.id:
      return [.event(.carPlayStarted(try CarPlayStartSession(decoding: bytes.rawBytes)))]
    case IdentificationInformationUpdate.info.id:
      return try handle(IdentificationInformationUpdate(decoding: bytes.rawBytes))
    default: return try handleAccessory(id, bytes)
    }
  }

  private mutating func handle(_ message: IdentificationInformationUpdate) -> [RoleAction] {
    update(identification: {
      if let name = message.name { $0.name = name }
      if let model = message.modelIdentifier { $0.modelIdentifier = model }
      if let manufacturer = message.manufacturer { $0.manufacturer = manufacturer }
      if let number = message.serialNumber { $0.serialNumber = number }
      if let version = message.firmwareVersion { $0.firmwareVersion = version }
      if let version = message.hardwareVersion { $0.hardwareVersion = version }
      if let language = message.currentLanguage ?? message.currentLanguageForm6 { $0.currentLanguage = language }
    })
    return []
  }

  // MARK: Power

  private mutating func handlePower(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case PowerSourceUpdate.info.id:
      let update = try PowerSourceUpdate(decoding: bytes.rawBytes)
      if let current = update.availableCurrentForDevice { state.battery.carCurrent = Int(current) }
      if let charges = update.deviceBatteryShouldChargeIfPowerIsPresent { state.battery.carCharges = charges }
      return [.event(.powerSourceChanged(update))] + announce() + allowWiredCarPlay()
    case StartPowerUpdates.info.id:
      let start = try StartPowerUpdates(decoding: bytes.rawBytes)
      try powerUpdates.start(bytes.rawBytes)
      // At the start, each message carries one attribute, in the order of a real phone: 4, 5, 0, 1, 6 (PodBox).
      let updates = try powerUpdates.updates(to: state.battery.update, order: [4, 5, 0, 1, 6])
      return RoleMessage.unknownAttributes(start) + updates.flatMap { tell($0) }
    default:
      guard powerUpdates.isActive else { return notStarted(id) }
      powerUpdates.stop()
      return []
    }
  }

  // MARK: Telephone

  private mutating func handleTelephone(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    var told: [RoleAction] = []
    switch id {
    case StartCallStateUpdates.info.id:
      told = RoleMessage.unknownAttributes(try StartCallStateUpdates(decoding: bytes.rawBytes))
      try callStates.start(bytes.rawBytes)
    case StopCallStateUpdates.info.id:
      guard callStates.isActive else { return notStarted(id) }
      callStates.stop()
    case StartCommunicationsUpdates.info.id:
      told = RoleMessage.unknownAttributes(try StartCommunicationsUpdates(decoding: bytes.rawBytes))
      try communications.start(bytes.rawBytes)
    case StopCommunicationsUpdates.info.id:
      guard communications.isActive else { return notStarted(id) }
      communications.stop()
    case StartListUpdates.info.id: callLists.begin(try StartListUpdates(decoding: bytes.rawBytes))
    case StopListUpdates.info.id:
      guard callLists.isActive else { return notStarted(id) }
      callLists.stop()
    case InitiateCall.info.id: initiate(try InitiateCall(decoding: bytes.rawBytes))
    case AcceptCall.info.id:
      let accept = try AcceptCall(decoding: bytes.rawBytes)
      state.telephone.accept(accept.callUUID, accept.acceptAction)
    case EndCall.info.id:
      let end = try EndCall(decoding: bytes.rawBytes)
      state.telephone.end(end.callUUID, end.endAction)
    case SwapCalls.info.id: state.telephone.swap()
    case MergeCalls.info.id: state.telephone.merge()
    case HoldStatusUpdate.info.id:
      let hold = try HoldStatusUpdate(decoding: bytes.rawBytes)
      state.telephone.hold(hold.holdStatus, hold.callUUID)
    case MuteStatusUpdate.info.id:
      state.telephone.isMuted = try MuteStatusUpdate(decoding: bytes.rawBytes).muteStatus
    case SendDTMF.info.id: state.telephone.press(try SendDTMF(decoding: bytes.rawBytes).tone)
    default: return []
    }
    return told + announce()
  }

  private mutating func initiate(_ request: InitiateCall) {
    switch request.type {
    case .redial: state.telephone.redial()
    case .voicemail: state.telephone.initiate(state.telephone.voicemail)
    default:
      guard let remote = request.destinationID else { return }
      let known = state.telephone.favorites + state.telephone.recents.map(\.contact)
      let name = known.first { $0.remote == remote }?.name ?? ""
      state.telephone.initiate(Contact(remote: remote, name: name, service: request.service ?? .telephony))
    }
  }

  // MARK: Route guidance

  private mutating func handleRoute(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartRouteGuidanceUpdates.info.id:
      let start = try StartRouteGuidanceUpdates(decoding: bytes.rawBytes)
      let displays = identification?.routeGuidanceDisplayComponent ?? []
      let named = start.routeGuidanceDisplayComponentID
      guard named.allSatisfy({ id in displays.contains { $0.componentIdentifier == id } }) else {
        return [.event(.violation(.unknownTarget(message: id)))]
      }
      let component = displays.first { named.isEmpty || named.contains($0.componentIdentifier) }
      try routeGuidance.start(start, component: component)
      return RoleMessage.unknownAttributes(start) + (try tellRoute())
    case StopRouteGuidanceUpdates.info.id:
      guard routeGuidance.isActive else { return notStarted(id) }
      routeGuidance.stop()
      return []
    default: return []
    }
  }

  private mutating func tellRoute() throws(WireError) -> [RoleAction] {
    try routeGuidance.messages(for: state.guidance).flatMap { tell($0) }
  }
}
