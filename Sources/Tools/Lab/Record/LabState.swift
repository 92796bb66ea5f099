// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// The state of a session for the panels of the page. Each message has all of it.
package struct LabState: Encodable, Sendable {
  /// The phone.
  package struct Phone: Encodable, Sendable {
    package struct Song: Encodable, Sendable {
      var title, artist: String
      var isPlaying: Bool
    }

    package struct Call: Encodable, Sendable { var name, state: String }

    package struct Guidance: Encodable, Sendable { var maneuver, roadAfter: String }

    package var battery: Int?
    package var isCharging: Bool?
    package var apps: [String] = []
    package var song: Song?
    package var calls: [Call] = []
    package var guidance: Guidance?

    package init() {}
  }

  /// How the car looks.
  package struct Look: Encodable, Sendable {
    package var name: String
    package var pixelWidth, pixelHeight: Int
    /// The side of the driver and the style; nil while they are unknown.
    package var drivingSide, appearance: String?
  }

  /// A place of the picture that reacts to a finger.
  package struct Target: Encodable, Sendable {
    package var part, x, y, width, height: Int
  }

  /// A line of the recorder.
  package struct Recorded: Encodable, Sendable, Hashable {
    package var text: String
    package var isExpectation: Bool
  }

  /// The first and the last time of a record that can be shown up to any time.
  package struct Range: Encodable, Sendable { package var start, end: Double }

  /// The failures of the field at present.
  package struct Failures: Encodable, Sendable {
    /// The entries that show a failure of the app: their number, and the words by which they are found.
    package struct Found: Encodable, Sendable {
      package var number, count: Int
      package var words: String
    }

    /// The numbers of those that are switched on.
    package var on: [Int]
    package var found: [Found]
  }

  /// A report about a part of the screen: why it is cut, and what helps.
  package struct PartReport: Encodable, Sendable {
    package var part: Int
    package var kind, what, carShows, remedy, place: String
  }

  package var time = 0.0
  package var isPaused = false
  package var speed = 1.0
  /// The reason why the session has ended; nil while it goes on.
  package var end: String?
  package var front: String?
  package var isConnected: Bool?
  package var isDriving: Bool?
  package var isLocked: Bool?
  package var look: Look?
  package var phone = Phone()
  package var screen: ScreenNode?
  package var targets: [Target]?
  /// The displays that show something.
  package var displays: [LabPicture.Display] = []
  package var faults: [String: CarValue]?
  package var failures: Failures?
  /// The reports about parts of the screen.
  package var reports: [PartReport]?
  /// Whether the app gets no notification of the next disconnect of the cable.
  package var losesNextDisconnect: Bool?
  package var recorded: [Recorded]?
  package var range: Range?

  package init() {}

  private enum CodingKeys: String, CodingKey {
    case time, isPaused, speed, end, front, isConnected, isDriving, isLocked, look, phone, screen, targets, displays,
      faults, failures, reports, losesNextDisconnect
    case recorded, range
  }

  private enum TypeKey: String, CodingKey { case type }

  package func encode(to encoder: any Encoder) throws {
    var type = encoder.container(keyedBy: TypeKey.self)
    try type.encode("state", forKey: .type)
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(time, forKey: .time)
    try values.encode(isPaused, forKey: .isPaused)
    try values.encode(speed, forKey: .speed)
    try values.encode(end, forKey: .end)
    try values.encodeIfPresent(front, forKey: .front)
    try values.encodeIfPresent(isConnected, forKey: .isConnected)
    try values.encodeIfPresent(isDriving, forKey: .isDriving)
    try values.encodeIfPresent(isLocked, forKey: .isLocked)
    try values.encodeIfPresent(look, forKey: .look)
    try values.encode(phone, forKey: .phone)
    try values.encodeIfPresent(screen, forKey: .screen)
    try values.encodeIfPresent(targets, forKey: .targets)
    try values.encode(displays.map(\.rawValue), forKey: .displays)
    try values.encodeIfPresent(faults, forKey: .faults)
    try values.encodeIfPresent(failures, forKey: .failures)
    try values.encodeIfPresent(reports, forKey: .reports)
    try values.encodeIfPresent(losesNextDisconnect, forKey: .losesNextDisconnect)
    try values.encodeIfPresent(recorded, forKey: .recorded)
    try values.encodeIfPresent(range, forKey: .range)
  }
}
