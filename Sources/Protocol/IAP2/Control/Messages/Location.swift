// swift-iap2 · Apache-2.0

/// GPRMCDataStatusValuesNotification, sent by the device.
public struct GPRMCDataStatusValuesNotification: ControlMessage {
  public var gprmcDataStatusValueA: Presence = false
  public var gprmcDataStatusValueV: Presence = false
  public var gprmcDataStatusValueX: Presence = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0xFFF0, "GPRMCDataStatusValuesNotification", from: .device, "Location", .high,
    ["catplay", "unmarked endpoint catalogue (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "GPRMCDataStatusValueA", &gprmcDataStatusValueA, ParameterNote(.medium))
    try pass(1, "GPRMCDataStatusValueV", &gprmcDataStatusValueV, ParameterNote(.medium))
    try pass(2, "GPRMCDataStatusValueX", &gprmcDataStatusValueX, ParameterNote(.medium))
  }
}

/// StartLocationInformation, sent by the device.
public struct StartLocationInformation: ControlMessage {
  public var globalPositioningSystemFixData: Presence = false
  public var recommendedMinimumSpecificGPSTransitData: Presence = false
  public var gpsSatellitesInView: Presence = false
  public var vehicleSpeedData: Presence = false
  public var vehicleGyroData: Presence = false
  public var vehicleAccelerometerData: Presence = false
  public var vehicleHeadingData: Presence = false
  public var residue = Residue()

  public static let info = MessageInfo(
    0xFFFA, "StartLocationInformation", from: .device, "Location", .high,
    ["CPC200 notes", "LIVI", "catplay", "unmarked vendor code (weak)"])

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

/// LocationInformation, sent by the accessory.
public struct LocationInformation: ControlMessage {
  /// One sentence per TLV, several may share a message.
  public var nmeaSentence: [String] = []
  public var residue = Residue()

  public static let info = MessageInfo(
    0xFFFB, "LocationInformation", from: .accessory, "Location", .high,
    ["CPC200 notes", "LIVI", "catplay", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "NMEASentence", &nmeaSentence, ParameterNote(isRequired: true))
  }
}

/// StopLocationInformation, sent by the device.
public struct StopLocationInformation: ControlMessage {
  public var residue = Residue()

  public static let info = MessageInfo(
    0xFFFC, "StopLocationInformation", from: .device, "Location", .high,
    ["CPC200 notes", "LIVI", "catplay", "unmarked vendor code (weak)"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}
