// swift-iap2 · Apache-2.0

/// StartHID, sent by the accessory.
public struct StartHID: ControlMessage {
  public var hidComponentIdentifier: UInt16 = 0
  public var vendorIdentifier: UInt16 = 0
  public var productIdentifier: UInt16 = 0
  public var hidReportDescriptor: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6800, "StartHID", from: .accessory, "HID", .high,
    [
      "LiteEMF (BSD-2)", "bridgething (MIT)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)",
      "xcertplay",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
    try pass(1, "VendorIdentifier", &vendorIdentifier)
    try pass(2, "ProductIdentifier", &productIdentifier)
    try pass(4, "HIDReportDescriptor", &hidReportDescriptor)
  }
}

/// DeviceHIDReport, sent by the device.
public struct DeviceHIDReport: ControlMessage {
  public var hidComponentIdentifier: UInt16 = 0
  public var hidReport: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6801, "DeviceHIDReport", from: .device, "HID", .high,
    ["CP2614 encoder (weak)", "LiteEMF (BSD-2)", "bridgething (MIT)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier, ParameterNote(.medium))
    try pass(1, "HIDReport", &hidReport, ParameterNote(.medium))
  }
}

/// AccessoryHIDReport, sent by the accessory.
public struct AccessoryHIDReport: ControlMessage {
  public var hidComponentIdentifier: UInt16 = 0
  public var hidReport: Blob = Blob()
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6802, "AccessoryHIDReport", from: .accessory, "HID", .high,
    [
      "LiteEMF (BSD-2)", "bridgething (MIT)", "unmarked endpoint catalogue (weak)", "unmarked vendor code (weak)",
      "xcertplay",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
    try pass(1, "HIDReport", &hidReport)
  }
}

/// StopHID, sent by the accessory.
public struct StopHID: ControlMessage {
  public var hidComponentIdentifier: UInt16 = 0
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6803, "StopHID", from: .accessory, "HID", .high,
    [
      "CP2614 encoder (weak)", "LiteEMF (BSD-2)", "bridgething (MIT)", "unmarked endpoint catalogue (weak)",
      "unmarked vendor code (weak)",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier)
  }
}

/// StartNativeHID, sent by the device.
public struct StartNativeHID: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6806, "StartNativeHID", from: .device, "HID", .medium,
    ["bridgething (MIT)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// HIDComponentUpdate, sent by the device.
public struct HIDComponentUpdate: ControlMessage {
  public var hidComponentIdentifier: UInt16 = 0
  public var hidComponentEnabled: Bool = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0x6807, "HIDComponentUpdate", from: .device, "HID", .high,
    ["bridgething (MIT)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "HIDComponentIdentifier", &hidComponentIdentifier, ParameterNote(.medium))
    try pass(1, "HIDComponentEnabled", &hidComponentEnabled, ParameterNote(.medium))
  }
}
