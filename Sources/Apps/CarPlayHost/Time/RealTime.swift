// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Dispatch

/// The relation of a car's clock to the real clock: its start, and its next update.
struct RealTime {
  /// The real and the virtual time at the start.
  let start: ContinuousClock.Instant, base: CarClock.Instant
  /// The time of the next update; nil if none is scheduled.
  var armed: CarClock.Instant?

  /// The longest time between two updates, for sleeps of the app on the car's clock.
  static let longestPause = Duration.milliseconds(50)

  var now: CarClock.Instant { base.advanced(by: start.duration(to: .now)) }
}

/// Real time in place of virtual time, for a phone whose head unit is outside of the process. The car's own delays take
/// real time, and due events run without a call of the owner.
extension CarHost {
  /// Makes the car's clock follow the real clock from now on.
  package func runInRealTime() {
    guard realTime == nil else { return }
    realTime = RealTime(start: .now, base: clock.now)
    events.onSchedule = { [weak self] in self?.armRealTime() }
    armRealTime()
  }

  /// Runs the events that are due by the real clock. Has no effect in virtual time.
  package func catchUp() {
    guard let now = realTime?.now else { return }
    while events.runNext(before: now) {}
    clock.advance(to: now)
  }

  /// Waits until the real clock reaches a time, and runs the due events.
  func waitInRealTime(until end: CarClock.Instant) async {
    while let now = realTime?.now, now < end {
      await withCheckedContinuation { continuation in
        DispatchQueue.main.asyncAfter(deadline: .now() + Self.seconds(now.duration(to: end))) { continuation.resume() }
      }
    }
    catchUp()
  }

  private func armRealTime() {
    guard let realTime else { return }
    let now = realTime.now
    let latest = now.advanced(by: RealTime.longestPause)
    let due = max(now, min(events.nextDue ?? latest, latest))
    if let armed = realTime.armed, armed <= due { return }
    self.realTime?.armed = due
    DispatchQueue.main.asyncAfter(deadline: .now() + Self.seconds(now.duration(to: due))) { [weak self] in
      MainActor.assumeIsolated {
        guard let self else { return }
        if self.realTime?.armed == due { self.realTime?.armed = nil }
        self.catchUp()
        self.armRealTime()
      }
    }
  }

  private static func seconds(_ duration: Duration) -> Double { duration / .seconds(1) }
}
