// swift-iap2 · Apache-2.0

package import IAP2
public import IAP2Formats

/// A file of the phone that is being received.
struct IncomingFile: Sendable {
  enum Purpose: Sendable, Hashable { case artwork, queue }
  var purpose: Purpose
  var bytes: [UInt8] = []
  /// The largest file in bytes, more than any artwork that a car shows.
  static let maximumByteCount = 8 << 20
}

/// An error that prevents a press on an input device.
public enum PressProblem: Error, Sendable, Hashable {
  /// Authentication and identification are not complete.
  case notReady
  /// The identification does not list 0x6802, which carries reports.
  case notListed
  /// The profile has no device with this component id, or the report descriptor of the device cannot be read.
  case noDevice(component: UInt16)
  /// The report descriptor of the device has no field for the usage, or no field is left.
  case noUsage(HIDUsage)
  /// The messages that wait to be sent leave no room for the reports. None was queued.
  case queueFull(QueueLimit)
}

extension HeadUnitPolicy {
  /// Changes the state of the car with `body` and returns the updates for the phone; none while the policy is not
  /// ready.
  package mutating func change(_ body: (inout HeadUnitState) -> Void) -> [RoleAction] {
    body(&state)
    return isReady ? sendPower() + sendVehicleStatus() : []
  }

  /// Returns the actions that send a message of the user; nil if the identification does not list it or the policy is
  /// not ready.
  package func request<M: ControlMessage>(_ message: M) -> [RoleAction]? {
    guard isReady, isDeclared(M.id) else { return nil }
    return reply(message)
  }

  /// Presses and releases usages of a device: returns the actions that send a report with the usages, then one at rest
  /// (Features.md#hid-press; high).
  package func press(_ usages: [HIDUsage], on component: UInt16) throws(PressProblem) -> [RoleAction] {
    guard isReady else { throw .notReady }
    guard isDeclared(AccessoryHIDReport.id) else { throw .notListed }
    guard let device = profile.devices.first(where: { $0.component == component }) else {
      throw .noDevice(component: component)
    }
    let descriptor: HIDReportDescriptor
    do { descriptor = try HIDReportDescriptor(device.descriptor) } catch { throw .noDevice(component: component) }
    let pressed = descriptor.reports(Dictionary(usages.map { ($0, 1) }, uniquingKeysWith: { first, _ in first }))
    let reported = Set(pressed.flatMap { descriptor.values(in: $0).keys })
    if let missing = usages.first(where: { !reported.contains($0) }) { throw .noUsage(missing) }
    return (pressed + descriptor.reports([:])).flatMap { report in
      var message = AccessoryHIDReport()
      message.hidComponentIdentifier = component
      message.hidReport = Blob(report)
      return reply(message)
    }
  }

  /// Presses and releases a button of the first media remote in the profile.
  package func press(_ button: MediaButton) throws(PressProblem) -> [RoleAction] {
    let remote = profile.devices.first { $0.function == .mediaPlaybackRemote }
    return try press([button.usage], on: remote?.component ?? 0)
  }

  // MARK: Updates of the car

  mutating func sendPower() -> [RoleAction] {
    guard let source = state.powerSource, source != sentPower else { return [] }
    sentPower = source
    return sendIfListed(source)
  }

  mutating func sendVehicleStatus() -> [RoleAction] {
    guard isDeclared(VehicleStatusUpdate.id) else { return [] }
    do {
      guard let update = try vehicleStatus.update(to: state.vehicleStatus) else { return [] }
      return [.send(update)]
    } catch { return [RoleMessage.tooLong] }
  }

  /// Reports the sentences of the track that are due, of the kinds that the phone requested.
  mutating func drive(_ milliseconds: Int) -> [RoleAction] {
    guard let due = state.track?.advance(milliseconds: milliseconds) else { return [] }
    return report(due)
  }

  /// Reports the sentences of the kinds that the phone requested, in one message. Sentences that do not fit into one
  /// message are not sent, and a violation is reported.
  package func report(_ sentences: [String]) -> [RoleAction] {
    let wanted = sentences.filter { sentence in LocationSentence(of: sentence).map(locationKinds.contains) ?? false }
    guard !wanted.isEmpty else { return [] }
    var message = LocationInformation()
    message.nmeaSentence = wanted
    return sendIfListed(message)
  }

  // MARK: Messages of the phone

  mutating func feature(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartExternalAccessoryProtocolSession.id:
      return open(try StartExternalAccessoryProtocolSession(decoding: bytes.rawBytes))
    case StopExternalAccessoryProtocolSession.id:
      let stop = try StopExternalAccessoryProtocolSession(decoding: bytes.rawBytes)
      let session = stop.externalAccessoryProtocolSessionIdentifier
      guard openSessions.removeValue(forKey: session) != nil else { return [] }
      return [.closeExternalAccessory(session: session)]
    case CarPlayAvailability.id:
      let availability = try CarPlayAvailability(decoding: bytes.rawBytes)
      return [.event(.carPlayAvailable(availability))] + startCarPlay(availability)
    case PowerUpdate.id:
      let update = try PowerUpdate(decoding: bytes.rawBytes)
      power.note(update)
      return [.event(.powerChanged(update))]
    case StartLocationInformation.id, StopLocationInformation.id, StartVehicleStatusUpdates.id,
      StopVehicleStatusUpdates.id, RequestAccessoryWiFiConfigurationInformation.id:
      return try answer(id, bytes)
    case NowPlayingUpdate.id:
      try nowPlaying.receive(bytes.rawBytes, forgetting: NowPlayingUpdate.durationOfItem)
      expectFiles()
      return event(.nowPlaying(nowPlaying.value))
    case CommunicationsUpdate.id:
      try communications.receive(bytes.rawBytes)
      return event(.communications(communications.value))
    case CallStateUpdate.id: return try handleCall(bytes)
    case RouteGuidanceUpdate.id, RouteGuidanceManeuverUpdate.id, LaneGuidanceInformation.id:
      return try handleRoute(id, bytes)
    default: return try handleUpdate(id, bytes)
    }
  }

  private func event(_ event: FeatureEvent) -> [RoleAction] { [.event(.feature(event))] }

  /// Handles the messages that do not depend on earlier ones.
  private func handleUpdate(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    let raw = bytes.rawBytes
    switch id {
    case ListUpdate.id: return event(.callLists(try ListUpdate(decoding: raw)))
    case MediaLibraryInformation.id: return try handleLibraries(MediaLibraryInformation(decoding: raw))
    case MediaLibraryUpdate.id: return event(.mediaLibrary(try MediaLibraryUpdate(decoding: raw)))
    case DeviceInformationUpdate.id:
      return event(.deviceInformation(try DeviceInformationUpdate(decoding: raw)))
    case DeviceLanguageUpdate.id: return event(.deviceLanguage(try DeviceLanguageUpdate(decoding: raw)))
    case DeviceTimeUpdate.id: return event(.deviceTime(try DeviceTimeUpdate(decoding: raw)))
    case DeviceUUIDUpdate.id: return event(.deviceUUID(try DeviceUUIDUpdate(decoding: raw)))
    case DeviceTransportIdentifierNotification.id:
      return event(.deviceTransports(try DeviceTransportIdentifierNotification(decoding: raw)))
    case WirelessCarPlayUpdate.id: return event(.wirelessCarPlay(try WirelessCarPlayUpdate(decoding: raw)))
    case WiFiInformation.id: return event(.wiFi(try WiFiInformation(decoding: raw)))
    case AssistiveTouchInformation.id:
      return event(.assistiveTouch(try AssistiveTouchInformation(decoding: raw)))
    case BluetoothConnectionUpdate.id:
      return event(.bluetoothConnection(try BluetoothConnectionUpdate(decoding: raw)))
    case USBDeviceModeAudioInformation.id:
      return event(.usbAudio(try USBDeviceModeAudioInformation(decoding: raw)))
    case HIDComponentUpdate.id: return event(.hidComponent(try HIDComponentUpdate(decoding: raw)))
    case DeviceHIDReport.id: return try handleReport(DeviceHIDReport(decoding: raw))
    default: return []
    }
  }

  /// Reports the libraries and subscribes to each one, from its beginning.
  private func handleLibraries(_ information: MediaLibraryInformation) -> [RoleAction] {
    event(.mediaLibraries(information))
      + information.mediaLibraryInformation.prefix(Self.maximumLibraries).flatMap {
        sendIfListed(StartMediaLibraryUpdates.everything(of: $0.mediaLibraryUniqueIdentifier))
      }
  }

  private static var maximumLibraries: Int { 16 }

  private func handleReport(_ message: DeviceHIDReport) -> [RoleAction] {
    let component = message.hidComponentIdentifier
    guard let device = profile.devices.first(where: { $0.component == component }) else {
      return [.event(.violation(.unknownDevice(component: component)))]
    }
    var values: [HIDUsage: Int] = [:]
    // The descriptor is this side's own. If it cannot be read, the values of the report are unknown.
    do { values = try HIDReportDescriptor(device.descriptor).values(in: message.hidReport.bytes, .output) } catch {}
    return event(.hidReport(component: component, report: message.hidReport.bytes, values: values))
  }

  private mutating func answer(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case StartLocationInformation.id:
      let start = try StartLocationInformation(decoding: bytes.rawBytes)
      let unknown = RoleMessage.unknownAttributes(start)
      locationKinds = []
      let asked: [(Presence, LocationSentence)] = [
        (start.globalPositioningSystemFixData, .fix), (start.recommendedMinimumSpecificGPSTransitData, .transit),
        (start.gpsSatellitesInView, .satellites), (start.vehicleSpeedData, .speed), (start.vehicleGyroData, .gyro),
        (start.vehicleAccelerometerData, .accelerometer), (start.vehicleHeadingData, .heading),
      ]
      for (isAsked, kind) in asked where isAsked.isSet { locationKinds.insert(kind) }
      isLocationWanted = true
      return unknown
    case StopLocationInformation.id:
      guard isLocationWanted else { return [.event(.violation(.notStarted(id)))] }
      isLocationWanted = false
      locationKinds = []
    case StartVehicleStatusUpdates.id:
      let start = try StartVehicleStatusUpdates(decoding: bytes.rawBytes)
      try vehicleStatus.start(bytes.rawBytes)
      return RoleMessage.unknownAttributes(start) + sendVehicleStatus()
    case StopVehicleStatusUpdates.id:
      guard vehicleStatus.isActive else { return [.event(.violation(.notStarted(id)))] }
      vehicleStatus.stop()
    default: if let accessPoint = state.wiFi { return sendIfListed(accessPoint) }
    }
    return []
  }

  // MARK: Calls

  private static var maximumCalls: Int { 64 }

  private mutating func handleCall(_ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    guard let identifier = try CallStateUpdate(decoding: bytes.rawBytes).callUUID else {
      throw WireError(.missing, offset: bytes.count, parameter: 4)
    }
    guard calls.count < Self.maximumCalls || calls[identifier] != nil else {
      return [.event(.violation(.limit(StaticName("maximumCalls"), Self.maximumCalls)))]
    }
    var call = calls[identifier] ?? PeerState<CallStateUpdate>()
    try call.receive(bytes.rawBytes)
    calls[identifier] = call.value.status == .disconnected ? nil : call
    return event(.callState(call.value))
  }

  // MARK: Route guidance

  /// The maneuvers, and the sets of lanes, that are kept at most: more than any display declares.
  private static var maximumManeuvers: Int { 1024 }

  /// The maneuvers that the phone named as current, as far as they were received.
  package var currentManeuvers: [RouteGuidanceManeuverUpdate] {
    routeGuidance.value.routeGuidanceManeuverCurrentList?.elements.compactMap { maneuvers[$0] } ?? []
  }

  private mutating func handleRoute(_ id: UInt16, _ bytes: [UInt8]) throws(WireError) -> [RoleAction] {
    switch id {
    case RouteGuidanceManeuverUpdate.id:
      let maneuver = try RouteGuidanceManeuverUpdate(decoding: bytes.rawBytes)
      guard maneuvers.count < Self.maximumManeuvers || maneuvers[maneuver.index] != nil else { return tooMany() }
      maneuvers[maneuver.index] = maneuver
      return event(.maneuver(maneuver))
    case LaneGuidanceInformation.id:
      let information = try LaneGuidanceInformation(decoding: bytes.rawBytes)
      guard lanes.count < Self.maximumManeuvers || lanes[information.index] != nil else { return tooMany() }
      lanes[information.index] = information
      return event(.laneGuidance(information))
    default:
      try routeGuidance.receive(bytes.rawBytes)
      if routeGuidance.value.routeGuidanceState == .noRouteSet {
        maneuvers = [:]
        lanes = [:]
      }
      return event(.routeGuidance(routeGuidance.value))
    }
  }

  private func tooMany() -> [RoleAction] {
    [.event(.violation(.limit(StaticName("maximumManeuvers"), Self.maximumManeuvers)))]
  }

  // MARK: CarPlay

  /// Answers each kind of CarPlay when it becomes available. A message without the group of a kind does not change that
  /// kind.
  private mutating func startCarPlay(_ availability: CarPlayAvailability) -> [RoleAction] {
    let before = carPlayOffers
    if let wired = availability.wiredAttributes { carPlayOffers.wired = wired.wiredCarPlayAvailable == true }
    if let wireless = availability.wirelessAttributes {
      carPlayOffers.wireless = wireless.wirelessCarPlayAvailable == true
    }
    let startsWired = carPlayOffers.wired && !before.wired
    let startsWireless = carPlayOffers.wireless && !before.wireless
    guard startsWired || startsWireless, var start = state.carPlay, isDeclared(CarPlayStartSession.id) else {
      return []
    }
    if !startsWired { start.wiredAttributes = nil }
    let addresses = start.wirelessAttributes?.ipAddress ?? [HeadUnitProfile.carPlayAddress]
    start.wirelessAttributes = nil
    if startsWireless, let accessPoint = state.wiFi {
      var wireless = CarPlayStartSession.WirelessAttributes()
      wireless.wiFiSSID = accessPoint.wiFiSSID
      wireless.passphrase = accessPoint.wiFiPassphrase
      wireless.channel = accessPoint.channel
      wireless.securityType = accessPoint.securityType
      wireless.ipAddress = addresses
      start.wirelessAttributes = wireless
    }
    return reply(start) + [.event(.carPlayStarted(start))]
  }

  // MARK: Files

  /// Records the file ids that the phone has announced. Only these files are accepted.
  private mutating func expectFiles() {
    if let id = nowPlaying.value.mediaItemAttributes?.mediaItemArtworkFileTransferIdentifier, files[id] == nil {
      files[id] = IncomingFile(purpose: .artwork)
    }
    if let id = nowPlaying.value.playbackAttributes?.playbackQueueListTransferID, files[id] == nil {
      files[id] = IncomingFile(purpose: .queue)
    }
  }

  mutating func handle(_ input: FileInput) -> [RoleAction] {
    switch input {
    case .offered(let id, let setup):
      // An accessory that is not identified has asked for nothing.
      guard isReady, files[id] != nil, setup.byteCount <= UInt64(IncomingFile.maximumByteCount) else {
        return [.cancelFile(id: id)]
      }
      files[id]?.bytes = []
      return [.acceptFile(id: id)]
    case .data(let id, let bytes, let isLast):
      guard let count = files[id]?.bytes.count else { return [] }
      guard count + bytes.count <= IncomingFile.maximumByteCount else {
        files[id] = nil
        return [.cancelFile(id: id)]
      }
      // Appended in place: a copy of the file for each piece would make the time grow with the square of its size.
      files[id]?.bytes += bytes
      guard isLast, let file = files.removeValue(forKey: id) else { return [] }
      return received(file)
    case .failed(let id), .cancelled(let id):
      files[id] = nil
      return []
    case .delivered: return []
    }
  }

  private func received(_ file: IncomingFile) -> [RoleAction] {
    switch file.purpose {
    case .artwork: return event(.artwork(file.bytes))
    case .queue:
      let whole = file.bytes.count - file.bytes.count % 8
      return event(
        .playbackQueue(
          stride(from: 0, to: whole, by: 8).map { start in
            file.bytes[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
          }))
    }
  }
}
