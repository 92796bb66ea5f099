// swift-iap2 · Apache-2.0

import Foundation
import Glibc

/// A shell command of the user that runs beside the program. What it prints goes to standard error, because the standard
/// output of the program is for its events.
///
/// Invariant for `@unchecked`: the process is set once, and its functions may be called from any thread.
package final class ShellCommand: @unchecked Sendable {
  private let process = Process()

  /// Starts a command.
  ///
  /// - Parameters:
  ///   - input: what the command reads.
  ///   - environment: what the command's environment has beside this program's.
  ///   - name: the option and the purpose, such as `--restart: cannot start the peer`, for the failure.
  ///   - onEnd: gets the exit status at the end of the command, on any thread.
  package init(
    _ command: String, input: Any? = FileHandle.nullDevice, environment: [String: String] = [:], failure name: String,
    onEnd: (@Sendable (Int32) -> Void)? = nil
  ) throws {
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", command]
    if !environment.isEmpty {
      process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    }
    process.standardInput = input
    process.standardOutput = FileHandle.standardError
    if let onEnd { process.terminationHandler = { onEnd($0.terminationStatus) } }
    do { try process.run() } catch { throw CommandFailure(.system, "\(name): \(InputFile.reason(error))") }
  }

  /// The exit status; valid after the end.
  package var status: Int32 { process.terminationStatus }

  /// The signal that ended the command, as the shell reports it or itself got it; nil while it runs, and after an exit.
  package var signal: Int32? {
    guard !process.isRunning else { return nil }
    if process.terminationReason == .uncaughtSignal { return status }
    return status > 128 ? status - 128 : nil
  }

  /// Ends the command and the processes that it started: with SIGTERM, and after a second with SIGKILL.
  package func end() {
    signal(SIGTERM)
    if !waitForExit(1) { signal(SIGKILL) }
  }

  /// Waits for the end. Returns false if the command still runs after this time.
  package func waitForExit(_ seconds: Double) -> Bool {
    let end = Date().addingTimeInterval(seconds)
    while process.isRunning, Date() < end { usleep(20_000) }
    return !process.isRunning
  }

  private func signal(_ number: Int32) {
    guard process.isRunning else { return }
    let id = process.processIdentifier
    kill(getpgid(id) == id ? -id : id, number)
  }
}
