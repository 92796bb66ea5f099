// swift-iap2 · Apache-2.0

/// A message of the device that reports which status letters of GPRMC sentences the device understands: 0xFFF0
/// (Features.md#location-status; medium).
public struct GPRMCDataStatusValuesNotification: ControlMessage {
  /// Parameter 0: flag without a value. Confidence: medium.
  public var gprmcDataStatusValueA: Presence = false
  /// Parameter 1: flag without a value. Confidence: medium.
  public var gprmcDataStatusValueV: Presence = false
  /// Parameter 2: flag without a value. Confidence: medium.
  public var gprmcDataStatusValueX: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xFFF0, "GPRMCDataStatusValuesNotification", from: .device, "Location", .medium,
    ["Features.md#location-status", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "GPRMCDataStatusValueA", &gprmcDataStatusValueA, ParameterNote(.medium))
    try pass(1, "GPRMCDataStatusValueV", &gprmcDataStatusValueV, ParameterNote(.medium))
    try pass(2, "GPRMCDataStatusValueX", &gprmcDataStatusValueX, ParameterNote(.medium))
  }
}

/// A message of the device that subscribes to location sentences: 0xFFFA (Features.md#location-order; high).
public struct StartLocationInformation: ControlMessage {
  /// Parameter 1: flag without a value.
  public var globalPositioningSystemFixData: Presence = false
  /// Parameter 2: flag without a value.
  public var recommendedMinimumSpecificGPSTransitData: Presence = false
  /// Parameter 3: flag without a value.
  public var gpsSatellitesInView: Presence = false
  /// Parameter 4: flag without a value.
  public var vehicleSpeedData: Presence = false
  /// Parameter 5: flag without a value.
  public var vehicleGyroData: Presence = false
  /// Parameter 6: flag without a value.
  public var vehicleAccelerometerData: Presence = false
  /// Parameter 7: flag without a value.
  public var vehicleHeadingData: Presence = false
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xFFFA, "StartLocationInformation", from: .device, "Location", .high,
    ["Features.md#location-order", "NOTES", "LIVI", "CAT", "UNMARKED"],
    subscription: MessageSubscription(stop: StopLocationInformation.id, updates: [LocationInformation.id]))

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(1, "GlobalPositioningSystemFixData", &globalPositioningSystemFixData)
    try pass(2, "RecommendedMinimumSpecificGPSTransitData", &recommendedMinimumSpecificGPSTransitData)
    try pass(3, "GPSSatellitesInView", &gpsSatellitesInView)
    try pass(4, "VehicleSpeedData", &vehicleSpeedData)
    try pass(5, "VehicleGyroData", &vehicleGyroData)
    try pass(6, "VehicleAccelerometerData", &vehicleAccelerometerData)
    try pass(7, "VehicleHeadingData", &vehicleHeadingData)
  }
}

/// A message of the accessory that carries location sentences as NMEA text: 0xFFFB (Features.md#location-order; high).
public struct LocationInformation: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL, repeated. Required.
  /// Each sentence has a parameter of its own. A message may have several.
  public var nmeaSentence: [String] = []
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xFFFB, "LocationInformation", from: .accessory, "Location", .high,
    ["Features.md#location-order", "NOTES", "LIVI", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "NMEASentence", &nmeaSentence, ParameterNote(isRequired: true))
  }
}

/// A message of the device that ends the subscription to location sentences: 0xFFFC (Features.md#location-order; high).
public struct StopLocationInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xFFFC, "StopLocationInformation", from: .device, "Location", .high,
    ["Features.md#location-order", "NOTES", "LIVI", "CAT", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
