// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import IAP2Transport
import Synchronization

/// A detector of EA sessions on which no bytes arrive. One timer serves the whole session, because a cancelled sleep
/// stays in memory until its deadline.
final class StallDetector: Sendable {
  private let count = Atomic(0)

  /// Records that bytes have arrived.
  func note() { count.add(1, ordering: .relaxed) }

  /// Closes the session when no bytes arrived for a whole interval of this length. Returns then, or after a
  /// cancellation.
  func closeWhenStalled(_ stream: ExternalAccessoryStream, _ clock: any RuntimeClock, milliseconds: Int) async {
    var seen: Int?
    while case let now = count.load(ordering: .relaxed), now != seen {
      seen = now
      do { try await clock.sleep(until: clock.now.adding(milliseconds: milliseconds)) } catch { return }
    }
    await stream.close()
  }
}
