// swift-iap2 · Apache-2.0

/// The power that the accessory can provide (Identification.md#power-capability; high).
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

/// The action of the device when it has no app for an EA protocol (Identification.md#match-action; high for 0 to 2).
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

/// An EA protocol of the accessory (Identification.md#ea-protocol; high).
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

/// A serial line of the accessory (Identification.md#serial-transport; high).
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

/// A USB connection with the accessory as the device (Identification.md#usb-device-transport; high).
public struct USBDeviceTransportComponent: ParameterGroup {
  public var transportComponentIdentifier: UInt16 = 0
  public var transportComponentName: String = ""
  public var transportSupportsiAP2Connection: Presence = false
  public var usbDeviceSupportedAudioSampleRate: [AudioSampleRate] = []
  public var residue = Residue()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier)
    try pass(1, "TransportComponentName", &transportComponentName)
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection)
    try pass(3, "USBDeviceSupportedAudioSampleRate", &usbDeviceSupportedAudioSampleRate)
  }
}

/// A USB connection with the accessory as the host (Identification.md#usb-host-transport; high).
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

/// A Bluetooth controller of the accessory (Identification.md#bluetooth-transport; high).
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

/// The function of an HID component.
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

/// An HID component whose reports travel over iAP2 (Identification.md#hid-component; high).
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

/// A kind of engine of the vehicle.
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

/// The description of the vehicle (Identification.md#vehicle-information; high).
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

/// The attributes that the vehicle status can report (Identification.md#vehicle-status; high).
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

/// The kinds of location sentences that the accessory can send (Identification.md#location-component; high).
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

/// An HID component on an interface of a USB connection (Identification.md#usb-hid-component; medium).
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

/// A transport for wireless CarPlay (Identification.md#wireless-carplay; high).
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

/// An HID component on a Bluetooth controller (Identification.md#bluetooth-hid-component; medium).
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

/// A display for route guidance, with the length of its texts and lists (Identification.md#route-guidance-component;
/// high).
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
