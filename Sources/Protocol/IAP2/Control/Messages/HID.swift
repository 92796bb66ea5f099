// swift-iap2 · Apache-2.0

/// A message of the accessory that starts an HID component and carries its report descriptor: 0x6800
/// (Features.md#hid-start; high).
public struct StartHID: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var hidComponentIdentifier: UInt16 = 0
  /// Parameter 1: unsigned 16-bit integer. Required.
  public var vendorIdentifier: UInt16 = 0
  /// Parameter 2: unsigned 16-bit integer. Required.
  public var productIdentifier: UInt16 = 0
  /// Parameter 4: raw bytes. Required.
  public var hidReportDescriptor: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6800, "StartHID", from: .accessory, "HID", .high,
    [
      "Features.md#hid-start", "LITEEMF", "BRIDGE", "XCERT", "UNMARKED",
    ],
    subscription: MessageSubscription(stop: StopHID.id, updates: [DeviceHIDReport.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
    try pass(1, "VendorIdentifier", &vendorIdentifier)
    try pass(2, "ProductIdentifier", &productIdentifier)
    try pass(4, "HIDReportDescriptor", &hidReportDescriptor, ParameterNote(limit: .reportDescriptor))
  }
}

/// A message of the device that carries an output report to an HID component: 0x6801 (Features.md#hid-device-report;
/// high).
public struct DeviceHIDReport: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var hidComponentIdentifier: UInt16 = 0
  /// Parameter 1: raw bytes. Required. Confidence: medium.
  public var hidReport: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6801, "DeviceHIDReport", from: .device, "HID", .high,
    ["Features.md#hid-device-report", "LITEEMF", "BRIDGE", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier, ParameterNote(.medium))
    try pass(1, "HIDReport", &hidReport, ParameterNote(.medium))
  }
}

/// A message of the accessory that carries an input report of an HID component: 0x6802
/// (Features.md#hid-accessory-report; high).
public struct AccessoryHIDReport: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var hidComponentIdentifier: UInt16 = 0
  /// Parameter 1: raw bytes. Required.
  public var hidReport: Blob = Blob()
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6802, "AccessoryHIDReport", from: .accessory, "HID", .high,
    [
      "Features.md#hid-accessory-report", "LITEEMF", "BRIDGE", "XCERT", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
    try pass(1, "HIDReport", &hidReport)
  }
}

/// A message of the accessory that stops an HID component: 0x6803 (Features.md#hid-stop; high).
public struct StopHID: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required.
  public var hidComponentIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6803, "StopHID", from: .accessory, "HID", .high,
    [
      "Features.md#hid-stop", "LITEEMF", "BRIDGE", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
  }
}

/// A message of the device that starts native HID; its use is not described: 0x6806 (Features.md#hid-native; medium).
public struct StartNativeHID: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6806, "StartNativeHID", from: .device, "HID", .medium,
    ["Features.md#hid-native", "BRIDGE"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the device that reports whether an HID component is enabled: 0x6807 (Features.md#hid-component-update;
/// medium).
public struct HIDComponentUpdate: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var hidComponentIdentifier: UInt16 = 0
  /// Parameter 1: Boolean. Required. Confidence: medium.
  public var hidComponentEnabled: Bool = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x6807, "HIDComponentUpdate", from: .device, "HID", .medium,
    ["Features.md#hid-component-update", "BRIDGE", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier, ParameterNote(.medium))
    try pass(1, "HIDComponentEnabled", &hidComponentEnabled, ParameterNote(.medium))
  }
}
