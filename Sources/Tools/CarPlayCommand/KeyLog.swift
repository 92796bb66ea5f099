// swift-iap2 · Apache-2.0

package import ArgumentParser
import CarPlaySession
import CommandSupport
import Foundation
import Synchronization

/// The file of `--key-log`: the secrets of sessions, a line each, behind the lines that are there. Both sides and later
/// sessions may share a file, as the key logs of TLS do.
package final class KeyLog: Sendable {
  private let path: String
  private let file: FileHandle
  private let problem = Mutex<String?>(nil)

  /// Opens or creates the file. Other users cannot read it.
  init(_ path: String) throws {
    self.path = path
    file = try OutputFile.open(path, isSole: true, appends: true)
    OutputFile.hide(file)
    Output.note("\(path) gets the secrets of the sessions: with them, a capture can be read")
  }

  /// The function that receives the secrets of a runner.
  var receive: @Sendable (AgreedSecret) -> Void { { self.take($0) } }

  /// Writes a secret. After a failure the log drops all further secrets.
  private func take(_ secret: AgreedSecret) {
    problem.withLock { problem in
      guard problem == nil else { return }
      do { try file.write(contentsOf: Data((secret.keyLogLine + "\n").utf8)) } catch {
        problem = InputFile.reason(error)
      }
    }
  }

  /// Throws if a secret could not be written.
  func check() throws {
    guard let reason = problem.withLock({ $0 }) else { return }
    throw CommandFailure(.failed, "cannot write \(path): \(reason); later secrets are not in it")
  }
}

/// The option of a key log.
package struct KeyLogOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Append the secrets of the sessions to this file (mode 0600), a line each, with which a capture can be decrypted.",
      valueName: "file"))
  package var keyLog: String?

  package init() {}

  package var isGiven: Bool { keyLog != nil }

  /// Opens the key log; nil without one.
  package func open() throws -> KeyLog? { try keyLog.map { try KeyLog($0) } }
}
