// swift-iap2 · Apache-2.0

import CommandSupport
import Glibc
import Synchronization

/// The state of a head unit's window. A user who closes it goes on without a picture.
final class ShownWindow: Sendable {
  private enum State {
    case shown
    /// The command ends, and with it the player.
    case ending
    /// The user has closed the window.
    case closed
    /// The player has failed.
    case failed
  }

  private let state = Mutex(State.shown)
  private let input: WindowInput?

  /// The time in microseconds between two looks, and the number of looks, for the end of a player that reads no more.
  private static let look: UInt32 = 10_000, lookCount = 200

  init(_ input: WindowInput?) { self.input = input }

  /// Whether pictures are shown.
  var isShown: Bool { state.withLock { $0 == .shown || $0 == .ending } }

  /// Whether the player has failed.
  var hasFailed: Bool { state.withLock { $0 == .failed } }

  /// Takes the exit status of the player.
  func ended(_ status: Int32) {
    let isEarly = state.withLock { state in
      guard state == .shown else { return false }
      state = status == 0 ? .closed : .failed
      return true
    }
    guard isEarly else { return }
    input?.release()
    Output.note(
      status == 0
        ? "the window of --screen was closed; the session goes on without it"
        : "the player of --screen window ended with \(status); the session goes on without a window")
  }

  /// Waits a little for the end of a player that reads no more. Returns whether it has ended.
  func waitForEnd() -> Bool {
    for _ in 0..<Self.lookCount where isShown { usleep(Self.look) }
    return !isShown
  }

  /// Ends the window with the command. Returns whether it was shown until now.
  func finish() -> Bool {
    state.withLock { state in
      guard state == .shown else { return false }
      state = .ending
      return true
    }
  }
}
