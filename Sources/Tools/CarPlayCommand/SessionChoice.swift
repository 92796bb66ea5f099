// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport

/// The choice of a connection or of a CarPlay session of a capture.
package enum SessionChoice {
  /// Checks the numbers of `--connection` and `--session`.
  package static func validate(connection: Int?, session: Int?) throws {
    guard connection ?? 1 >= 1 else { throw ValidationError("--connection takes a number from 1") }
    guard session ?? 1 >= 1 else { throw ValidationError("--session takes a number from 1") }
    guard connection == nil || session == nil else { throw ValidationError("give --connection or --session") }
  }

  /// Returns the error about a session that a capture does not have.
  ///
  /// - Parameter count: The number of its sessions.
  static func missing(_ session: Int, in path: String, count: Int) -> CommandFailure {
    let found = count == 0 ? "no CarPlay session" : "\(count) CarPlay session\(count == 1 ? "" : "s")"
    return CommandFailure(.badInput, "\(path) has \(found), so there is no session \(session)")
  }
}
