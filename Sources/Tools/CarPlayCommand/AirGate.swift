// swift-iap2 · Apache-2.0

package import CarPlaySession
import Synchronization

/// Keeps a link over Bluetooth from being dialed again while its CarPlay session goes on without it.
///
/// After a loss the network comes first, and Bluetooth next; after an end in order neither side calls
/// (CarPlayStart.md#reconnect).
package final class AirGate: Sendable {
  private enum State: Sendable {
    case open
    case session
    case lost(until: ContinuousClock.Instant)
    case ended
    case stopped
  }

  private let state = Mutex(State.open)
  /// The time after a loss in which the pair may meet on the network. Ours.
  private static let networkTime = Duration.seconds(15)
  private static let interval = Duration.milliseconds(100)

  package init() {}

  /// Takes an event of the session.
  package func take(_ event: SessionEvent) {
    state.withLock { state in
      if case .stopped = state { return }
      switch (state, event) {
      case (_, .state(.setUp)): state = .session
      case (.session, .ended(let end, _)): state = end.isLoss ? .lost(until: .now + Self.networkTime) : .ended
      default: break
      }
    }
  }

  /// Opens the gate for good, because the user ends the command.
  package func stop() { state.withLock { $0 = .stopped } }

  /// Returns when the other side may be dialed.
  package func wait() async {
    while !isOpen(at: .now) {
      do { try await Task.sleep(for: Self.interval) } catch { return }
    }
  }

  /// Returns when nothing goes on any more without a link.
  ///
  /// - Parameter finds: Whether the two may meet again on the network, until the user ends the command.
  package func waitForEnd(finds: Bool) async {
    while goesOn(finds) {
      do { try await Task.sleep(for: Self.interval) } catch { return }
    }
  }

  private func goesOn(_ finds: Bool) -> Bool {
    state.withLock { state in
      switch state {
      case .stopped: false
      case .session: true
      case .open, .lost, .ended: finds
      }
    }
  }

  /// Whether the other side may be dialed at a time.
  func isOpen(at time: ContinuousClock.Instant) -> Bool {
    state.withLock { state in
      switch state {
      case .open, .stopped: return true
      case .session, .ended: return false
      case .lost(let end):
        guard end <= time else { return false }
        state = .open
        return true
      }
    }
  }
}
