// swift-iap2 · Apache-2.0

import CarPlay

/// A place that the app can guide to.
struct Place: Hashable, Sendable {
  var name: String
  var latitude: Double
  var longitude: Double

  static let harbour = Place(name: "Harbour", latitude: 55.80, longitude: 37.40)
  static let mill = Place(name: "Old Mill", latitude: 55.70, longitude: 37.50)
  static let station = Place(name: "North Station", latitude: 55.90, longitude: 37.60)
  static let lighthouse = Place(name: "Lighthouse", latitude: 55.82, longitude: 37.35)

  /// Every place of the invented city.
  static let all = [harbour, mill, station, lighthouse]

  /// The place as the framework has it.
  @MainActor var mapItem: MKMapItem {
    let item = MKMapItem(
      placemark: MKPlacemark(coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude)))
    item.name = name
    return item
  }
}

/// A route to a place.
struct Route: Hashable, Sendable {
  var name: String
  var kilometers: Double
  var minutes: Double
  var turns: [Turn]

  /// The routes of the invented city, the best first.
  static func routes(to place: Place) -> [Route] {
    let turns = [
      Turn(
        text: "Turn left into Quay Street", shortText: "Quay Street", symbol: "arrow.turn.up.left", kind: .leftTurn,
        lanes: true),
      Turn(
        text: "Turn right into Mill Lane", shortText: "Mill Lane", symbol: "arrow.turn.up.right", kind: .rightTurn,
        lanes: false),
      Turn(
        text: "\(place.name) is on the right", shortText: place.name, symbol: "mappin",
        kind: .arriveAtDestinationRight, lanes: false),
    ]
    return [
      Route(name: "Coast road", kilometers: 18, minutes: 25, turns: turns),
      Route(name: "Motorway", kilometers: 24, minutes: 28, turns: turns),
      Route(name: "Through the town", kilometers: 14, minutes: 35, turns: turns),
    ]
  }
}

/// A turn of a route.
struct Turn: Hashable, Sendable {
  var text: String
  var shortText: String
  var symbol: String
  /// The kind for the car's own displays.
  var kind: CPManeuverType
  /// Whether the car shows the lanes before the turn.
  var lanes: Bool
}

/// A position on the route, as the navigation engine reports it a few times a second.
struct Progress: Hashable, Sendable {
  /// The index of the next turn; the number of turns after the last one.
  var turn: Int
  var metersToTurn: Double
  var secondsToTurn: Double
  var metersToEnd: Double
  var secondsToEnd: Double
}
