// swift-iap2 · Apache-2.0

import CarPlayPlatform

extension CarServer {
  private static let places: Set<String> = ["latitude", "longitude", "altitude", "course", "speed"]
  private static let states: Set<String> = ["range", "outsideTemperature", "rangeWarning"]

  /// Performs the step `headUnit`: a request, a position in the song, or values of the car.
  func headUnit(_ action: CarAction, _ host: CarHost) -> String? {
    let names = Set(action.arguments.keys)
    if let request = action.choice("request", HeadUnitRequest.self), names.count == 1 { return host.askPhone(request) }
    if let position = action.number("position"), names.count == 1 { return host.seekFromHeadUnit(to: position) }
    guard !names.isEmpty, names.isSubset(of: Self.places.union(Self.states)) else {
      return "headUnit takes one of request and position, or values of the car"
    }
    if !names.isDisjoint(with: Self.places) {
      guard let latitude = action.number("latitude"), let longitude = action.number("longitude"),
        let motion = VehicleMotion(
          latitude: latitude, longitude: longitude, altitude: action.number("altitude") ?? 0,
          course: action.number("course") ?? 0, speed: action.number("speed") ?? 0)
      else { return "headUnit: a position has latitude and longitude" }
      if let problem = host.reportLocation(motion) { return problem }
    }
    guard !names.isDisjoint(with: Self.states) else { return nil }
    return host.reportVehicle(
      range: action.whole("range"), outsideTemperature: action.whole("outsideTemperature"),
      rangeWarning: action.flag("rangeWarning"))
  }
}
