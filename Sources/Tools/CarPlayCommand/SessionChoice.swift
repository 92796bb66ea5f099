// swift-iap2 · Apache-2.0

import ArgumentParser

/// The choice of a connection or of a CarPlay session of a capture.
package enum SessionChoice {
  /// Checks the numbers of `--connection` and `--session`.
  package static func validate(connection: Int?, session: Int?) throws {
    guard connection ?? 1 >= 1 else { throw ValidationError("--connection takes a number from 1") }
    guard session ?? 1 >= 1 else { throw ValidationError("--session takes a number from 1") }
    guard connection == nil || session == nil else { throw ValidationError("give --connection or --session") }
  }
}
