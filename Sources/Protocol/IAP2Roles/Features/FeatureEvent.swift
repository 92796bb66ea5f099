// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Formats

/// An event of a feature, from the peer or from the phone itself. A value that arrives in several updates is complete:
/// it has everything received so far, not only the last change.
public enum FeatureEvent: Sendable, Equatable {
  // From the phone.
  /// The current media item and the state of the player.
  case nowPlaying(NowPlayingUpdate)
  /// The artwork of the current media item: an image file, which may be empty.
  case artwork([UInt8])
  /// The persistent identifiers of the playback queue.
  case playbackQueue([UInt64])
  /// The state of the phone's network and calls.
  case communications(CommunicationsUpdate)
  /// The state of one call, including its end.
  case callState(CallStateUpdate)
  /// The recent calls and the favorites.
  case callLists(ListUpdate)
  /// The media libraries of the phone.
  case mediaLibraries(MediaLibraryInformation)
  /// One message with a part of a media library's changes. The last message has progress 100.
  case mediaLibrary(MediaLibraryUpdate)
  /// The state of route guidance.
  case routeGuidance(RouteGuidanceUpdate)
  /// A maneuver of the route.
  case maneuver(RouteGuidanceManeuverUpdate)
  /// The lanes before a maneuver.
  case laneGuidance(LaneGuidanceInformation)
  /// The name of the phone.
  case deviceInformation(DeviceInformationUpdate)
  /// The language of the phone.
  case deviceLanguage(DeviceLanguageUpdate)
  /// The time and the time zone of the phone.
  case deviceTime(DeviceTimeUpdate)
  /// The UUID of the phone.
  case deviceUUID(DeviceUUIDUpdate)
  /// The identifiers of the phone on its transports.
  case deviceTransports(DeviceTransportIdentifierNotification)
  /// The state of wireless CarPlay.
  case wirelessCarPlay(WirelessCarPlayUpdate)
  /// The answer to a request for the phone's Wi-Fi network.
  case wiFi(WiFiInformation)
  /// The state of AssistiveTouch.
  case assistiveTouch(AssistiveTouchInformation)
  /// The connected profiles of a Bluetooth component.
  case bluetoothConnection(BluetoothConnectionUpdate)
  /// The sample rate of USB device mode audio.
  case usbAudio(USBDeviceModeAudioInformation)
  /// A message of the phone about an HID component.
  case hidComponent(HIDComponentUpdate)

  // From the accessory.
  /// Location sentences of the car.
  case location(LocationInformation)
  /// The range, the outside temperature and the range warning of the car.
  case vehicleStatus(VehicleStatusUpdate)
  /// The Wi-Fi access point of the car.
  case accessoryWiFi(AccessoryWiFiConfigurationInformation)
  /// A request of the accessory to launch an app.
  case appLaunch(RequestAppLaunch)
  /// The accessory started an input device.
  case hidStarted(StartHID)
  /// The accessory stopped an input device.
  case hidStopped(StopHID)

  /// A report of an input device, or one to it, with the values of the usages that are not at rest.
  case hidReport(component: UInt16, report: [UInt8], values: [HIDUsage: Int])

  // From the phone itself.
  /// CarPlay shows an app, because the car has these protocols of its CarPlay entitlement.
  case appShown(app: String, protocols: [String])
  /// CarPlay does not show an app, because the car has no protocol of its CarPlay entitlement or the app was removed.
  /// `protocols` is empty.
  case appHidden(app: String, protocols: [String])
  /// The match action of an EA protocol asks for an app, and the phone has no app for the protocol. The phone offers to
  /// find one, in an alert if `byAlert` is true, otherwise in its settings only (Identification.md#match-action;
  /// medium).
  case appWanted(protocol: String, byAlert: Bool)

  /// The events without their values. The raw value is the name in JSON and in scenarios.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// One case for each event.
    case nowPlaying, artwork, playbackQueue, communications, callState, callLists, mediaLibraries, mediaLibrary,
      routeGuidance, maneuver, laneGuidance, deviceInformation, deviceLanguage, deviceTime, deviceUUID,
      deviceTransports, wirelessCarPlay, wiFi, assistiveTouch, bluetoothConnection, usbAudio, hidComponent, location,
      vehicleStatus, accessoryWiFi, appLaunch, hidStarted, hidStopped, hidReport, appShown, appHidden, appWanted
  }

  /// The kind of the event.
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

  /// The message that the event carries; nil for an event that is not one message.
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
