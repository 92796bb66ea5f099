// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import IAP2Transport
import Synchronization

/// Notices that nothing comes any more. One timer runs for all of a session: a sleep that is cancelled stays in memory until
/// its time, so that one for each piece would be many.
final class StallWatch: Sendable {
  private let count = Atomic(0)

  /// Something has come.
  func note() { count.add(1, ordering: .relaxed) }

  /// Closes a session to which nothing has come between two looks; returns then, or when it is cancelled.
  func closeWhenStalled(_ stream: ExternalAccessoryStream, _ clock: any RuntimeClock, milliseconds: Int) async {
    var seen: Int?
    while case let now = count.load(ordering: .relaxed), now != seen {
      seen = now
      do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch { return }
    }
    await stream.close()
  }
}
