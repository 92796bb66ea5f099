// swift-iap2 · Apache-2.0

import CarPlay
import Dispatch

/// The wait for an idle main queue of the app.
///
/// The main queue is first in, first out, so a hop ends after all earlier work has run. That work may have queued more,
/// and work on other threads may return to the queue. So the queue counts as idle after several rounds without a call
/// between app and car. Work that takes real time, such as a network request, is not waited for here, see
/// `CarHost.waitForAnswers()`.
@MainActor
package enum MainQueue {
  /// The number of quiet rounds after which the queue counts as idle. It is enough for a nested `await` of the app.
  static let thorough = 3
  /// The number of quiet rounds between two of the host's own events.
  static let brief = 1
  /// The number of rounds after which the wait ends for an app that never becomes idle.
  private static let maximumRounds = 10_000

  /// Waits until the queue is idle. `activity` changes when app and car call each other. A round is not quiet while an
  /// ended sleep of the clock has not returned, or while a task that got the car's answer has not resumed, because its
  /// thread may wait for a processor. An app's own continuation may be late on a busy machine; the host cannot detect
  /// it.
  static func settle(_ quietRounds: Int, _ clock: CarClock, activity: () -> UInt64) async {
    var quiet = 0
    var last = activity()
    var round = 0
    while quiet < quietRounds, round < maximumRounds {
      round += 1
      await hop()
      let now = activity()
      let isQuiet = now == last && !clock.isWaking && !AnsweredTasks.areThere
      quiet = isQuiet ? quiet + 1 : 0
      last = now
    }
  }

  /// Lets the queue do its work for a millisecond.
  package static func nap() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(1)) { continuation.resume() }
    }
  }

  /// Hops to the other threads, where an app's `await` may run, and back through the main dispatch queue. On Linux,
  /// jobs of the main actor may bypass that queue.
  private static func hop() async {
    await withCheckedContinuation { continuation in
      Task.detached { DispatchQueue.main.async { continuation.resume() } }
    }
  }
}
