// swift-iap2 · Apache-2.0

/// The finger of the page on the picture of a CarPlay session, which becomes a step when it leaves.
struct PictureFinger: Sendable {
  private var began: (x: Int, y: Int, time: Double)?

  /// The distance in pixels from which a moved finger drags.
  private static let dragDistance = 10

  /// Takes a place of the finger.
  ///
  /// - Returns: When it leaves, a tap or a drag in the words of scenarios, and the time at which it began.
  mutating func take(_ phase: LabRequest.Phase, _ x: Int, _ y: Int, at time: Double) -> (line: String, start: Double)? {
    let (x, y) = (max(0, x), max(0, y))
    switch phase {
    case .down: began = (x, y, time)
    case .move: break
    case .up:
      guard let began else { return nil }
      self.began = nil
      let isTap = max(abs(x - began.x), abs(y - began.y)) < Self.dragDistance
      let action = isTap ? "touch: [\(x), \(y)]" : "drag: [\(began.x), \(began.y), \(x), \(y)]"
      return ("headUnit: {session: {\(action)}}", began.time)
    }
    return nil
  }

  mutating func release() { began = nil }
}
