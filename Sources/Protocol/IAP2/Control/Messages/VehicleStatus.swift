// swift-iap2 · Apache-2.0

/// A message of the device that subscribes to the status of the vehicle: 0xA100 (Features.md#vehicle-status-order;
/// medium).
public struct StartVehicleStatusUpdates: ControlMessage {
  /// Parameter 3: flag without a value.
  public var range: Presence = false
  /// Parameter 4: flag without a value.
  public var outsideTemperature: Presence = false
  /// Parameter 6: flag without a value.
  public var rangeWarning: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xA100, "StartVehicleStatusUpdates", from: .device, "Vehicle Status", .high,
    ["Features.md#vehicle-status-order", "LIVI", "WIO", "UNMARKED"],
    subscription: MessageSubscription(stop: StopVehicleStatusUpdates.id, updates: [VehicleStatusUpdate.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(3, "Range", &range)
    try pass(4, "OutsideTemperature", &outsideTemperature)
    try pass(6, "RangeWarning", &rangeWarning)
  }
}

/// A message of the accessory that reports changes of the vehicle's status: 0xA101 (Features.md#vehicle-status-order;
/// medium).
public struct VehicleStatusUpdate: ControlMessage {
  /// Parameter 3: unsigned 16-bit integer.
  /// The unit is kilometers.
  public var range: UInt16?
  /// Parameter 4: signed 16-bit integer.
  /// The unit is degrees Celsius.
  public var outsideTemperature: Int16?
  /// Parameter 6: Boolean.
  public var rangeWarning: Bool?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xA101, "VehicleStatusUpdate", from: .accessory, "Vehicle Status", .high,
    ["Features.md#vehicle-status-order", "LIVI", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(3, "Range", &range)
    try pass(4, "OutsideTemperature", &outsideTemperature)
    try pass(6, "RangeWarning", &rangeWarning)
  }
}

/// A message of the device that ends the subscription to the vehicle's status: 0xA102
/// (Features.md#vehicle-status-order; medium).
public struct StopVehicleStatusUpdates: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xA102, "StopVehicleStatusUpdates", from: .device, "Vehicle Status", .high,
    ["Features.md#vehicle-status-order", "LIVI", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
