// swift-iap2 · Apache-2.0

import CarPlay
import Dispatch

/// Waiting until the app's main queue is idle.
///
/// The main queue is first in, first out, so a hop ends when everything before it ran. What ran may have queued more,
/// and work on other threads may come back. So the queue counts as idle after several rounds without a call between app
/// and car. Work that takes real time, such as a network request, is not waited for.
@MainActor
enum MainQueue {
  /// The number of quiet rounds after which the queue counts as idle: enough for an `await` of an `await` of the app.
  static let thorough = 3
  /// The number of quiet rounds between two of the host's own events.
  static let brief = 1
  /// The number of rounds after which an app that never rests is left alone.
  private static let maximumRounds = 10_000

  /// Waits until the queue is idle. `activity` changes when app and car call each other. No round is quiet while a sleep
  /// of the clock is over that has not returned, or a task has the car's answer and has not gone on: its thread may wait
  /// for a processor. An app's own continuation may be late on a busy machine: nothing tells that it was resumed.
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

  /// Goes to the other threads, where an app's `await` may be, and back through the main dispatch queue, which jobs of
  /// the main actor may pass by on Linux.
  private static func hop() async {
    await withCheckedContinuation { continuation in
      Task.detached { DispatchQueue.main.async { continuation.resume() } }
    }
  }
}
