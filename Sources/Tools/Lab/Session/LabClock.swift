// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Transport

/// The pace of a session whose both ends are ours: its virtual time stands still, or passes at a multiple of real time.
///
/// Events have the order of virtual time at any speed. Only the steps of the page depend on real time.
///
/// Invariant for `@unchecked`: the variables are used only while the condition is locked.
final class LabClock: VirtualPace, @unchecked Sendable {
  private let condition = NSCondition()
  /// The time at a moment of real time, from which it passes.
  private var time = MonotonicTime.zero
  private var since = ContinuousClock.now
  private var isPaused: Bool
  private var speed: Double
  private var isWoken = false
  /// Whether the session ends, which takes no real time.
  private var isEnding = false
  /// The time at which something happens next, while the session waits for it.
  private var deadline: MonotonicTime?

  /// The real time by which a session may be late.
  private static let longestLag = Duration.milliseconds(250)

  init(isPaused: Bool, speed: Double) { (self.isPaused, self.speed) = (isPaused, speed) }

  private var present: MonotonicTime { isPaused ? time : time.advanced(by: since.duration(to: .now) * speed) }

  private func change<Result>(_ body: () -> Result) -> Result {
    condition.lock()
    defer { condition.unlock() }
    return body()
  }

  /// The time of the session.
  var now: MonotonicTime { change { present } }

  var pace: (isPaused: Bool, speed: Double) { change { (isPaused, speed) } }

  /// Changes whether the time stands still, and how fast it passes.
  func set(isPaused: Bool, speed: Double) {
    change {
      (time, since) = (present, .now)
      (self.isPaused, self.speed) = (isPaused, speed)
      condition.signal()
    }
  }

  /// Moves a time that stands still to the next moment at which something happens. Returns false if there is none.
  func jump() -> Bool {
    change {
      guard let deadline else { return false }
      (time, since) = (max(present, deadline), .now)
      condition.signal()
      return true
    }
  }

  /// Lets the session end: its last waits take no real time, also if the time stands still.
  func finish() {
    change {
      isEnding = true
      condition.signal()
    }
  }

  func wake() {
    change {
      isWoken = true
      condition.signal()
    }
  }

  func wait(for deadline: MonotonicTime?, now: MonotonicTime) -> MonotonicTime {
    change {
      self.deadline = deadline
      defer { self.deadline = nil }
      while true {
        let present = present
        if let deadline, isEnding || present >= deadline {
          // A session that does not keep up must not run on behind a pause.
          if deadline.duration(to: present) > Self.longestLag * speed { (time, since) = (deadline, .now) }
          return deadline
        }
        if isWoken {
          isWoken = false
          return present
        }
        guard !isPaused, let deadline else {
          condition.wait()
          continue
        }
        let left = present.duration(to: deadline) / .seconds(1) / speed
        _ = condition.wait(until: Date(timeIntervalSinceNow: left))
      }
    }
  }
}
