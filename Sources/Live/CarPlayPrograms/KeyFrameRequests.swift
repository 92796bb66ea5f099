// swift-iap2 · Apache-2.0

import CarPlaySession

/// When a head unit asks for key frames. By default it asks for none.
public struct KeyFrameRule: Sendable, Hashable {
  /// The number of pictures after which it asks for one; nil for no such number.
  public var interval: Int?
  /// The number that it asks for when the screen rests. Players show a picture only after some later ones.
  public var countAtRest = 0

  /// Creates a rule without requests.
  public init() {}
}

/// The requests of a head unit for key frames of a screen.
struct KeyFrameRequests: Sendable {
  /// The time without a picture after which a screen rests. Ours.
  private static let restTime = Duration.milliseconds(100)

  private let rule: KeyFrameRule
  /// The number of pictures since the last key frame, or since the last request.
  private var count = 0
  /// Whether the next key frame is the answer to a request at rest.
  private var isAwaited = false
  /// The number of requests at rest that are left.
  private var left = 0
  /// The time of the next call of ``handleDeadline(at:)``; nil for none.
  private(set) var deadline: MonotonicTime?

  init(_ rule: KeyFrameRule) { self.rule = rule }

  /// Takes a picture. Returns whether the head unit asks for a key frame now.
  mutating func take(isKeyFrame: Bool, at time: MonotonicTime) -> Bool {
    if rule.countAtRest > 0 {
      if isKeyFrame, isAwaited { isAwaited = false } else { left = rule.countAtRest }
      deadline = left > 0 ? time.advanced(by: Self.restTime) : nil
    }
    guard let interval = rule.interval else { return false }
    count = isKeyFrame ? 0 : count + 1
    guard count >= interval else { return false }
    count = 0
    return true
  }

  /// Handles the rest of the screen. Returns whether the head unit asks for a key frame now.
  mutating func handleDeadline(at time: MonotonicTime) -> Bool {
    guard let deadline, deadline <= time else { return false }
    self.deadline = nil
    left -= 1
    isAwaited = true
    return true
  }
}
