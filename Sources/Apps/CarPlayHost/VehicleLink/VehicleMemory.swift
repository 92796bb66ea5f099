// swift-iap2 · Apache-2.0

import CarPlayPlatform
import IAP2
import IAP2Roles

/// The values of the car that the phone received from the head unit.
struct VehicleMemory: Sendable {
  /// The values; nil before the first one.
  private(set) var vehicle: HeadUnitDisplay.Vehicle?

  /// Processes a position for the apps. Returns nil for sentences without a position.
  mutating func take(_ message: LocationInformation) -> LocationReading? {
    guard let reading = LocationReading(sentences: message.nmeaSentence) else { return nil }
    var location = HeadUnitDisplay.Vehicle.Location(latitude: reading.latitude, longitude: reading.longitude)
    location.altitude = reading.altitude
    location.course = reading.course
    location.speed = reading.speed
    change { $0.location = location }
    return reading
  }

  /// Processes a status, which contains all values received so far. Returns whether the values changed.
  mutating func take(_ status: VehicleStatusUpdate) -> Bool {
    let before = vehicle
    change {
      $0.range = status.range.map(Int.init)
      $0.outsideTemperature = status.outsideTemperature.map(Int.init)
      $0.rangeWarning = status.rangeWarning
    }
    return vehicle != before
  }

  private mutating func change(_ body: (inout HeadUnitDisplay.Vehicle) -> Void) {
    var changed = vehicle ?? HeadUnitDisplay.Vehicle()
    body(&changed)
    vehicle = changed
  }
}
