// swift-iap2 · Apache-2.0

/// StartBluetoothPairing, sent by the device.
public struct StartBluetoothPairing: ControlMessage {
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var residue = Residue()

  public static let info = MessageInfo(
    0x0B00, "StartBluetoothPairing", from: .device, "Bluetooth Pairing", .high,
    ["PodBox (observed)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
  }
}

/// StopBluetoothPairing, sent by the device.
public struct StopBluetoothPairing: ControlMessage {
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var unknown2: Presence = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0x0B03, "StopBluetoothPairing", from: .device, "Bluetooth Pairing", .high,
    ["PodBox (observed)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
    try pass(2, "Unknown2", &unknown2, ParameterNote(.low))
  }
}

/// StartBluetoothConnectionUpdates, sent by the accessory.
public struct StartBluetoothConnectionUpdates: ControlMessage {
  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4E03, "StartBluetoothConnectionUpdates", from: .accessory, "Bluetooth Connection", .high,
    ["CPC200 notes", "PodBox (observed)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
  }
}

/// BluetoothConnectionUpdate, sent by the device.
public struct BluetoothConnectionUpdate: ControlMessage {
  public struct ConnectedBluetoothProfiles: ParameterGroup {
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
  }

  public var bluetoothTransportComponentIdentifier: UInt16 = 0
  /// Empty when nothing is connected; nested void ids per profile unknown.
  public var connectedBluetoothProfiles: ConnectedBluetoothProfiles?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4E04, "BluetoothConnectionUpdate", from: .device, "Bluetooth Connection", .high,
    ["CPC200 notes", "PodBox (observed)", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BluetoothTransportComponentIdentifier", &bluetoothTransportComponentIdentifier, ParameterNote(.medium))
    try pass(1, "ConnectedBluetoothProfiles", &connectedBluetoothProfiles, ParameterNote(.medium))
  }
}

/// StopBluetoothConnectionUpdates, sent by the accessory.
public struct StopBluetoothConnectionUpdates: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4E05, "StopBluetoothConnectionUpdates", from: .accessory, "Bluetooth Connection", .medium,
    ["CPC200 notes", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
