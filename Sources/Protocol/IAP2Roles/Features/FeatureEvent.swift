// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Formats

/// What a feature told one side. Updates are whole: everything heard so far, not only what changed last.
public enum FeatureEvent: Sendable, Equatable {
  // From the phone.
  case nowPlaying(NowPlayingUpdate)
  /// The artwork of the item that plays: an image file, which may be empty.
  case artwork([UInt8])
  /// The persistent identifiers of the playback queue.
  case playbackQueue([UInt64])
  case communications(CommunicationsUpdate)
  /// One call; its status says when it is over.
  case callState(CallStateUpdate)
  case callLists(ListUpdate)
  case mediaLibraries(MediaLibraryInformation)
  /// One message of a stream; the last has progress 100.
  case mediaLibrary(MediaLibraryUpdate)
  case routeGuidance(RouteGuidanceUpdate)
  case maneuver(RouteGuidanceManeuverUpdate)
  case laneGuidance(LaneGuidanceInformation)
  case deviceInformation(DeviceInformationUpdate)
  case deviceLanguage(DeviceLanguageUpdate)
  case deviceTime(DeviceTimeUpdate)
  case deviceUUID(DeviceUUIDUpdate)
  case deviceTransports(DeviceTransportIdentifierNotification)
  case wirelessCarPlay(WirelessCarPlayUpdate)
  case wiFi(WiFiInformation)
  case assistiveTouch(AssistiveTouchInformation)
  case bluetoothConnection(BluetoothConnectionUpdate)
  case usbAudio(USBDeviceModeAudioInformation)
  case hidComponent(HIDComponentUpdate)

  // From the accessory.
  case location(LocationInformation)
  case vehicleStatus(VehicleStatusUpdate)
  case accessoryWiFi(AccessoryWiFiConfigurationInformation)
  case appLaunch(RequestAppLaunch)
  case hidStarted(StartHID)
  case hidStopped(StopHID)

  /// A report of an input device, or one to it, and the usages that are not at rest in it.
  case hidReport(component: UInt16, report: [UInt8], values: [HIDUsage: Int])

  // Of the phone itself.
  /// The car has protocols of this app's CarPlay entitlement, or no longer.
  case appShown(app: String, protocols: [String])
  case appHidden(app: String, protocols: [String])
  /// No app speaks this protocol of the accessory, whose match action asks for one: the phone offers to find it, with an
  /// alert or in its settings only (Identification.md#match-action; medium).
  case appWanted(protocol: String, byAlert: Bool)

  /// The events without their values; the raw value is the name in JSON and scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    case nowPlaying, artwork, playbackQueue, communications, callState, callLists, mediaLibraries, mediaLibrary,
      routeGuidance, maneuver, laneGuidance, deviceInformation, deviceLanguage, deviceTime, deviceUUID,
      deviceTransports, wirelessCarPlay, wiFi, assistiveTouch, bluetoothConnection, usbAudio, hidComponent, location,
      vehicleStatus, accessoryWiFi, appLaunch, hidStarted, hidStopped, hidReport, appShown, appHidden, appWanted
  }

  public var kind: Kind {
    switch self {
    case .nowPlaying: .nowPlaying
    case .artwork: .artwork
    case .playbackQueue: .playbackQueue
    case .communications: .communications
    case .callState: .callState
    case .callLists: .callLists
    case .mediaLibraries: .mediaLibraries
    case .mediaLibrary: .mediaLibrary
    case .routeGuidance: .routeGuidance
    case .maneuver: .maneuver
    case .laneGuidance: .laneGuidance
    case .deviceInformation: .deviceInformation
    case .deviceLanguage: .deviceLanguage
    case .deviceTime: .deviceTime
    case .deviceUUID: .deviceUUID
    case .deviceTransports: .deviceTransports
    case .wirelessCarPlay: .wirelessCarPlay
    case .wiFi: .wiFi
    case .assistiveTouch: .assistiveTouch
    case .bluetoothConnection: .bluetoothConnection
    case .usbAudio: .usbAudio
    case .hidComponent: .hidComponent
    case .location: .location
    case .vehicleStatus: .vehicleStatus
    case .accessoryWiFi: .accessoryWiFi
    case .appLaunch: .appLaunch
    case .hidStarted: .hidStarted
    case .hidStopped: .hidStopped
    case .hidReport: .hidReport
    case .appShown: .appShown
    case .appHidden: .appHidden
    case .appWanted: .appWanted
    }
  }

  /// The message an event is; nil for what is no message.
  public var message: (any ControlMessage)? {
    switch self {
    case .nowPlaying(let value): value
    case .communications(let value): value
    case .callState(let value): value
    case .callLists(let value): value
    case .mediaLibraries(let value): value
    case .mediaLibrary(let value): value
    case .routeGuidance(let value): value
    case .maneuver(let value): value
    case .laneGuidance(let value): value
    case .deviceInformation(let value): value
    case .deviceLanguage(let value): value
    case .deviceTime(let value): value
    case .deviceUUID(let value): value
    case .deviceTransports(let value): value
    case .wirelessCarPlay(let value): value
    case .wiFi(let value): value
    case .assistiveTouch(let value): value
    case .bluetoothConnection(let value): value
    case .usbAudio(let value): value
    case .hidComponent(let value): value
    case .location(let value): value
    case .vehicleStatus(let value): value
    case .accessoryWiFi(let value): value
    case .appLaunch(let value): value
    case .hidStarted(let value): value
    case .hidStopped(let value): value
    case .artwork, .playbackQueue, .hidReport, .appShown, .appHidden, .appWanted: nil
    }
  }
}
