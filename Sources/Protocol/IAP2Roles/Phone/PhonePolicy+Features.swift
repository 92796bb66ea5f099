// swift-iap2 · Apache-2.0

import IAP2

extension PhonePolicy {
  /// Sends the notifications without a request, and the requests to the accessory.
  mutating func whenReady() -> [RoleAction] {
    var actions = notify() + reportApps() + offerApps() + askAccessory()
    actions += beginWirelessCarPlay()
    // An accessory that lists neither message never sends the message that the offer waits for.
    if !isDeclared(PowerSourceUpdate.id), !isDeclared(StartHID.id) { actions += allowWiredCarPlay() }
    return actions + openApps()
  }

  /// Sends every change that the accessory has requested.
  mutating func announce() -> [RoleAction] {
    var actions = notify() + reportApps()
    // Each feature is sent by itself, so that a text too long for a message stops only its own feature.
    actions += encoding { () throws(WireError) in sendIfListed(try powerUpdates.update(to: state.battery.update)) }
    actions += encoding { () throws(WireError) in try sendNowPlaying() }
    actions += encoding { () throws(WireError) in sendIfListed(try communications.update(to: state.telephone.update)) }
    for call in state.telephone.calls {
      actions += encoding { () throws(WireError) in sendIfListed(try callStates.update(to: call)) }
    }
    if let lists = callLists.update(to: state.telephone) { actions += sendIfListed(lists) }
    actions += encoding { () throws(WireError) in try sendRoute() }
    state.telephone.forgetEnded()
    callStates.forget(except: Set(state.telephone.calls.map(\.identifier)))
    return actions + sendLibraries() + requestLocation() + reportDevices() + beginWirelessCarPlay() + offerCarPlay()
      + openApps()
  }

  private func encoding(_ body: () throws(WireError) -> [RoleAction]) -> [RoleAction] {
    do { return try body() } catch { return [RoleMessage.tooLong] }
  }

  /// Reports a Stop of a subscription that was not started.
  func notStarted(_ id: UInt16) -> [RoleAction] { [.event(.violation(.notStarted(id)))] }

  mutating func feature(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case PowerSourceUpdate.id, StartPowerUpdates.id, StopPowerUpdates.id:
      return try handlePower(id, bytes)
    case StartCallStateUpdates.id...StopListUpdates.id: return try handleTelephone(id, bytes)
    case StartNowPlayingUpdates.id...SetNowPlayingInformation.id: return try handleNowPlaying(id, bytes)
    case StartMediaLibraryInformation.id...UntypedMessage.playMediaLibrarySpecial: return try handleLibrary(id, bytes)
    case StartRouteGuidanceUpdates.id...LaneGuidanceInformation.id: return try handleRoute(id, bytes)
    case StartAssistiveTouch.id...StopAssistiveTouchInformation.id, StartHID.id...HIDComponentUpdate.id:
      return try handleHID(id, bytes)
    case StatusExternalAccessoryProtocolSession.id:
      return status(try StatusExternalAccessoryProtocolSession(decoding: bytes.rawBytes))
    case RequestAppLaunch.id: return launch(try RequestAppLaunch(decoding: bytes.rawBytes))
    case CarPlayStartSession.id:
      return [.event(.carPlayStarted(try CarPlayStartSession(decoding: bytes.rawBytes)))]
    case IdentificationInformationUpdate.id:
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
    case PowerSourceUpdate.id:
      let update = try PowerSourceUpdate(decoding: bytes.rawBytes)
      if let current = update.availableCurrentForDevice { state.battery.carCurrent = Int(current) }
      if let charges = update.deviceBatteryShouldChargeIfPowerIsPresent { state.battery.carCharges = charges }
      return [.event(.powerSourceChanged(update))] + announce() + allowWiredCarPlay()
    case StartPowerUpdates.id:
      let start = try StartPowerUpdates(decoding: bytes.rawBytes)
      try powerUpdates.start(bytes.rawBytes)
      // At the start, each message carries one attribute, in the order of a real phone: 4, 5, 0, 1, 6
      // (Features.md#power-one-attribute).
      let updates = try powerUpdates.updates(to: state.battery.update, order: [4, 5, 0, 1, 6])
      return RoleMessage.unknownAttributes(start) + updates.flatMap { sendIfListed($0) }
    default:
      guard powerUpdates.isActive else { return notStarted(id) }
      powerUpdates.stop()
      return []
    }
  }

  // MARK: Telephone

  private mutating func handleTelephone(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    var reported: [RoleAction] = []
    switch id {
    case StartCallStateUpdates.id:
      reported = RoleMessage.unknownAttributes(try StartCallStateUpdates(decoding: bytes.rawBytes))
      try callStates.start(bytes.rawBytes)
    case StopCallStateUpdates.id:
      guard callStates.isActive else { return notStarted(id) }
      callStates.stop()
    case StartCommunicationsUpdates.id:
      reported = RoleMessage.unknownAttributes(try StartCommunicationsUpdates(decoding: bytes.rawBytes))
      try communications.start(bytes.rawBytes)
    case StopCommunicationsUpdates.id:
      guard communications.isActive else { return notStarted(id) }
      communications.stop()
    case StartListUpdates.id: callLists.begin(try StartListUpdates(decoding: bytes.rawBytes))
    case StopListUpdates.id:
      guard callLists.isActive else { return notStarted(id) }
      callLists.stop()
    case InitiateCall.id: initiate(try InitiateCall(decoding: bytes.rawBytes))
    case AcceptCall.id:
      let accept = try AcceptCall(decoding: bytes.rawBytes)
      state.obey(.accept(accept.callUUID, accept.acceptAction))
    case EndCall.id:
      let end = try EndCall(decoding: bytes.rawBytes)
      state.obey(.end(end.callUUID, end.endAction))
    case SwapCalls.id: state.obey(.swap)
    case MergeCalls.id: state.obey(.merge)
    case HoldStatusUpdate.id:
      let hold = try HoldStatusUpdate(decoding: bytes.rawBytes)
      state.obey(.hold(hold.holdStatus, hold.callUUID))
    case MuteStatusUpdate.id:
      state.obey(.mute(try MuteStatusUpdate(decoding: bytes.rawBytes).muteStatus))
    case SendDTMF.id: state.obey(.tone(try SendDTMF(decoding: bytes.rawBytes).tone))
    default: return []
    }
    return reported + announce()
  }

  private mutating func initiate(_ request: InitiateCall) {
    switch request.type {
    case .redial:
      if let last = state.telephone.lastCalled { state.obey(.call(last)) }
    case .voicemail: state.obey(.call(state.telephone.voicemail))
    default:
      guard let remote = request.destinationID else { return }
      let known = state.telephone.favorites + state.telephone.recents.map(\.contact)
      let name = known.first { $0.remote == remote }?.name ?? ""
      state.obey(.call(Contact(remote: remote, name: name, service: request.service ?? .telephony)))
    }
  }

  // MARK: Route guidance

  private mutating func handleRoute(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartRouteGuidanceUpdates.id:
      let start = try StartRouteGuidanceUpdates(decoding: bytes.rawBytes)
      let displays = identification?.routeGuidanceDisplayComponent ?? []
      let named = start.routeGuidanceDisplayComponentID
      guard named.allSatisfy({ id in displays.contains { $0.componentIdentifier == id } }) else {
        return [.event(.violation(.unknownTarget(message: id)))]
      }
      let component = displays.first { named.isEmpty || named.contains($0.componentIdentifier) }
      try routeGuidance.start(start, component: component)
      return RoleMessage.unknownAttributes(start) + (try sendRoute())
    case StopRouteGuidanceUpdates.id:
      guard routeGuidance.isActive else { return notStarted(id) }
      routeGuidance.stop()
      return []
    default: return []
    }
  }

  private mutating func sendRoute() throws(WireError) -> [RoleAction] {
    try routeGuidance.messages(for: state.guidance).flatMap { sendIfListed($0) }
  }
}
