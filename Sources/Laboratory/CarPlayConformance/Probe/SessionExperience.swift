// swift-iap2 · Apache-2.0

import Synchronization

/// The experience of a run with a peer: whether its sessions work. A step that fails in the ordinary session, too, says
/// nothing about the change of a check.
final class SessionExperience: Sendable {
  private let state = Mutex((hasPlayed: false, hasWorked: false))

  /// Notes an ordinary session.
  ///
  /// - Parameter isWorking: Whether the session got as far as checks need it.
  func note(isWorking: Bool) {
    state.withLock { $0 = (true, $0.hasWorked || isWorking) }
  }

  /// Whether the ordinary session did not get far, and no other one did.
  var neverWorked: Bool { state.withLock { $0.hasPlayed && !$0.hasWorked } }
}
