// swift-iap2 · Apache-2.0

/// The power that the accessory can provide (Identification.md#power-capability; high).
public struct PowerProvidingCapability: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let none = Self(rawValue: 0)
  /// Value 1.
  public static let reserved = Self(rawValue: 1)
  /// Value 2.
  public static let advanced = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "None"), (1, "Reserved"), (2, "Advanced")]
  }
}

/// The action of the device when it has no app for an EA protocol (Identification.md#match-action; high for 0 to 2).
public struct ExternalAccessoryProtocolMatchAction: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let noAction = Self(rawValue: 0)
  /// Value 1.
  public static let optionalAction = Self(rawValue: 1)
  /// Value 2.
  public static let noAlert = Self(rawValue: 2)
  /// Value 3.
  public static let noCommunicationProtocol = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "NoAction"), (1, "OptionalAction"), (2, "NoAlert"), (3, "NoCommunicationProtocol")]
  }
}

/// An EA protocol of the accessory (Identification.md#ea-protocol; high).
public struct SupportedExternalAccessoryProtocol: ParameterGroup {
  /// Parameter 0: unsigned 8-bit integer. Required.
  public var externalAccessoryProtocolIdentifier: UInt8 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  /// The text is a reverse DNS name, as in the app's `UISupportedExternalAccessoryProtocols`.
  public var externalAccessoryProtocolName: String = ""
  /// Parameter 2: enumeration ``ExternalAccessoryProtocolMatchAction``. Required. Confidence: medium.
  /// All sources agree on 0 to 2. For the case without communication, CAT has 3 and LIVI has 4
  /// (Identification.md#match-action).
  public var externalAccessoryProtocolMatchAction: ExternalAccessoryProtocolMatchAction =
    ExternalAccessoryProtocolMatchAction(rawValue: 0)
  /// Parameter 3: unsigned 16-bit integer.
  public var nativeTransportComponentIdentifier: UInt16?
  /// Parameter 4: flag without a value. Confidence: low.
  /// The sources disagree: LIVI has a flag, CAT an unsigned 16-bit integer (Identification.md#carplay-protocol).
  public var externalAccessoryProtocolCarPlay: Presence = false
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var transportComponentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required. Confidence: medium.
  public var transportComponentName: String = ""
  /// Parameter 2: flag without a value. Confidence: medium.
  public var transportSupportsiAP2Connection: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "TransportComponentIdentifier", &transportComponentIdentifier, ParameterNote(.medium))
    try pass(1, "TransportComponentName", &transportComponentName, ParameterNote(.medium))
    try pass(2, "TransportSupportsiAP2Connection", &transportSupportsiAP2Connection, ParameterNote(.medium))
  }
}

/// A USB connection with the accessory as the device (Identification.md#usb-device-transport; high).
public struct USBDeviceTransportComponent: ParameterGroup {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var transportComponentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var transportComponentName: String = ""
  /// Parameter 2: flag without a value.
  public var transportSupportsiAP2Connection: Presence = false
  /// Parameter 3: enumeration ``AudioSampleRate``, repeated.
  public var usbDeviceSupportedAudioSampleRate: [AudioSampleRate] = []
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var transportComponentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var transportComponentName: String = ""
  /// Parameter 2: flag without a value.
  public var transportSupportsiAP2Connection: Presence = false
  /// Parameter 3: unsigned 8-bit integer.
  public var usbHostTransportCarPlayInterfaceNumber: UInt8?
  /// Parameter 4: flag without a value.
  public var transportSupportsCarPlay: Presence = false
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var transportComponentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var transportComponentName: String = ""
  /// Parameter 2: flag without a value.
  public var transportSupportsiAP2Connection: Presence = false
  /// Parameter 3: raw bytes. Required.
  /// The address has 6 bytes.
  public var bluetoothTransportMediaAccessControlAddress: Blob = Blob()
  /// Parameter 4: UTF-8 text with a final NUL. Confidence: low.
  public var unknown4: String?
  /// Parameter 5: flag without a value. Confidence: low.
  public var unknown5: Presence = false
  public var unrepresented = UnrepresentedParameters()

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

  /// Value 0.
  public static let keyboard = Self(rawValue: 0)
  /// Value 1.
  public static let mediaPlaybackRemote = Self(rawValue: 1)
  /// Value 2.
  public static let assistiveTouchPointer = Self(rawValue: 2)
  /// Value 3.
  public static let reserved = Self(rawValue: 3)
  /// Value 4.
  public static let gamepadFormFitting = Self(rawValue: 4)
  /// Value 6.
  public static let gamepadNonFormFitting = Self(rawValue: 6)
  /// Value 7.
  public static let assistiveSwitchControl = Self(rawValue: 7)
  /// Value 8.
  public static let headset = Self(rawValue: 8)
  /// Value 10.
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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 2: enumeration ``HIDComponentFunction``. Required.
  /// Only BRIDGE has the value 10 (Identification.md#hid-function). The values 5 and 9 are not known.
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  public var unrepresented = UnrepresentedParameters()

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

  /// Value 0.
  public static let gasoline = Self(rawValue: 0)
  /// Value 1.
  public static let diesel = Self(rawValue: 1)
  /// Value 2.
  public static let electric = Self(rawValue: 2)
  /// Value 3.
  public static let cng = Self(rawValue: 3)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Gasoline"), (1, "Diesel"), (2, "Electric"), (3, "CNG")]
  }
}

/// The description of the vehicle (Identification.md#vehicle-information; high).
public struct VehicleInformationComponent: ParameterGroup {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 2: enumeration ``EngineType``, repeated.
  public var engineType: [EngineType] = []
  /// Parameter 6: UTF-8 text with a final NUL.
  public var displayName: String?
  /// Parameter 8: UTF-8 text with a final NUL. Confidence: medium.
  public var mapsDisplayName: String?
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 3: flag without a value.
  public var range: Presence = false
  /// Parameter 4: flag without a value.
  public var outsideTemperature: Presence = false
  /// Parameter 5 (`RangeWarning`): flag without a value. Confidence: low.
  /// WIO has this id for `rangeWarning` (Identification.md#range-warning). The writer writes it only if the reader
  /// found it.
  public internal(set) var rangeWarningForm5: Presence = false
  /// Parameter 6: flag without a value.
  public var rangeWarning: Presence = false
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 17: flag without a value.
  public var globalPositioningSystemFixData: Presence = false
  /// Parameter 18: flag without a value.
  public var recommendedMinimumSpecificGPSTransitData: Presence = false
  /// Parameter 19: flag without a value.
  public var gpsSatellitesInView: Presence = false
  /// Parameter 20: flag without a value.
  public var vehicleSpeedData: Presence = false
  /// Parameter 21: flag without a value.
  public var vehicleGyroData: Presence = false
  /// Parameter 22: flag without a value.
  public var vehicleAccelerometerData: Presence = false
  /// Parameter 23: flag without a value.
  public var vehicleHeadingData: Presence = false
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 2: enumeration ``HIDComponentFunction``. Required.
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  /// Parameter 3: unsigned 16-bit integer. Required. Confidence: low.
  /// The width is uncertain: CAT has 32 bits, a structure of LITEEMF has 16 (Identification.md#usb-hid-interface).
  public var usbHostTransportComponentIdentifier: UInt16 = 0
  /// Parameter 4: unsigned 8-bit integer. Required. Confidence: low.
  /// The width is uncertain: CAT has 32 bits, a structure of LITEEMF has 16 (Identification.md#usb-hid-interface).
  public var usbHostTransportInterfaceNumber: UInt8 = 0
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var transportComponentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var transportComponentName: String = ""
  /// Parameter 2: flag without a value.
  public var transportSupportsiAP2Connection: Presence = false
  /// Parameter 3: unsigned 16-bit integer. Confidence: low.
  public var unknown3: UInt16?
  /// Parameter 4: flag without a value.
  public var transportSupportsCarPlay: Presence = false
  /// Parameter 5: flag without a value. Confidence: medium.
  public var transportSupportsMutualAuthentication: Presence = false
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 2: enumeration ``HIDComponentFunction``. Required.
  public var hidComponentFunction: HIDComponentFunction = HIDComponentFunction(rawValue: 0)
  /// Parameter 3: unsigned 16-bit integer. Required.
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

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
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var componentIdentifier: UInt16 = 0
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var componentName: String = ""
  /// Parameter 2: unsigned 16-bit integer.
  public var maximumCurrentRoadNameLength: UInt16?
  /// Parameter 3: unsigned 16-bit integer.
  public var maximumDestinationNameLength: UInt16?
  /// Parameter 4: unsigned 16-bit integer.
  public var maximumAfterManeuverRoadNameLength: UInt16?
  /// Parameter 5: unsigned 16-bit integer.
  public var maximumManeuverDescriptionLength: UInt16?
  /// Parameter 6: unsigned 16-bit integer.
  public var maximumGuidanceManeuverStorageCapacity: UInt16?
  /// Parameter 7: unsigned 16-bit integer.
  public var maximumLaneGuidanceDescriptionLength: UInt16?
  /// Parameter 8: unsigned 16-bit integer.
  /// If parameter 7 or 8 is missing or wrong, the device sends no 0x5204.
  public var maximumLaneGuidanceStorageCapacity: UInt16?
  public var unrepresented = UnrepresentedParameters()

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
