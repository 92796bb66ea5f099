// swift-iap2 · Apache-2.0

import CarPlayPlatform
import CoreLocation
import Foundation
import IAP2
import IAP2Roles

/// Reports of the head unit about the car. The app gets its position; only the phone gets its status.
extension CarHost {
  /// Makes the head unit report the car's position over iAP2, while the phone requests positions.
  ///
  /// - Returns: The reason if the head unit cannot.
  package func reportLocation(_ motion: VehicleMotion) -> String? {
    guard link != nil else { return noLink }
    guard settings.behavior.offersLocation else { return "the head unit of this car reports no position" }
    note(.car, "head unit", "position \(Self.text(motion.latitude, motion.longitude))")
    link?.move(motion, at: linkTime)
    takeLinkReports()
    return nil
  }

  /// Makes the head unit report the car's status over iAP2. A nil argument leaves its value unchanged.
  ///
  /// - Returns: The reason if the head unit cannot.
  package func reportVehicle(range: Int?, outsideTemperature: Int?, rangeWarning: Bool?) -> String? {
    guard var status = link?.vehicleStatus else { return noLink }
    guard settings.behavior.offersVehicleStatus else { return "the head unit of this car reports no status" }
    if let range {
      guard CarVerbForm.ranges.contains(range) else { return "the range is not from \(CarVerbForm.ranges) km" }
      status.range = UInt16(clamping: range)
    }
    if let outsideTemperature {
      guard CarVerbForm.outsideTemperatures.contains(outsideTemperature) else {
        return "the outside temperature is not from \(CarVerbForm.outsideTemperatures) °C"
      }
      status.outsideTemperature = Int16(clamping: outsideTemperature)
    }
    status.rangeWarning = rangeWarning ?? status.rangeWarning
    note(.car, "head unit", status.words)
    link?.setVehicleStatus(status, at: linkTime)
    takeLinkReports()
    return nil
  }

  // MARK: The phone

  /// Observes whether the app wants locations.
  func watchLocations() {
    LocationFeed.setDemandObserver { [weak self] in
      Self.onMain { self?.locationDemandChanged() }
    }
  }

  /// Whether the app wants locations now.
  var wantsLocation: Bool { app != nil && LocationFeed.isWanted }

  private func locationDemandChanged() {
    guard wantsLocation != hasLocationDemand else { return }
    hasLocationDemand = wantsLocation
    note(.fromApp, hasLocationDemand ? "wants locations" : "wants no locations", object: "location manager")
    tellPhone()
  }

  /// Processes the head unit's reports about the car.
  func takeVehicle() {
    for event in link?.takeFeatures(of: .device) ?? [] {
      switch event {
      case .location(let message):
        if let reading = vehicleMemory.take(message) { give(reading) }
      case .vehicleStatus(let status):
        if vehicleMemory.take(status) { note(.car, "phone knows of the car", status.words) }
      default: break
      }
    }
  }

  /// Passes a position of the head unit to the app, in place of the phone's own position.
  func give(_ reading: LocationReading) {
    let location = CLLocation(
      coordinate: CLLocationCoordinate2D(latitude: reading.latitude, longitude: reading.longitude),
      altitude: reading.altitude ?? 0, horizontalAccuracy: Self.accuracy,
      verticalAccuracy: reading.altitude == nil ? -1 : Self.accuracy, course: reading.course ?? -1,
      speed: reading.speed ?? -1, timestamp: reading.unixTime.map { Date(timeIntervalSince1970: $0) } ?? Date())
    guard wantsLocation else { return LocationFeed.send(location) }
    let method = "locationManager(_:didUpdateLocations:)"
    note(.toApp, method, Self.text(reading.latitude, reading.longitude), object: "location manager's delegate")
    measure(method) { LocationFeed.send(location) }
  }

  /// The accuracy of a car's position in meters. Ours: the sentences of a head unit do not contain it.
  private static let accuracy = 5.0

  /// Returns a position with five digits after the point, which is a meter.
  private static func text(_ latitude: Double, _ longitude: Double) -> String {
    [latitude, longitude].map { "\(($0 * 1e5).rounded() / 1e5)" }.joined(separator: ", ")
  }
}

extension VehicleStatusUpdate {
  /// The values in words, with the units of this project (Features.md#vehicle-status-parameters).
  fileprivate var words: String {
    let warning = rangeWarning.map { $0 ? "range warning" : "no range warning" }
    let words = [range.map { "range \($0) km" }, outsideTemperature.map { "outside \($0) °C" }, warning]
    return words.compactMap { $0 }.joined(separator: ", ")
  }
}
