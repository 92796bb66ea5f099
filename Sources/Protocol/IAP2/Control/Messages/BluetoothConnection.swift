// swift-iap2 · Apache-2.0

/// A message of the device that starts Bluetooth pairing over a wired link: 0x0B00 (Features.md#bluetooth-pairing;
/// medium).
public struct StartBluetoothPairing: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x0B00, "StartBluetoothPairing", from: .device, "Bluetooth Pairing", .medium,
    ["Features.md#bluetooth-pairing", "PODBOX", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
  }
}

/// A message of the device that ends Bluetooth pairing over a wired link: 0x0B03 (Features.md#bluetooth-pairing;
/// medium).
public struct StopBluetoothPairing: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  /// Parameter 2: flag without a value. Confidence: low.
  public var unknown2: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x0B03, "StopBluetoothPairing", from: .device, "Bluetooth Pairing", .medium,
    ["Features.md#bluetooth-pairing", "PODBOX", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
    try pass(2, "Unknown2", &unknown2, ParameterNote(.low))
  }
}

/// A message of the accessory that subscribes to the connected profiles of a Bluetooth component: 0x4E03
/// (Features.md#bluetooth-connection; medium).
public struct StartBluetoothConnectionUpdates: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E03, "StartBluetoothConnectionUpdates", from: .accessory, "Bluetooth Connection", .medium,
    ["Features.md#bluetooth-connection", "NOTES", "PODBOX", "UNMARKED"],
    subscription: MessageSubscription(stop: StopBluetoothConnectionUpdates.id, updates: [BluetoothConnectionUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
  }
}

/// A message of the device that reports the connected profiles of a Bluetooth component: 0x4E04
/// (Features.md#bluetooth-connection; medium).
public struct BluetoothConnectionUpdate: ControlMessage {
  /// The connected Bluetooth profiles; the ids of its parameters are not known.
  public struct ConnectedBluetoothProfiles: ParameterGroup {
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
  }

  /// Parameter 0: unsigned 16-bit integer. Required. Confidence: medium.
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  /// Parameter 1: group ``ConnectedBluetoothProfiles``. Confidence: medium.
  /// The group is empty if no profile is connected. The ids of the flags for the profiles are not known.
  public var connectedBluetoothProfiles: ConnectedBluetoothProfiles?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E04, "BluetoothConnectionUpdate", from: .device, "Bluetooth Connection", .medium,
    ["Features.md#bluetooth-connection", "NOTES", "PODBOX", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
    try pass(1, "ConnectedBluetoothProfiles", &connectedBluetoothProfiles, ParameterNote(.medium))
  }
}

/// A message of the accessory that ends the subscription to the connected Bluetooth profiles: 0x4E05
/// (Features.md#bluetooth-connection; medium).
public struct StopBluetoothConnectionUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4E05, "StopBluetoothConnectionUpdates", from: .accessory, "Bluetooth Connection", .medium,
    ["Features.md#bluetooth-connection", "NOTES", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
