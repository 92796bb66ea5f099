// swift-iap2 · Apache-2.0

/// A message of the device that asks the accessory to identify itself: 0x1D00 (Identification.md#start; high).
public struct StartIdentification: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D00, "StartIdentification", from: .device, "Identification", .high,
    [
      "Identification.md#start", "LITEEMF", "PODBOX", "BRIDGE", "CAT", "WIO", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that describes the accessory, its messages, transports and components: 0x1D01
/// (Identification.md#information; high).
public struct IdentificationInformation: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Required.
  public var name: String = ""
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var modelIdentifier: String = ""
  /// Parameter 2: UTF-8 text with a final NUL. Required.
  public var manufacturer: String = ""
  /// Parameter 3: UTF-8 text with a final NUL. Required.
  public var serialNumber: String = ""
  /// Parameter 4: UTF-8 text with a final NUL. Required.
  public var firmwareVersion: String = ""
  /// Parameter 5: UTF-8 text with a final NUL. Required.
  public var hardwareVersion: String = ""
  /// Parameter 6: packed unsigned 16-bit integers. Required.
  /// The numbers are message ids. Do not list 0xAAxx and 0x1Dxx.
  public var messagesSentByAccessory: Packed<UInt16> = Packed<UInt16>()
  /// Parameter 7: packed unsigned 16-bit integers. Required.
  /// The device sends only messages that this list has.
  public var messagesReceivedFromDevice: Packed<UInt16> = Packed<UInt16>()
  /// Parameter 8: enumeration ``PowerProvidingCapability``. Required.
  /// An older name is `PowerSourceType`.
  public var powerProvidingCapability: PowerProvidingCapability = PowerProvidingCapability(rawValue: 0)
  /// Parameter 9: unsigned 16-bit integer, in mA. Required.
  /// The value is 0 for an accessory with its own power supply.
  public var maximumCurrentDrawnFromDevice: UInt16 = 0
  /// Parameter 10: group ``SupportedExternalAccessoryProtocol``, repeated.
  public var supportedExternalAccessoryProtocol: [SupportedExternalAccessoryProtocol] = []
  /// Parameter 11: UTF-8 text with a final NUL.
  /// An older name is `PreferredAppBundleSeedIdentifier`.
  public var appMatchTeamID: String?
  /// Parameter 12: UTF-8 text with a final NUL. Required.
  public var currentLanguage: String = ""
  /// Parameter 13: UTF-8 text with a final NUL, repeated. Required.
  /// Each language has a parameter of its own.
  public var supportedLanguage: [String] = []
  /// Parameter 14: group ``SerialTransportComponent``, repeated.
  public var serialTransportComponent: [SerialTransportComponent] = []
  /// Parameter 15: group ``USBDeviceTransportComponent``, repeated.
  /// The accessory is the USB device and the phone is the USB host.
  public var usbDeviceTransportComponent: [USBDeviceTransportComponent] = []
  /// Parameter 16: group ``USBHostTransportComponent``, repeated.
  /// The accessory is the USB host and the phone is the USB device.
  public var usbHostTransportComponent: [USBHostTransportComponent] = []
  /// Parameter 17: group ``BluetoothTransportComponent``, repeated.
  public var bluetoothTransportComponent: [BluetoothTransportComponent] = []
  /// Parameter 18: group ``IAP2HIDComponent``, repeated.
  public var iAP2HIDComponent: [IAP2HIDComponent] = []
  /// Parameter 20: group ``VehicleInformationComponent``.
  public var vehicleInformationComponent: VehicleInformationComponent?
  /// Parameter 21: group ``VehicleStatusComponent``.
  public var vehicleStatusComponent: VehicleStatusComponent?
  /// Parameter 22: group ``LocationInformationComponent``.
  public var locationInformationComponent: LocationInformationComponent?
  /// Parameter 23: group ``USBHostHIDComponent``, repeated.
  public var usbHostHIDComponent: [USBHostHIDComponent] = []
  /// Parameter 24: group ``WirelessCarPlayTransportComponent``.
  /// An accessory that lists the Wi-Fi configuration messages (0x5702 and 0x5703) needs this component.
  public var wirelessCarPlayTransportComponent: WirelessCarPlayTransportComponent?
  /// Parameter 29: group ``BluetoothHIDComponent``, repeated.
  public var bluetoothHIDComponent: [BluetoothHIDComponent] = []
  /// Parameter 30: group ``RouteGuidanceDisplayComponent``, repeated.
  public var routeGuidanceDisplayComponent: [RouteGuidanceDisplayComponent] = []
  /// Parameter 34: UTF-8 text with a final NUL.
  public var productPlanUID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D01, "IdentificationInformation", from: .accessory, "Identification", .high,
    [
      "Identification.md#information", "NOTES", "LIVI", "LITEEMF", "BRIDGE", "CAT", "MIB2Q", "WIO", "UNMARKED",
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
    try pass(12, "CurrentLanguage", &currentLanguage, ParameterNote(limit: .language))
    try pass(13, "SupportedLanguage", &supportedLanguage, ParameterNote(isRequired: true, limit: .language))
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

/// A message of the device that accepts the identification: 0x1D02 (Identification.md#accepted; high).
public struct IdentificationAccepted: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D02, "IdentificationAccepted", from: .device, "Identification", .high,
    [
      "Identification.md#accepted", "LITEEMF", "PODBOX", "BRIDGE", "CAT", "WIO", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the device that rejects the identification and names the parameters at fault: 0x1D03
/// (Identification.md#rejected; high).
public struct IdentificationRejected: ControlMessage {
  /// Parameter 0: flag without a value. Confidence: medium.
  public var name: Presence = false
  /// Parameter 1: flag without a value. Confidence: medium.
  public var modelIdentifier: Presence = false
  /// Parameter 2: flag without a value. Confidence: medium.
  public var manufacturer: Presence = false
  /// Parameter 3: flag without a value. Confidence: medium.
  public var serialNumber: Presence = false
  /// Parameter 4: flag without a value. Confidence: medium.
  public var firmwareVersion: Presence = false
  /// Parameter 5: flag without a value. Confidence: medium.
  public var hardwareVersion: Presence = false
  /// Parameter 6: flag without a value, or packed unsigned 16-bit integers.
  public var messagesSentByAccessory: MessageList = false
  /// Parameter 7: flag without a value, or packed unsigned 16-bit integers.
  public var messagesReceivedFromDevice: MessageList = false
  /// Parameter 8: flag without a value. Confidence: medium.
  public var powerProvidingCapability: Presence = false
  /// Parameter 9: flag without a value. Confidence: medium.
  public var maximumCurrentDrawnFromDevice: Presence = false
  /// Parameter 10: flag without a value. Confidence: medium.
  public var supportedExternalAccessoryProtocol: Presence = false
  /// Parameter 11: flag without a value. Confidence: medium.
  public var appMatchTeamID: Presence = false
  /// Parameter 12: flag without a value. Confidence: medium.
  public var currentLanguage: Presence = false
  /// Parameter 13: flag without a value. Confidence: medium.
  public var supportedLanguage: Presence = false
  /// Parameter 14: flag without a value. Confidence: medium.
  public var serialTransportComponent: Presence = false
  /// Parameter 15: flag without a value. Confidence: medium.
  public var usbDeviceTransportComponent: Presence = false
  /// Parameter 16: flag without a value. Confidence: medium.
  public var usbHostTransportComponent: Presence = false
  /// Parameter 17: flag without a value. Confidence: medium.
  public var bluetoothTransportComponent: Presence = false
  /// Parameter 18: flag without a value. Confidence: medium.
  public var iAP2HIDComponent: Presence = false
  /// Parameter 20: flag without a value.
  public var vehicleInformationComponent: Presence = false
  /// Parameter 21: flag without a value.
  public var vehicleStatusComponent: Presence = false
  /// Parameter 22: flag without a value.
  public var locationInformationComponent: Presence = false
  /// Parameter 23: flag without a value. Confidence: medium.
  public var usbHostHIDComponent: Presence = false
  /// Parameter 24: flag without a value. Confidence: medium.
  public var wirelessCarPlayTransportComponent: Presence = false
  /// Parameter 29: flag without a value. Confidence: medium.
  public var bluetoothHIDComponent: Presence = false
  /// Parameter 30: flag without a value.
  public var routeGuidanceDisplayComponent: Presence = false
  /// Parameter 34: flag without a value. Confidence: medium.
  public var productPlanUID: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D03, "IdentificationRejected", from: .device, "Identification", .high,
    ["Identification.md#rejected", "LIVI", "BRIDGE", "CAT", "XCERT"])

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
    try pass(12, "CurrentLanguage", &currentLanguage, ParameterNote(.medium, limit: .language))
    try pass(13, "SupportedLanguage", &supportedLanguage, ParameterNote(.medium, limit: .language))
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

/// A message of the accessory that cancels the identification: 0x1D05 (Identification.md#cancel; high).
public struct CancelIdentification: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D05, "CancelIdentification", from: .accessory, "Identification", .high,
    ["Identification.md#cancel", "LITEEMF", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that reports changed names or a changed language: 0x1D06 (Identification.md#update;
/// high).
public struct IdentificationInformationUpdate: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Confidence: medium.
  public var name: String?
  /// Parameter 1: UTF-8 text with a final NUL. Confidence: medium.
  public var modelIdentifier: String?
  /// Parameter 2: UTF-8 text with a final NUL. Confidence: medium.
  public var manufacturer: String?
  /// Parameter 3: UTF-8 text with a final NUL. Confidence: medium.
  public var serialNumber: String?
  /// Parameter 4: UTF-8 text with a final NUL. Confidence: medium.
  public var firmwareVersion: String?
  /// Parameter 5: UTF-8 text with a final NUL. Confidence: medium.
  public var hardwareVersion: String?
  /// Parameter 6 (`CurrentLanguage`): UTF-8 text with a final NUL. Confidence: low.
  /// The reader accepts the language under this id too. A program cannot set it.
  public internal(set) var currentLanguageForm6: String?
  /// Parameter 12: UTF-8 text with a final NUL. Confidence: low.
  /// One source has id 6, another the ids of 0x1D01. The writer uses the second; the reader accepts both.
  public var currentLanguage: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x1D06, "IdentificationInformationUpdate", from: .accessory, "Identification", .high,
    ["Identification.md#update", "LITEEMF", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Name", &name, ParameterNote(.medium))
    try pass(1, "ModelIdentifier", &modelIdentifier, ParameterNote(.medium))
    try pass(2, "Manufacturer", &manufacturer, ParameterNote(.medium))
    try pass(3, "SerialNumber", &serialNumber, ParameterNote(.medium))
    try pass(4, "FirmwareVersion", &firmwareVersion, ParameterNote(.medium))
    try pass(5, "HardwareVersion", &hardwareVersion, ParameterNote(.medium))
    try pass(6, "CurrentLanguage", &currentLanguageForm6, ParameterNote(.low, limit: .language))
    try pass(12, "CurrentLanguage", &currentLanguage, ParameterNote(.low, limit: .language))
  }
}

extension IdentificationInformation {
  /// Removes optional parameters, as a rejection names them; required ones stay.
  package mutating func remove(parameters ids: Set<UInt16>) {
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

/// A rejected list of messages: present alone, or with the ids that were rejected. Unverified: no source shows the ids
/// (Identification.md#rejected-lists).
public struct MessageList: Parameter, ExpressibleByBooleanLiteral {
  /// Whether the parameter is present.
  public var isSet: Bool
  /// The ids of the rejected messages; empty if the device did not list them.
  public var ids: [UInt16] = []

  /// Creates a present or absent list without ids.
  public init(booleanLiteral value: Bool) { isSet = value }

  /// Zero or one.
  public static var count: ParameterCount { .optional }
  /// Void or packed numbers.
  public static var shape: ParameterShape { .alternative(.void, .packed(.u16)) }

  /// Reads the only parameter with this id. A missing one is an absent list; a repeated one throws.
  @_lifetime(reader: copy reader)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    let header = try reader.only(id)
    guard header >= 0 else { return }
    ids = try Packed<UInt16>.value(reader.bytes, reader.value(at: header)).elements
    isSet = true
  }

  /// Writes one parameter with the ids if the list is present.
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    guard isSet else { return }
    writer.header(id, byteCount: wireByteCount)
    for id in ids { writer.put(id) }
  }

  /// The four bytes of the header and the ids, or 0 if the list is absent.
  public var wireByteCount: Int { isSet ? 4 + 2 * ids.count : 0 }
}
