// swift-iap2 · Apache-2.0

package import ArgumentParser
package import CarPlaySession
import CommandSupport
import Foundation
import Synchronization

/// The file of `--key-log`: the secrets of sessions, a line each. They are appended, so both sides and later sessions
/// may share a file, as the key logs of TLS do.
package final class KeyLog: Sendable {
  private struct State {
    var hasBegun = false
    var isComplete = true
  }

  private let path: String
  private let file: FileHandle
  private let state = Mutex(State())
  /// The capture that gets the secrets, too; nil for none.
  private let capture: SocketTap?

  /// Opens or creates the file. ``begin()`` hides an older one from other users, when all files of the command are known.
  init(_ path: String, capture: SocketTap?) throws {
    (self.path, self.capture) = (path, capture)
    file = try OutputFile.open(path, isSole: true, appends: true, isPrivate: true)
  }

  /// Whether all secrets were written.
  package var isComplete: Bool { state.withLock { $0.isComplete } }

  /// Throws if a secret could not be written. The reason was reported before.
  package func check() throws {
    guard isComplete else { throw CommandFailure(.failed, "\(path) does not have all secrets of the sessions") }
  }

  /// Sets the mode of the file, once.
  package func begin() throws {
    let isFirst = state.withLock { state in
      defer { state.hasBegun = true }
      return !state.hasBegun
    }
    guard isFirst else { return }
    try OutputFile.hide(file, path)
    Output.note("\(path) gets the secrets of the sessions: with them, a capture can be read")
  }

  /// The function that receives the secrets of a runner.
  package var receive: @Sendable (AgreedSecret) -> Void { { self.take($0) } }

  /// Writes a secret. The first failure is reported, and drops all further secrets.
  private func take(_ secret: AgreedSecret) {
    capture?.writeSecrets(Array((secret.keyLogLine + "\n").utf8))
    state.withLock { state in
      guard state.isComplete else { return }
      do { try file.write(contentsOf: Data((secret.keyLogLine + "\n").utf8)) } catch {
        state.isComplete = false
        Output.note("cannot write \(path): \(InputFile.reason(error)); free space, or name another file with --key-log")
      }
    }
  }
}

/// The option of a key log.
package struct KeyLogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append each secret of the sessions to this file (mode 0600) as a line; a capture can be decrypted with it. With --capture, the capture gets them, too.",
      valueName: "file"), completion: .file())
  package var keyLog: String?

  package init() {}

  package var isGiven: Bool { keyLog != nil }

  /// Throws if the key log is given for a scenario without a session.
  package func check(hasSession: Bool) throws {
    guard hasSession || !isGiven else {
      throw CommandFailure(.usage, "--key-log needs a scenario with a CarPlay session: `carPlay: true` gives it one")
    }
  }

  /// Opens the key log; nil without one.
  ///
  /// - Parameter capture: The capture that gets the secrets, too.
  package func open(beside capture: SocketTap?) throws -> KeyLog? {
    try keyLog.map { try KeyLog($0, capture: capture) }
  }
}
