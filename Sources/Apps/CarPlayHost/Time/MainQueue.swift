// swift-iap2 · Apache-2.0

import Dispatch

/// Waiting until the app's main queue is idle.
///
/// The main queue is first in, first out, so a hop ends when everything before it ran. What ran may have queued more, and
/// work on other threads may come back. So the queue counts as idle after several rounds without a call between app and
/// car. Work that takes real time, such as a network request, is not waited for.
@MainActor
enum MainQueue {
  /// The number of quiet rounds after which the queue counts as idle.
  private static let quietRounds = 3
  /// The number of hops of a round: enough for an `await` that goes to another actor and back.
  private static let hopsPerRound = 2
  /// The number of rounds after which an app that never rests is left alone.
  private static let maximumRounds = 10_000

  /// Waits until the queue is idle. `activity` changes when app and car call each other.
  static func settle(activity: () -> UInt64) async {
    var quiet = 0
    var last = activity()
    for _ in 0..<maximumRounds where quiet < quietRounds {
      for _ in 0..<hopsPerRound { await hop() }
      await Task.detached {}.value
      let now = activity()
      quiet = now == last ? quiet + 1 : 0
      last = now
    }
  }

  private static func hop() async {
    await withCheckedContinuation { continuation in
      DispatchQueue.main.async { continuation.resume() }
    }
  }
}
