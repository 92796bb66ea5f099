// swift-iap2 · Apache-2.0

/// The relation of a session's virtual time to real time.
struct LabPace: Sendable {
  var isPaused: Bool
  var speed: Double
  private var last = ContinuousClock.now

  /// The time between two steps of a session that runs.
  static let tick = Duration.milliseconds(50)
  /// The most real time that counts at once. After a longer pause, such as that of a slow app, time does not jump.
  private static let longest = Duration.milliseconds(250)

  init(isPaused: Bool, speed: Double) { (self.isPaused, self.speed) = (isPaused, speed) }

  /// The time of the next step; nil while time stands still.
  var next: ContinuousClock.Instant? { isPaused ? nil : last.advanced(by: Self.tick) }

  /// Returns the seconds of virtual time that have passed since the last call; 0 before the next step is due.
  mutating func passed() -> Double {
    let now = ContinuousClock.now
    guard !isPaused else {
      last = now
      return 0
    }
    let real = last.duration(to: now)
    guard real >= Self.tick else { return 0 }
    last = now
    return min(real, Self.longest) / .seconds(1) * speed
  }
}
