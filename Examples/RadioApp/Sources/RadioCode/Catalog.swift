// swift-iap2 · Apache-2.0

/// A radio station.
struct Station: Hashable, Sendable {
  var name: String
  var program: String
}

/// The stations of a genre, which come from a server.
@MainActor
struct Catalog {
  /// The genres, which the app knows.
  var genres: [String]
  /// Loads the stations of a genre.
  var load: @MainActor (String) async throws -> [Station]

  /// The stations of the invented city.
  static let city = Catalog(genres: ["News", "Jazz", "Classics"]) { genre in
    switch genre {
    case "News": [Station(name: "Harbour News", program: "Morning"), Station(name: "Town Talk", program: "Questions")]
    case "Jazz": [Station(name: "Blue Pier", program: "Trios"), Station(name: "Night Quay", program: "Standards")]
    default: [Station(name: "Old Mill Radio", program: "Quartets")]
    }
  }
}
