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
  public var kind: Kind { parts.kind }

  /// The message that the event carries; nil for an event that is not one message.
  public var message: (any ControlMessage)? { parts.message }

  private var parts: (kind: Kind, message: (any ControlMessage)?) {
    switch self {
    case .nowPlaying(let value): (.nowPlaying, value)
    case .artwork: (.artwork, nil)
    case .playbackQueue: (.playbackQueue, nil)
    case .communications(let value): (.communications, value)
    case .callState(let value): (.callState, value)
    case .callLists(let value): (.callLists, value)
    case .mediaLibraries(let value): (.mediaLibraries, value)
    case .mediaLibrary(let value): (.mediaLibrary, value)
    case .routeGuidance(let value): (.routeGuidance, value)
    case .maneuver(let value): (.maneuver, value)
    case .laneGuidance(let value): (.laneGuidance, value)
    case .deviceInformation(let value): (.deviceInformation, value)
    case .deviceLanguage(let value): (.deviceLanguage, value)
    case .deviceTime(let value): (.deviceTime, value)
    case .deviceUUID(let value): (.deviceUUID, value)
    case .deviceTransports(let value): (.deviceTransports, value)
    case .wirelessCarPlay(let value): (.wirelessCarPlay, value)
    case .wiFi(let value): (.wiFi, value)
    case .assistiveTouch(let value): (.assistiveTouch, value)
    case .bluetoothConnection(let value): (.bluetoothConnection, value)
    case .usbAudio(let value): (.usbAudio, value)
    case .hidComponent(let value): (.hidComponent, value)
    case .location(let value): (.location, value)
    case .vehicleStatus(let value): (.vehicleStatus, value)
    case .accessoryWiFi(let value): (.accessoryWiFi, value)
    case .appLaunch(let value): (.appLaunch, value)
    case .hidStarted(let value): (.hidStarted, value)
    case .hidStopped(let value): (.hidStopped, value)
    case .hidReport: (.hidReport, nil)
    case .appShown: (.appShown, nil)
    case .appHidden: (.appHidden, nil)
    case .appWanted: (.appWanted, nil)
    }
  }
}
