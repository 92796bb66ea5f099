// swift-iap2 · Apache-2.0

/// A message of the device that reports the name of the device: 0x4E09 (Features.md#device-information; high).
public struct DeviceInformationUpdate: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Required.
  public var deviceName: String = ""
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E09, "DeviceInformationUpdate", from: .device, "Device Notifications", .high,
    [
      "Features.md#device-information", "PODBOX", "BRIDGE", "CAT", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "DeviceName", &deviceName)
  }
}

/// A message of the device that reports the language of the device: 0x4E0A (Features.md#device-language; high).
public struct DeviceLanguageUpdate: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Required.
  /// An example is `en`.
  public var language: String = ""
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E0A, "DeviceLanguageUpdate", from: .device, "Device Notifications", .high,
    [
      "Features.md#device-language", "PODBOX", "BRIDGE", "CAT", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Language", &language, ParameterNote(limit: .language))
  }
}

/// A message of the device that reports the time and the time zone of the device: 0x4E0B (Features.md#device-time;
/// high).
public struct DeviceTimeUpdate: ControlMessage {
  /// Parameter 0: signed 64-bit integer. Required.
  /// LIVI and BRIDGE read seconds of the Unix epoch. CAT reads an unsigned number (Features.md#device-time-unit).
  public var secondsSinceReferenceDate: Int64 = 0
  /// Parameter 1: signed 16-bit integer. Required.
  public var timeZoneOffsetMinutes: Int16 = 0
  /// Parameter 2: signed 8-bit integer. Required.
  public var daylightSavingsOffsetMinutes: Int8 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E0B, "DeviceTimeUpdate", from: .device, "Device Notifications", .high,
    ["Features.md#device-time", "LIVI", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "SecondsSinceReferenceDate", &secondsSinceReferenceDate)
    try pass(1, "TimeZoneOffsetMinutes", &timeZoneOffsetMinutes)
    try pass(2, "DaylightSavingsOffsetMinutes", &daylightSavingsOffsetMinutes)
  }
}

/// A message of the device that reports the UUID of the device: 0x4E0C (Features.md#device-uuid; high).
public struct DeviceUUIDUpdate: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Required.
  public var uuid: String = ""
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E0C, "DeviceUUIDUpdate", from: .device, "Device Notifications", .high,
    ["Features.md#device-uuid", "PODBOX", "BRIDGE", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "UUID", &uuid)
  }
}

/// The state that a WirelessCarPlayUpdate reports.
public struct WirelessCarPlayUpdateStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let unavailable = Self(rawValue: 0)
  /// Value 1.
  public static let available = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Unavailable"), (1, "Available")]
  }
}

/// A message of the device that reports the state of wireless CarPlay: 0x4E0D (Features.md#wireless-carplay-update;
/// high).
public struct WirelessCarPlayUpdate: ControlMessage {
  /// Parameter 0: enumeration ``WirelessCarPlayUpdateStatus``. Required.
  public var status: WirelessCarPlayUpdateStatus = WirelessCarPlayUpdateStatus(rawValue: 0)
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E0D, "WirelessCarPlayUpdate", from: .device, "Device Notifications", .high,
    ["Features.md#wireless-carplay-update", "NOTES", "LIVI", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "Status", &status)
  }
}

/// A message of the device that reports the identifiers of the device on its transports: 0x4E0E
/// (Features.md#device-transports; high).
public struct DeviceTransportIdentifierNotification: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL.
  /// The text is a MAC address.
  public var bluetoothTransportID: String?
  /// Parameter 1: UTF-8 text with a final NUL.
  /// The text is the device's serial number or UDID.
  public var usbTransportID: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E0E, "DeviceTransportIdentifierNotification", from: .device, "Device Notifications", .high,
    ["Features.md#device-transports", "NOTES", "LIVI", "PODBOX", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportID", &bluetoothTransportID)
    try pass(1, "USBTransportID", &usbTransportID)
  }
}
