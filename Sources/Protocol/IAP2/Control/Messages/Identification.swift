// swift-iap2 · Apache-2.0

/// A message of the device that asks the accessory to identify itself: 0x1D00 (Identification.md#start; high).
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

/// A message of the accessory that describes the accessory, its messages, transports and components: 0x1D01
/// (Identification.md#information; high).
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

/// A message of the device that accepts the identification: 0x1D02 (Identification.md#accepted; high).
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

/// A message of the device that rejects the identification and names the parameters at fault: 0x1D03
/// (Identification.md#rejected; high).
public struct IdentificationRejected: ControlMessage {
  public var name: Presence = false
  public var modelIdentifier: Presence = false
  public var manufacturer: Presence = false
  public var serialNumber: Presence = false
  public var firmwareVersion: Presence = false
  public var hardwareVersion: Presence = false
  public var messagesSentByAccessory: MessageList = false
  public var messagesReceivedFromDevice: MessageList = false
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

/// A message of the accessory that cancels the identification: 0x1D05 (Identification.md#cancel; high).
public struct CancelIdentification: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x1D05, "CancelIdentification", from: .accessory, "Identification", .high,
    ["LiteEMF (BSD-2)", "catplay", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that reports changed names or a changed language: 0x1D06 (Identification.md#update;
/// high).
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

/// A rejected list of messages: present alone, or with the ids that were rejected (Identification.md#rejected-lists;
/// medium: CCPA).
public struct MessageList: Parameter, ExpressibleByBooleanLiteral {
  public var isSet: Bool
  public var ids: [UInt16] = []

  public init(booleanLiteral value: Bool) { isSet = value }

  public static var count: ParameterCount { .optional }
  public static var shape: ParameterShape { .alternative(.void, .packed(.u16)) }

  @_lifetime(reader: copy reader)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> MessageList {
    let header = try reader.only(id)
    guard header >= 0 else { return false }
    var list: MessageList = true
    list.ids = try Packed<UInt16>.value(reader.bytes, reader.value(at: header)).elements
    return list
  }

  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    guard isSet else { return }
    writer.header(id, byteCount: wireByteCount)
    for id in ids { writer.put(id) }
  }

  public var wireByteCount: Int { isSet ? 4 + 2 * ids.count : 0 }
}
