// swift-iap2 · Apache-2.0

/// A message of the accessory that subscribes to the power state of the device: 0xAE00 (Features.md#power-start; high).
public struct StartPowerUpdates: ControlMessage {
  /// Parameter 0: flag without a value.
  public var maximumCurrentDrawnFromAccessory: Presence = false
  /// Parameter 1: flag without a value.
  public var deviceBatteryWillChargeIfPowerIsPresent: Presence = false
  /// Parameter 2: flag without a value.
  public var accessoryPowerMode: Presence = false
  /// Parameter 4: flag without a value.
  public var isExternalChargerConnected: Presence = false
  /// Parameter 5: flag without a value.
  public var batteryChargingState: Presence = false
  /// Parameter 6: flag without a value.
  public var batteryChargeLevel: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAE00, "StartPowerUpdates", from: .accessory, "Power", .high,
    ["Features.md#power-start", "LIVI", "LITEEMF", "PODBOX", "CAT", "PRYER", "UNMARKED"],
    subscription: MessageSubscription(stop: StopPowerUpdates.id, updates: [PowerUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MaximumCurrentDrawnFromAccessory", &maximumCurrentDrawnFromAccessory)
    try pass(1, "DeviceBatteryWillChargeIfPowerIsPresent", &deviceBatteryWillChargeIfPowerIsPresent)
    try pass(2, "AccessoryPowerMode", &accessoryPowerMode)
    try pass(4, "IsExternalChargerConnected", &isExternalChargerConnected)
    try pass(5, "BatteryChargingState", &batteryChargingState)
    try pass(6, "BatteryChargeLevel", &batteryChargeLevel)
  }
}

/// The power mode of the accessory.
public struct AccessoryPowerMode: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let reserved = Self(rawValue: 0)
  /// Value 1.
  public static let lowPower = Self(rawValue: 1)
  /// Value 2.
  public static let intermittentHighPower = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Reserved"), (1, "LowPower"), (2, "IntermittentHighPower")]
  }
}

/// The charging state of the device's battery (Features.md#charging-states; high).
public struct BatteryChargingState: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let disabled = Self(rawValue: 0)
  /// Value 1.
  public static let charging = Self(rawValue: 1)
  /// Value 2.
  public static let charged = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Disabled"), (1, "Charging"), (2, "Charged")]
  }
}

/// A message of the device that reports changes of the power state: 0xAE01 (Features.md#power-update; high).
public struct PowerUpdate: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer, in mA.
  public var maximumCurrentDrawnFromAccessory: UInt16?
  /// Parameter 1: Boolean.
  public var deviceBatteryWillChargeIfPowerIsPresent: Bool?
  /// Parameter 2: enumeration ``AccessoryPowerMode``.
  public var accessoryPowerMode: AccessoryPowerMode?
  /// Parameter 4: Boolean.
  public var isExternalChargerConnected: Bool?
  /// Parameter 5: enumeration ``BatteryChargingState``.
  public var batteryChargingState: BatteryChargingState?
  /// Parameter 6: unsigned 16-bit integer, in percent.
  /// The value is 0 to 100.
  public var batteryChargeLevel: UInt16?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAE01, "PowerUpdate", from: .device, "Power", .high,
    ["Features.md#power-update", "LIVI", "LITEEMF", "PODBOX", "CAT", "PRYER", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "MaximumCurrentDrawnFromAccessory", &maximumCurrentDrawnFromAccessory, ParameterNote(unit: "mA"))
    try pass(1, "DeviceBatteryWillChargeIfPowerIsPresent", &deviceBatteryWillChargeIfPowerIsPresent)
    try pass(2, "AccessoryPowerMode", &accessoryPowerMode)
    try pass(4, "IsExternalChargerConnected", &isExternalChargerConnected)
    try pass(5, "BatteryChargingState", &batteryChargingState)
    try pass(6, "BatteryChargeLevel", &batteryChargeLevel, ParameterNote(unit: "percent", limit: .percent))
  }
}

/// A message of the accessory that ends the subscription to the power state: 0xAE02 (Features.md#power-stop; high).
public struct StopPowerUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAE02, "StopPowerUpdates", from: .accessory, "Power", .high,
    ["Features.md#power-stop", "LIVI", "LITEEMF", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that reports the current that the accessory offers to the device: 0xAE03
/// (Features.md#power-source; high).
public struct PowerSourceUpdate: ControlMessage {
  /// Parameter 0: unsigned 16-bit integer, in mA.
  public var availableCurrentForDevice: UInt16?
  /// Parameter 1: Boolean.
  public var deviceBatteryShouldChargeIfPowerIsPresent: Bool?
  /// Parameter 3: unsigned 16-bit integer. Confidence: low.
  public var availableSiphoningCurrent: UInt16?
  /// Parameter 4: unsigned 16-bit integer. Confidence: low.
  public var reserveCurrent: UInt16?
  /// Parameter 5: flag without a value. Confidence: low.
  public var maximumNonSiphoningCurrentExceeded: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xAE03, "PowerSourceUpdate", from: .accessory, "Power", .high,
    ["Features.md#power-source", "LIVI", "LITEEMF", "PODBOX", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AvailableCurrentForDevice", &availableCurrentForDevice, ParameterNote(unit: "mA"))
    try pass(1, "DeviceBatteryShouldChargeIfPowerIsPresent", &deviceBatteryShouldChargeIfPowerIsPresent)
    try pass(3, "AvailableSiphoningCurrent", &availableSiphoningCurrent, ParameterNote(.low))
    try pass(4, "ReserveCurrent", &reserveCurrent, ParameterNote(.low))
    try pass(5, "MaximumNonSiphoningCurrentExceeded", &maximumNonSiphoningCurrentExceeded, ParameterNote(.low))
  }
}
