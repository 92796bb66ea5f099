// swift-iap2 · Apache-2.0

public import IAP2

/// What a head unit can do: each brings its messages into the identification, and its components.
public struct HeadUnitFeatures: OptionSet, Sendable, Hashable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let power = Self(rawValue: 1 << 0)
  public static let carPlay = Self(rawValue: 1 << 1)
  public static let deviceNotifications = Self(rawValue: 1 << 2)
  public static let nowPlaying = Self(rawValue: 1 << 3)
  public static let mediaLibrary = Self(rawValue: 1 << 4)
  public static let calls = Self(rawValue: 1 << 5)
  public static let callLists = Self(rawValue: 1 << 6)
  public static let location = Self(rawValue: 1 << 7)
  public static let vehicleStatus = Self(rawValue: 1 << 8)
  public static let routeGuidance = Self(rawValue: 1 << 9)
  public static let wiFiSharing = Self(rawValue: 1 << 10)
  public static let wirelessCarPlay = Self(rawValue: 1 << 11)
  public static let hid = Self(rawValue: 1 << 12)
  public static let assistiveTouch = Self(rawValue: 1 << 13)
  public static let appLaunch = Self(rawValue: 1 << 14)
  public static let bluetooth = Self(rawValue: 1 << 15)
  public static let usbAudio = Self(rawValue: 1 << 16)

  /// What a plain wired head unit has.
  public static let standard: Self = [.power, .carPlay, .deviceNotifications]
  public static let all = Self(rawValue: 1 << 17 - 1)

  /// Messages a feature sends and takes, in the order they are listed.
  static let messages: [(feature: HeadUnitFeatures, sent: [UInt16], received: [UInt16])] = [
    (.power, [0xAE00, 0xAE02, 0xAE03], [0xAE01]),
    (.carPlay, [0x4301], [0x4300]),
    (.nowPlaying, [0x5000, 0x5002, 0x5003], [0x5001]),
    (.mediaLibrary, [0x4C00, 0x4C02, 0x4C03, 0x4C05, 0x4C06, 0x4C07, 0x4C08, 0x4C09], [0x4C01, 0x4C04]),
    (.calls, [0x4154, 0x4156, 0x4157, 0x4159] + Array(0x415A...0x4161), [0x4155, 0x4158]),
    (.callLists, [0x4170, 0x4172], [0x4171]),
    (.location, [0xFFFB], [0xFFFA, 0xFFFC, 0xFFF0]),
    (.vehicleStatus, [0xA101], [0xA100, 0xA102]),
    (.routeGuidance, [0x5200, 0x5203], [0x5201, 0x5202, 0x5204]),
    (.wiFiSharing, [0x5700], [0x5701]),
    (.wirelessCarPlay, [0x5703], [0x5702, 0x4E0D]),
    (.hid, [0x6800, 0x6802, 0x6803], [0x6801, 0x6807]),
    (.assistiveTouch, [0x5400, 0x5401, 0x5402, 0x5404], [0x5403]),
    (.appLaunch, [0xEA02], []),
    (.bluetooth, [0x4E03, 0x4E05], [0x4E04]),
    (.usbAudio, [0xDA00, 0xDA02], [0xDA01]),
  ]
}

/// What a head unit tells the phone about the car. A change of it is told to a phone that has asked.
public struct HeadUnitState: Sendable, Equatable {
  /// What is offered to the phone; nil says nothing about power.
  public var powerSource: PowerSourceUpdate?
  /// The answer to an offer of CarPlay; nil does not answer.
  public var carPlay: CarPlayStartSession?
  /// Range in kilometres and temperature in degrees Celsius, both units inferred, and whether the range is short.
  public var vehicleStatus = VehicleStatusUpdate()
  /// The access point for wireless CarPlay.
  public var wiFi: AccessoryWiFiConfigurationInformation?
  /// Where the car drives; it is reported while a phone asks for it.
  public var track: LocationTrack?

  public init() {}
}

/// What a head unit is, offers and asks for.
public struct HeadUnitProfile: Sendable, Equatable {
  public var identification: IdentificationInformation
  public var state = HeadUnitState()
  /// Whole messages sent once both sides are ready, in this order, each only if it is identified.
  public var requests: [[UInt8]] = []
  public var devices: [HIDDevice] = []
  /// Messages of the phone without which this head unit does not go on: some cars wait for 4E0E and 4E0A (PodBox).
  public var waitsFor: Set<UInt16> = []

  public init(identification: IdentificationInformation) { self.identification = identification }

  /// EA protocols of one accessory: their identifiers are one byte, and 0 is not used.
  public static let maximumProtocols = 255

  /// A wired head unit with the given EA protocols, at most ``maximumProtocols``, and features.
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
    var received: [UInt16] = features.contains(.deviceNotifications) ? [0x4E09, 0x4E0A, 0x4E0B, 0x4E0C, 0x4E0E] : []
    for entry in HeadUnitFeatures.messages where features.contains(entry.feature) {
      sent += entry.sent
      received += entry.received
    }
    if !protocols.isEmpty {
      sent.append(0xEA03)
      received += [0xEA00, 0xEA01]
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

  /// Where a CarPlay session is waited for: a link-local address of our own choice.
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
