// swift-iap2 · Apache-2.0

public import IAP2

/// The features of a head unit. Each feature adds its messages and components to the identification.
public struct HeadUnitFeatures: OptionSet, Sendable, Hashable {
  /// The bits of the features.
  public var rawValue: UInt32
  /// Creates a set of features from its bits.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The power state of the phone and the offer of current to it: 0xAE00 to 0xAE03.
  public static let power = Self(rawValue: 1 << 0)
  /// CarPlay over the cable: 0x4300 and 0x4301.
  public static let carPlay = Self(rawValue: 1 << 1)
  /// The notifications of the phone's name, language, time, UUID and transport identifiers: 0x4E09 to 0x4E0C and
  /// 0x4E0E.
  public static let deviceNotifications = Self(rawValue: 1 << 2)
  /// The current media item and the control of the player: 0x5000 to 0x5003.
  public static let nowPlaying = Self(rawValue: 1 << 3)
  /// The media libraries of the phone and the playback of their items: 0x4C00 to 0x4C09.
  public static let mediaLibrary = Self(rawValue: 1 << 4)
  /// The state of calls and of the network, and the control of calls: 0x4154 to 0x4161.
  public static let calls = Self(rawValue: 1 << 5)
  /// The recent calls and the favorites: 0x4170 to 0x4172.
  public static let callLists = Self(rawValue: 1 << 6)
  /// The location sentences for the phone: 0xFFF0 and 0xFFFA to 0xFFFC.
  public static let location = Self(rawValue: 1 << 7)
  /// The range, the outside temperature and the range warning of the car: 0xA100 to 0xA102.
  public static let vehicleStatus = Self(rawValue: 1 << 8)
  /// Route guidance with maneuvers and lanes: 0x5200 to 0x5204.
  public static let routeGuidance = Self(rawValue: 1 << 9)
  /// The Wi-Fi network of the phone: 0x5700 and 0x5701.
  public static let wiFiSharing = Self(rawValue: 1 << 10)
  /// Wireless CarPlay over the car's access point: 0x4E0D, 0x5702 and 0x5703.
  public static let wirelessCarPlay = Self(rawValue: 1 << 11)
  /// A media remote and a keyboard as input devices: 0x6800 to 0x6803 and 0x6807.
  public static let hid = Self(rawValue: 1 << 12)
  /// A pointer as an input device, and AssistiveTouch: 0x5400 to 0x5404.
  public static let assistiveTouch = Self(rawValue: 1 << 13)
  /// The request to launch an app: 0xEA02.
  public static let appLaunch = Self(rawValue: 1 << 14)
  /// The connected profiles of a Bluetooth component: 0x4E03 to 0x4E05.
  public static let bluetooth = Self(rawValue: 1 << 15)
  /// The sample rate of USB device mode audio: 0xDA00 to 0xDA02.
  public static let usbAudio = Self(rawValue: 1 << 16)

  /// The features of a plain wired head unit.
  public static let standard: Self = [.power, .carPlay, .deviceNotifications]
  /// The features of a plain head unit over Bluetooth.
  public static let wireless: Self = [.carPlay, .wirelessCarPlay, .deviceNotifications]
  /// All features.
  public static let all = Self(rawValue: 1 << 17 - 1)

  /// The messages that each feature sends and receives, in the order in which the identification lists them.
  static let messages: [(feature: HeadUnitFeatures, sent: [UInt16], received: [UInt16])] = [
    (.power, [StartPowerUpdates.id, StopPowerUpdates.id, PowerSourceUpdate.id], [PowerUpdate.id]),
    (.carPlay, [CarPlayStartSession.id], [CarPlayAvailability.id]),
    (
      .nowPlaying, [StartNowPlayingUpdates.id, StopNowPlayingUpdates.id, SetNowPlayingInformation.id],
      [NowPlayingUpdate.id]
    ),
    (
      .mediaLibrary,
      [
        StartMediaLibraryInformation.id, StopMediaLibraryInformation.id, StartMediaLibraryUpdates.id,
        UntypedMessage.stopMediaLibraryUpdates, UntypedMessage.playMediaLibraryCurrentSelection,
        UntypedMessage.playMediaLibraryItems, UntypedMessage.playMediaLibraryCollection,
        UntypedMessage.playMediaLibrarySpecial,
      ], [MediaLibraryInformation.id, MediaLibraryUpdate.id]
    ),
    (
      .calls,
      [
        StartCallStateUpdates.id, StopCallStateUpdates.id, StartCommunicationsUpdates.id, StopCommunicationsUpdates.id,
        InitiateCall.id, AcceptCall.id, EndCall.id, SwapCalls.id, MergeCalls.id, HoldStatusUpdate.id,
        MuteStatusUpdate.id, SendDTMF.id,
      ], [CallStateUpdate.id, CommunicationsUpdate.id]
    ),
    (.callLists, [StartListUpdates.id, StopListUpdates.id], [ListUpdate.id]),
    (
      .location, [LocationInformation.id],
      [StartLocationInformation.id, StopLocationInformation.id, GPRMCDataStatusValuesNotification.id]
    ),
    (.vehicleStatus, [VehicleStatusUpdate.id], [StartVehicleStatusUpdates.id, StopVehicleStatusUpdates.id]),
    (
      .routeGuidance, [StartRouteGuidanceUpdates.id, StopRouteGuidanceUpdates.id],
      [RouteGuidanceUpdate.id, RouteGuidanceManeuverUpdate.id, LaneGuidanceInformation.id]
    ),
    (.wiFiSharing, [RequestWiFiInformation.id], [WiFiInformation.id]),
    (
      .wirelessCarPlay, [AccessoryWiFiConfigurationInformation.id],
      [RequestAccessoryWiFiConfigurationInformation.id, WirelessCarPlayUpdate.id]
    ),
    (.hid, [StartHID.id, AccessoryHIDReport.id, StopHID.id], [DeviceHIDReport.id, HIDComponentUpdate.id]),
    (
      .assistiveTouch,
      [
        StartAssistiveTouch.id, StopAssistiveTouch.id, StartAssistiveTouchInformation.id,
        StopAssistiveTouchInformation.id,
      ], [AssistiveTouchInformation.id]
    ),
    (.appLaunch, [RequestAppLaunch.id], []),
    (
      .bluetooth, [StartBluetoothConnectionUpdates.id, StopBluetoothConnectionUpdates.id],
      [BluetoothConnectionUpdate.id]
    ),
    (.usbAudio, [StartUSBDeviceModeAudio.id, StopUSBDeviceModeAudio.id], [USBDeviceModeAudioInformation.id]),
  ]
}

/// The state of a car that a head unit reports to the phone. A change is sent to a phone that has requested it.
public struct HeadUnitState: Sendable, Equatable {
  /// The current that is offered to the phone, also without a request; nil sends nothing about power.
  public var powerSource: PowerSourceUpdate?
  /// The answer to an offer of CarPlay; nil sends no answer.
  public var carPlay: CarPlayStartSession?
  /// The range in kilometers, the outside temperature in degrees Celsius and the range warning. Both units are
  /// inferred.
  public var vehicleStatus = VehicleStatusUpdate()
  /// The access point for wireless CarPlay; nil if there is none.
  public var wiFi: AccessoryWiFiConfigurationInformation?
  /// The track that the car drives; it is reported while the phone requests location.
  public var track: LocationTrack?

  /// Creates the state of a car that offers nothing.
  package init() {}
}

/// The identification of a head unit, its initial state and its requests.
public struct HeadUnitProfile: Sendable, Equatable {
  /// The identification that the head unit sends.
  public var identification: IdentificationInformation
  /// The initial state of the car.
  public var state = HeadUnitState()
  /// Whole control messages that are sent once both sides are ready, in this order. A message is sent only if the
  /// identification lists it.
  public var requests: [[UInt8]] = []
  /// The input devices, which are started once both sides are ready.
  public var devices: [HIDDevice] = []
  /// The messages of the phone that must arrive before the head unit sends its requests. Some cars wait for 0x4E0E and
  /// 0x4E0A (Features.md#device-transports-needed).
  package var waitsFor: Set<UInt16> = []

  /// Creates a profile without requests and input devices.
  public init(identification: IdentificationInformation) { self.identification = identification }

  /// The largest number of EA protocols of an accessory: their identifiers are one byte, and 0 is not used.
  package static let maximumProtocols = 255

  /// Returns a wired head unit with the given EA protocols and features. Protocols beyond `maximumProtocols` are
  /// dropped.
  public static func standard(
    name: String = "swift-iap2 Head Unit", protocols: [String] = [], features: HeadUnitFeatures = .standard
  ) -> HeadUnitProfile {
    var profile = HeadUnitProfile(identification: identity(name, protocols, features))
    profile.addComponents(features)
    if features.contains(.power) {
      var power = PowerSourceUpdate()
      power.availableCurrentForDevice = 2400
      power.deviceBatteryShouldChargeIfPowerIsPresent = true
      profile.state.powerSource = power
    }
    if !features.isDisjoint(with: [.carPlay, .wirelessCarPlay]) { profile.state.carPlay = carPlay(features) }
    profile.requests = requests(features)
    return profile
  }

  private static func identity(
    _ name: String, _ protocols: [String], _ features: HeadUnitFeatures
  ) -> IdentificationInformation {
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
    var sent: [UInt16] = []
    var received: [UInt16] =
      features.contains(.deviceNotifications)
      ? [
        DeviceInformationUpdate.id, DeviceLanguageUpdate.id, DeviceTimeUpdate.id, DeviceUUIDUpdate.id,
        DeviceTransportIdentifierNotification.id,
      ] : []
    for entry in HeadUnitFeatures.messages where features.contains(entry.feature) {
      sent += entry.sent
      received += entry.received
    }
    if !protocols.isEmpty {
      sent.append(StatusExternalAccessoryProtocolSession.id)
      received += [StartExternalAccessoryProtocolSession.id, StopExternalAccessoryProtocolSession.id]
    }
    identification.messagesSentByAccessory = Packed(sent)
    identification.messagesReceivedFromDevice = Packed(received)
    identification.supportedExternalAccessoryProtocol = protocols.prefix(maximumProtocols).enumerated().map {
      index, name in
      var item = SupportedExternalAccessoryProtocol()
      item.externalAccessoryProtocolIdentifier = UInt8(index + 1)
      item.externalAccessoryProtocolName = name
      item.externalAccessoryProtocolMatchAction = .noAction
      return item
    }
    return identification
  }

  private mutating func addComponents(_ features: HeadUnitFeatures) {
    var usb = USBHostTransportComponent()
    usb.transportComponentIdentifier = 1
    usb.transportComponentName = "USB"
    usb.transportSupportsiAP2Connection = true
    usb.transportSupportsCarPlay = Presence(features.contains(.carPlay))
    usb.usbHostTransportCarPlayInterfaceNumber = features.contains(.carPlay) ? 0 : nil
    identification.usbHostTransportComponent = [usb]
    if features.contains(.usbAudio) {
      var audio = USBDeviceTransportComponent()
      audio.transportComponentIdentifier = 4
      audio.transportComponentName = "USB audio"
      audio.usbDeviceSupportedAudioSampleRate = [.rate44100, .rate48000]
      identification.usbDeviceTransportComponent = [audio]
    }
    if !features.isDisjoint(with: [.bluetooth, .wirelessCarPlay]) {
      var bluetooth = BluetoothTransportComponent()
      bluetooth.transportComponentIdentifier = 2
      bluetooth.transportComponentName = "Bluetooth"
      bluetooth.transportSupportsiAP2Connection = true
      bluetooth.bluetoothTransportMediaAccessControlAddress = [0x02, 0, 0, 0, 0, 1]
      identification.bluetoothTransportComponent = [bluetooth]
    }
    if features.contains(.wirelessCarPlay) {
      var wireless = WirelessCarPlayTransportComponent()
      wireless.transportComponentIdentifier = 3
      wireless.transportComponentName = "Wi-Fi"
      wireless.transportSupportsiAP2Connection = true
      wireless.transportSupportsCarPlay = true
      identification.wirelessCarPlayTransportComponent = wireless
      var accessPoint = AccessoryWiFiConfigurationInformation()
      accessPoint.wiFiSSID = "swift-iap2 Car"
      accessPoint.wiFiPassphrase = "not a secret"
      accessPoint.securityType = .wpaOrWPA2
      accessPoint.channel = 36
      state.wiFi = accessPoint
    }
    addCarComponents(features)
    if features.contains(.hid) { devices = [.mediaRemote(component: 10), .keyboard(component: 11)] }
    if features.contains(.assistiveTouch) { devices.append(.pointer(component: 12)) }
    identification.iAP2HIDComponent = devices.map { device in
      var component = IAP2HIDComponent()
      component.componentIdentifier = device.component
      component.componentName = device.name
      component.hidComponentFunction = device.function
      return component
    }
  }

  private mutating func addCarComponents(_ features: HeadUnitFeatures) {
    if features.contains(.vehicleStatus) {
      var vehicle = VehicleInformationComponent()
      vehicle.componentIdentifier = 20
      vehicle.componentName = "Vehicle"
      vehicle.engineType = [.electric]
      identification.vehicleInformationComponent = vehicle
      var status = VehicleStatusComponent()
      status.componentIdentifier = 21
      status.componentName = "Status"
      status.range = true
      status.outsideTemperature = true
      status.rangeWarning = true
      identification.vehicleStatusComponent = status
    }
    if features.contains(.location) {
      var location = LocationInformationComponent()
      location.componentIdentifier = 22
      location.componentName = "Location"
      location.globalPositioningSystemFixData = true
      location.recommendedMinimumSpecificGPSTransitData = true
      location.gpsSatellitesInView = true
      location.vehicleSpeedData = true
      location.vehicleGyroData = true
      location.vehicleAccelerometerData = true
      location.vehicleHeadingData = true
      identification.locationInformationComponent = location
    }
    if features.contains(.routeGuidance) {
      var display = RouteGuidanceDisplayComponent()
      display.componentIdentifier = 30
      display.componentName = "Cluster"
      display.maximumCurrentRoadNameLength = 64
      display.maximumDestinationNameLength = 64
      display.maximumAfterManeuverRoadNameLength = 64
      display.maximumManeuverDescriptionLength = 128
      display.maximumGuidanceManeuverStorageCapacity = 64
      display.maximumLaneGuidanceDescriptionLength = 64
      display.maximumLaneGuidanceStorageCapacity = 64
      identification.routeGuidanceDisplayComponent = [display]
    }
  }

  /// The address at which the head unit expects a CarPlay session: a link-local address that this project chose.
  static let carPlayAddress = "fe80::1"

  private static func carPlay(_ features: HeadUnitFeatures) -> CarPlayStartSession {
    var start = CarPlayStartSession()
    if features.contains(.carPlay) {
      var wired = CarPlayStartSession.WiredAttributes()
      wired.ipAddress = [carPlayAddress]
      start.wiredAttributes = wired
    }
    start.port = 7000
    start.deviceIdentifier = "02:00:00:00:00:01"
    return start
  }
}
