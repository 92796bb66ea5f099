// swift-iap2 · Apache-2.0

/// A step of a driver, a car or a phone. Scenarios and the lines to an app use the raw names.
public enum CarVerb: String, Sendable, Codable, Hashable, CaseIterable {
  // The app and the connection.
  case launch, start, plug, unplug, notice, open, policy
  // Touch.
  case tap, tapAt, tapDashboard, back, touchMap, pan, panButton, movePointMap
  // Knob, keyboard and keys.
  case turn, press, type, searchKey, nowPlaying, key, voiceKey
  // The app or the screen in front.
  case home, otherApp, bringBack, dashboard, cluster, endGuidance, alert
  // Phone and car.
  case lock, unlock, ask, answer, drive, park, interrupt, appearance, contentStyle, drivingSide, viewArea, faults
  // The head unit, and the user's voice.
  case headUnit, siri
  // Time.
  case wait
  // Only in the lines to an app.
  case begin, watch, transport, touchPart, fromHeadUnit, resize

  /// Whether scenarios can use the step.
  public var isOfScenarios: Bool {
    switch self {
    case .begin, .watch, .transport, .touchPart, .fromHeadUnit, .resize: false
    default: true
    }
  }

  /// The names of the steps that scenarios can use, sorted.
  public static var scenarioNames: [String] { allCases.filter(\.isOfScenarios).map(\.rawValue).sorted() }
}

/// A key of the steering wheel for media.
public enum CarMediaKey: String, Sendable, Codable, Hashable, CaseIterable {
  /// Play.
  case play
  /// Pause.
  case pause
  /// Play or pause.
  case playPause
  /// The next track.
  case next
  /// The previous track.
  case previous
  /// Stop.
  case stop
}

/// A direction of the panning interface. Two together are a diagonal.
public enum CarPanDirection: String, Sendable, Codable, Hashable, CaseIterable {
  /// To the top.
  case up
  /// To the bottom.
  case down
  /// To the left.
  case left
  /// To the right.
  case right
}

/// The evidence that ends the iAP2 connection on the phone, as a policy of `IAP2Roles`.
public enum CarLinkPolicy: String, Sendable, Codable, Hashable, CaseIterable {
  /// Only the platform's notice.
  case notification
  /// The notice, or the end of charging.
  case charging
  /// All evidence, also silence.
  case evidence
}

/// The part of the screen in front.
public enum CarFront: String, Sendable, Codable, Hashable, CaseIterable {
  /// Nothing of the phone.
  case off
  /// The home screen.
  case home
  /// The app.
  case app
  /// Another app.
  case otherApp
}
