// swift-iap2 · Apache-2.0

/// StartIdentification, sent by the device.
public struct StartIdentification: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D00, "StartIdentification", from: .device, "Identification", .high,
    [
      "LiteEMF (BSD-2)", "PodBox (observed)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)",
      "wiomoc/iap2",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// Open: values without a name survive.
public struct PowerProvidingCapability: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let none = Self(rawValue: 0)
  public static let reserved = Self(rawValue: 1)
  public static let advanced = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "None"), (1, "Reserved"), (2, "Advanced")]
  }
}

/// Open: values without a name survive.
public struct ExternalAccessoryProtocolMatchAction: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let noAction = Self(rawValue: 0)
  public static let optionalAction = Self(rawValue: 1)
  public static let noAlert = Self(rawValue: 2)
  public static let noCommunicationProtocol = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "NoAction"), (1, "OptionalAction"), (2, "NoAlert"), (3, "NoCommunicationProtocol")]
  }
}

public struct SupportedExternalAccessoryProtocol: ParameterGroup {
  public var externalAccessoryProtocolIdentifier: UInt8 = 0
  /// Reverse-DNS string as in the app UISupportedExternalAccessoryProtocols.
  public var externalAccessoryProtocolName: String = ""
  /// 0..2 agree everywhere; catplay gives 3, LIVI gives 4, for the no-communication case.
  public var externalAccessoryProtocolMatchAction: ExternalAccessoryProtocolMatchAction =
    ExternalAccessoryProtocolMatchAction(rawValue: 0)
  public var nativeTransportComponentIdentifier: UInt16?
  /// LIVI: void; catplay: u16. Conflict, unresolved.
  public var externalAccessoryProtocolCarPlay: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ExternalAccessoryProtocolIdentifier", &externalAccessoryProtocolIdentifier)
    try pass(1, "ExternalAccessoryProtocolName", &externalAccessoryProtocolName)
    try pass(2, "ExternalAccessoryProtocolMatchAction", &externalAccessoryProtocolMatchAction, ParameterNote(.medium))
    try pass(3, "NativeTransportComponentIdentifier", &nativeTransportComponentIdentifier)
    try pass(4, "ExternalAccessoryProtocolCarPlay", &externalAccessoryProtocolCarPlay, ParameterNote(.low))
  }
}

public struct SerialTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier, ParameterNote(.medium))
    try pass(1, "TransportComponentName", &transportComponentName, ParameterNote(.medium))
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection, ParameterNote(.medium))
  }
}

/// Open: values without a name survive.
public struct USBDeviceSupportedAudioSampleRate: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let rate8000 = Self(rawValue: 0)
  public static let rate11025 = Self(rawValue: 1)
  public static let rate12000 = Self(rawValue: 2)
  public static let rate16000 = Self(rawValue: 3)
  public static let rate22050 = Self(rawValue: 4)
  public static let rate24000 = Self(rawValue: 5)
  public static let rate32000 = Self(rawValue: 6)
  public static let rate44100 = Self(rawValue: 7)
  public static let rate48000 = Self(rawValue: 8)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "8000"), (1, "11025"), (2, "12000"), (3, "16000"), (4, "22050"), (5, "24000"), (6, "32000"), (7, "44100"),
      (8, "48000"),
    ]
  }
}

public struct USBDeviceTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  public var usbDeviceSupportedAudioSampleRate: [USBDeviceSupportedAudioSampleRate] = []
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier)
    try pass(1, "TransportComponentName", &transportComponentName)
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection)
    try pass(3, "USBDeviceSupportedAudioSampleRate", &usbDeviceSupportedAudioSampleRate)
  }
}

public struct USBHostTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  public var usbHostTransportCarPlayInterfaceNumber: UInt8?
  public var transportSupportsCarPlay: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier)
    try pass(1, "TransportComponentName", &transportComponentName)
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection)
    try pass(3, "USBHostTransportCarPlayInterfaceNumber", &usbHostTransportCarPlayInterfaceNumber)
    try pass(4, "TransportSupportsCarPlay", &transportSupportsCarPlay)
  }
}

public struct BluetoothTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  /// 6 bytes.
  public var bluetoothTransportMediaAccessControlAddress: Blob = Blob()
  public var unknown4: String?
  public var unknown5: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier)
    try pass(1, "TransportComponentName", &transportComponentName)
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection)
    try pass(3, "BluetoothTransportMediaAccessControlAddress", &bluetoothTransportMediaAccessControlAddress)
    try pass(4, "Unknown4", &unknown4, ParameterNote(.low))
    try pass(5, "Unknown5", &unknown5, ParameterNote(.low))
  }
}

/// Open: values without a name survive.
public struct HIDComponentFunction: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let keyboard = Self(rawValue: 0)
  public static let mediaPlaybackRemote = Self(rawValue: 1)
  public static let assistiveTouchPointer = Self(rawValue: 2)
  public static let reserved = Self(rawValue: 3)
  public static let gamepadFormFitting = Self(rawValue: 4)
  public static let gamepadNonFormFitting = Self(rawValue: 6)
  public static let assistiveSwitchControl = Self(rawValue: 7)
  public static let headset = Self(rawValue: 8)
  public static let brailleDisplayKeyboard = Self(rawValue: 10)

  public static var names: [(UInt8, StaticString)] {
    [
      (0, "Keyboard"), (1, "MediaPlaybackRemote"), (2, "AssistiveTouchPointer"), (3, "Reserved"),
      (4, "GamepadFormFitting"), (6, "GamepadNonFormFitting"), (7, "AssistiveSwitchControl"), (8, "Headset"),
      (10, "BrailleDisplayKeyboard"),
    ]
  }
}

public struct IAP2HIDComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  /// Value 10 only in bridgething; 5 and 9 unknown.
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(2, "HIDComponentFunction", &hidComponentFunction)
  }
}

/// Open: values without a name survive.
public struct EngineType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let gasoline = Self(rawValue: 0)
  public static let diesel = Self(rawValue: 1)
  public static let electric = Self(rawValue: 2)
  public static let cng = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Gasoline"), (1, "Diesel"), (2, "Electric"), (3, "CNG")]
  }
}

public struct VehicleInformationComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var engineType: [EngineType] = []
  public var displayName: String?
  public var mapsDisplayName: String?
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(2, "EngineType", &engineType)
    try pass(6, "DisplayName", &displayName)
    try pass(8, "MapsDisplayName", &mapsDisplayName, ParameterNote(.medium))
  }
}

public struct VehicleStatusComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var range: Presence = false
  public var outsideTemperature: Presence = false
  /// wiomoc's number for the same flag: read, and written only if it was read.
  public internal(set) var rangeWarningForm5: Presence = false
  public var rangeWarning: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(3, "Range", &range)
    try pass(4, "OutsideTemperature", &outsideTemperature)
    try pass(5, "RangeWarning", &rangeWarningForm5, ParameterNote(.low))
    try pass(6, "RangeWarning", &rangeWarning)
  }
}

public struct LocationInformationComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var globalPositioningSystemFixData: Presence = false
  public var recommendedMinimumSpecificGPSTransitData: Presence = false
  public var gpsSatellitesInView: Presence = false
  public var vehicleSpeedData: Presence = false
  public var vehicleGyroData: Presence = false
  public var vehicleAccelerometerData: Presence = false
  public var vehicleHeadingData: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(17, "GlobalPositioningSystemFixData", &globalPositioningSystemFixData)
    try pass(18, "RecommendedMinimumSpecificGPSTransitData", &recommendedMinimumSpecificGPSTransitData)
    try pass(19, "GPSSatellitesInView", &gpsSatellitesInView)
    try pass(20, "VehicleSpeedData", &vehicleSpeedData)
    try pass(21, "VehicleGyroData", &vehicleGyroData)
    try pass(22, "VehicleAccelerometerData", &vehicleAccelerometerData)
    try pass(23, "VehicleHeadingData", &vehicleHeadingData)
  }
}

public struct USBHostHIDComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  /// Width doubtful: catplay u32, LiteEMF struct u16.
  public var usbHostTransportComponentIdentifier: UInt16 = 0
  /// Width doubtful: catplay u32, LiteEMF struct u16.
  public var usbHostTransportInterfaceNumber: UInt8 = 0
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(2, "HIDComponentFunction", &hidComponentFunction)
    try pass(3, "USBHostTransportComponentIdentifier", &usbHostTransportComponentIdentifier, ParameterNote(.low))
    try pass(4, "USBHostTransportInterfaceNumber", &usbHostTransportInterfaceNumber, ParameterNote(.low))
  }
}

public struct WirelessCarPlayTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  public var unknown3: UInt16?
  public var transportSupportsCarPlay: Presence = false
  public var transportSupportsMutualAuthentication: Presence = false
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier)
    try pass(1, "TransportComponentName", &transportComponentName)
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection)
    try pass(3, "Unknown3", &unknown3, ParameterNote(.low))
    try pass(4, "TransportSupportsCarPlay", &transportSupportsCarPlay)
    try pass(5, "TransportSupportsMutualAuthentication", &transportSupportsMutualAuthentication, ParameterNote(.medium))
  }
}

public struct BluetoothHIDComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(2, "HIDComponentFunction", &hidComponentFunction)
    try pass(3, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier)
  }
}

public struct RouteGuidanceDisplayComponent: ParameterGroup {
  public var componentIdentifier: UInt16 = 0
  public var componentName: String = ""
  public var maximumCurrentRoadNameLength: UInt16?
  public var maximumDestinationNameLength: UInt16?
  public var maximumAfterManeuverRoadNameLength: UInt16?
  public var maximumManeuverDescriptionLength: UInt16?
  public var maximumGuidanceManeuverStorageCapacity: UInt16?
  public var maximumLaneGuidanceDescriptionLength: UInt16?
  /// With 7/8 missing or wrong the device sends no 0x5204.
  public var maximumLaneGuidanceStorageCapacity: UInt16?
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "ComponentIdentifier", &componentIdentifier)
    try pass(1, "ComponentName", &componentName)
    try pass(2, "MaximumCurrentRoadNameLength", &maximumCurrentRoadNameLength)
    try pass(3, "MaximumDestinationNameLength", &maximumDestinationNameLength)
    try pass(4, "MaximumAfterManeuverRoadNameLength", &maximumAfterManeuverRoadNameLength)
    try pass(5, "MaximumManeuverDescriptionLength", &maximumManeuverDescriptionLength)
    try pass(6, "MaximumGuidanceManeuverStorageCapacity", &maximumGuidanceManeuverStorageCapacity)
    try pass(7, "MaximumLaneGuidanceDescriptionLength", &maximumLaneGuidanceDescriptionLength)
    try pass(8, "MaximumLaneGuidanceStorageCapacity", &maximumLaneGuidanceStorageCapacity)
  }
}

/// IdentificationInformation, sent by the accessory.
public struct IdentificationInformation: ControlMessage {
  public var name: String = ""
  public var modelIdentifier: String = ""
  public var manufacturer: String = ""
  public var serialNumber: String = ""
  public var firmwareVersion: String = ""
  public var hardwareVersion: String = ""
  /// Big-endian message ids. Do not list 0xAAxx/0x1Dxx.
  public var messagesSentByAccessory: Packed<UInt16> = Packed<UInt16>()
  /// The device only sends what is listed here.
  public var messagesReceivedFromDevice: Packed<UInt16> = Packed<UInt16>()
  /// Older name PowerSourceType.
  public var powerProvidingCapability: PowerProvidingCapability = PowerProvidingCapability(rawValue: 0)
  /// Milliamps; 0 for a self-powered accessory.
  public var maximumCurrentDrawnFromDevice: UInt16 = 0
  public var supportedExternalAccessoryProtocol: [SupportedExternalAccessoryProtocol] = []
  /// Older name PreferredAppBundleSeedIdentifier.
  public var appMatchTeamID: String?
  public var currentLanguage: String = ""
  /// One TLV per language.
  public var supportedLanguage: [String] = []
  public var serialTransportComponent: [SerialTransportComponent] = []
  /// Accessory is the USB device, iPhone is host.
  public var usbDeviceTransportComponent: [USBDeviceTransportComponent] = []
  /// Accessory is the USB host, iPhone is device.
  public var usbHostTransportComponent: [USBHostTransportComponent] = []
  public var bluetoothTransportComponent: [BluetoothTransportComponent] = []
  public var iAP2HIDComponent: [IAP2HIDComponent] = []
  public var vehicleInformationComponent: VehicleInformationComponent?
  public var vehicleStatusComponent: VehicleStatusComponent?
  public var locationInformationComponent: LocationInformationComponent?
  public var usbHostHIDComponent: [USBHostHIDComponent] = []
  /// Required before the Wi-Fi configuration messages (0x5702/0x5703) may be listed.
  public var wirelessCarPlayTransportComponent: WirelessCarPlayTransportComponent?
  public var bluetoothHIDComponent: [BluetoothHIDComponent] = []
  public var routeGuidanceDisplayComponent: [RouteGuidanceDisplayComponent] = []
  public var productPlanUID: String?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D01, "IdentificationInformation", from: .accessory, "Identification", .high,
    [
      "CP2614 encoder (weak)", "CPC200 notes", "LIVI", "LiteEMF (BSD-2)", "bridgething (MIT)", "catplay",
      "mib2q-carplay-rgi", "wiomoc/iap2",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Name", &name)
    try pass(1, "ModelIdentifier", &modelIdentifier)
    try pass(2, "Manufacturer", &manufacturer)
    try pass(3, "SerialNumber", &serialNumber)
    try pass(4, "FirmwareVersion", &firmwareVersion)
    try pass(5, "HardwareVersion", &hardwareVersion)
    try pass(6, "MessagesSentByAccessory", &messagesSentByAccessory)
    try pass(7, "MessagesReceivedFromDevice", &messagesReceivedFromDevice)
    try pass(8, "PowerProvidingCapability", &powerProvidingCapability)
    try pass(9, "MaximumCurrentDrawnFromDevice", &maximumCurrentDrawnFromDevice, ParameterNote(unit: "mA"))
    try pass(10, "SupportedExternalAccessoryProtocol", &supportedExternalAccessoryProtocol)
    try pass(11, "AppMatchTeamID", &appMatchTeamID)
    try pass(12, "CurrentLanguage", &currentLanguage)
    try pass(13, "SupportedLanguage", &supportedLanguage, ParameterNote(isRequired: true))
    try pass(14, "SerialTransportComponent", &serialTransportComponent)
    try pass(15, "USBDeviceTransportComponent", &usbDeviceTransportComponent)
    try pass(16, "USBHostTransportComponent", &usbHostTransportComponent)
    try pass(17, "BluetoothTransportComponent", &bluetoothTransportComponent)
    try pass(18, "iAP2HIDComponent", &iAP2HIDComponent)
    try pass(20, "VehicleInformationComponent", &vehicleInformationComponent)
    try pass(21, "VehicleStatusComponent", &vehicleStatusComponent)
    try pass(22, "LocationInformationComponent", &locationInformationComponent)
    try pass(23, "USBHostHIDComponent", &usbHostHIDComponent)
    try pass(24, "WirelessCarPlayTransportComponent", &wirelessCarPlayTransportComponent)
    try pass(29, "BluetoothHIDComponent", &bluetoothHIDComponent)
    try pass(30, "RouteGuidanceDisplayComponent", &routeGuidanceDisplayComponent)
    try pass(34, "ProductPlanUID", &productPlanUID)
  }
}

/// IdentificationAccepted, sent by the device.
public struct IdentificationAccepted: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D02, "IdentificationAccepted", from: .device, "Identification", .high,
    [
      "LiteEMF (BSD-2)", "PodBox (observed)", "bridgething (MIT)", "catplay", "unmarked vendor code (weak)",
      "wiomoc/iap2",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// IdentificationRejected, sent by the device.
public struct IdentificationRejected: ControlMessage {
  public var name: Presence = false
  public var modelIdentifier: Presence = false
  public var manufacturer: Presence = false
  public var serialNumber: Presence = false
  public var firmwareVersion: Presence = false
  public var hardwareVersion: Presence = false
  public var messagesSentByAccessory: Presence = false
  public var messagesReceivedFromDevice: Presence = false
  public var powerProvidingCapability: Presence = false
  public var maximumCurrentDrawnFromDevice: Presence = false
  public var supportedExternalAccessoryProtocol: Presence = false
  public var appMatchTeamID: Presence = false
  public var currentLanguage: Presence = false
  public var supportedLanguage: Presence = false
  public var serialTransportComponent: Presence = false
  public var usbDeviceTransportComponent: Presence = false
  public var usbHostTransportComponent: Presence = false
  public var bluetoothTransportComponent: Presence = false
  public var iAP2HIDComponent: Presence = false
  public var vehicleInformationComponent: Presence = false
  public var vehicleStatusComponent: Presence = false
  public var locationInformationComponent: Presence = false
  public var usbHostHIDComponent: Presence = false
  public var wirelessCarPlayTransportComponent: Presence = false
  public var bluetoothHIDComponent: Presence = false
  public var routeGuidanceDisplayComponent: Presence = false
  public var productPlanUID: Presence = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D03, "IdentificationRejected", from: .device, "Identification", .high,
    ["LIVI", "bridgething (MIT)", "catplay", "opencarplay"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Name", &name, ParameterNote(.medium))
    try pass(1, "ModelIdentifier", &modelIdentifier, ParameterNote(.medium))
    try pass(2, "Manufacturer", &manufacturer, ParameterNote(.medium))
    try pass(3, "SerialNumber", &serialNumber, ParameterNote(.medium))
    try pass(4, "FirmwareVersion", &firmwareVersion, ParameterNote(.medium))
    try pass(5, "HardwareVersion", &hardwareVersion, ParameterNote(.medium))
    try pass(6, "MessagesSentByAccessory", &messagesSentByAccessory)
    try pass(7, "MessagesReceivedFromDevice", &messagesReceivedFromDevice)
    try pass(8, "PowerProvidingCapability", &powerProvidingCapability, ParameterNote(.medium))
    try pass(9, "MaximumCurrentDrawnFromDevice", &maximumCurrentDrawnFromDevice, ParameterNote(.medium))
    try pass(10, "SupportedExternalAccessoryProtocol", &supportedExternalAccessoryProtocol, ParameterNote(.medium))
    try pass(11, "AppMatchTeamID", &appMatchTeamID, ParameterNote(.medium))
    try pass(12, "CurrentLanguage", &currentLanguage, ParameterNote(.medium))
    try pass(13, "SupportedLanguage", &supportedLanguage, ParameterNote(.medium))
    try pass(14, "SerialTransportComponent", &serialTransportComponent, ParameterNote(.medium))
    try pass(15, "USBDeviceTransportComponent", &usbDeviceTransportComponent, ParameterNote(.medium))
    try pass(16, "USBHostTransportComponent", &usbHostTransportComponent, ParameterNote(.medium))
    try pass(17, "BluetoothTransportComponent", &bluetoothTransportComponent, ParameterNote(.medium))
    try pass(18, "iAP2HIDComponent", &iAP2HIDComponent, ParameterNote(.medium))
    try pass(20, "VehicleInformationComponent", &vehicleInformationComponent)
    try pass(21, "VehicleStatusComponent", &vehicleStatusComponent)
    try pass(22, "LocationInformationComponent", &locationInformationComponent)
    try pass(23, "USBHostHIDComponent", &usbHostHIDComponent, ParameterNote(.medium))
    try pass(24, "WirelessCarPlayTransportComponent", &wirelessCarPlayTransportComponent, ParameterNote(.medium))
    try pass(29, "BluetoothHIDComponent", &bluetoothHIDComponent, ParameterNote(.medium))
    try pass(30, "RouteGuidanceDisplayComponent", &routeGuidanceDisplayComponent)
    try pass(34, "ProductPlanUID", &productPlanUID, ParameterNote(.medium))
  }
}

/// CancelIdentification, sent by the accessory.
public struct CancelIdentification: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D05, "CancelIdentification", from: .accessory, "Identification", .high,
    ["LiteEMF (BSD-2)", "catplay", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// IdentificationInformationUpdate, sent by the accessory.
public struct IdentificationInformationUpdate: ControlMessage {
  public var name: String?
  public var modelIdentifier: String?
  public var manufacturer: String?
  public var serialNumber: String?
  public var firmwareVersion: String?
  public var hardwareVersion: String?
  /// The other form of the language, read only.
  public internal(set) var currentLanguageForm6: String?
  /// One source has id 6, another "the same ids" as 1D01: this one is written, both are read.
  public var currentLanguage: String?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D06, "IdentificationInformationUpdate", from: .accessory, "Identification", .high,
    ["LiteEMF (BSD-2)", "catplay", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Name", &name, ParameterNote(.medium))
    try pass(1, "ModelIdentifier", &modelIdentifier, ParameterNote(.medium))
    try pass(2, "Manufacturer", &manufacturer, ParameterNote(.medium))
    try pass(3, "SerialNumber", &serialNumber, ParameterNote(.medium))
    try pass(4, "FirmwareVersion", &firmwareVersion, ParameterNote(.medium))
    try pass(5, "HardwareVersion", &hardwareVersion, ParameterNote(.medium))
    try pass(6, "CurrentLanguage", &currentLanguageForm6, ParameterNote(.low))
    try pass(12, "CurrentLanguage", &currentLanguage, ParameterNote(.low))
  }
}

extension IdentificationInformation {
  /// Removes optional parameters, as a rejection names them; required ones stay.
  mutating func remove(parameters ids: Set<UInt16>) {
    if ids.contains(10) { supportedExternalAccessoryProtocol = [] }
    if ids.contains(11) { appMatchTeamID = nil }
    if ids.contains(14) { serialTransportComponent = [] }
    if ids.contains(15) { usbDeviceTransportComponent = [] }
    if ids.contains(16) { usbHostTransportComponent = [] }
    if ids.contains(17) { bluetoothTransportComponent = [] }
    if ids.contains(18) { iAP2HIDComponent = [] }
    if ids.contains(20) { vehicleInformationComponent = nil }
    if ids.contains(21) { vehicleStatusComponent = nil }
    if ids.contains(22) { locationInformationComponent = nil }
    if ids.contains(23) { usbHostHIDComponent = [] }
    if ids.contains(24) { wirelessCarPlayTransportComponent = nil }
    if ids.contains(29) { bluetoothHIDComponent = [] }
    if ids.contains(30) { routeGuidanceDisplayComponent = [] }
    if ids.contains(34) { productPlanUID = nil }
  }
}
