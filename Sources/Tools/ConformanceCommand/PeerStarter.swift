// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Synchronization

/// The command of `--restart`, which starts the peer of a run.
package final class PeerStarter: Sendable {
  private let command: String
  private let running = Mutex<ShellCommand?>(nil)

  /// Creates a starter that has started nothing.
  package init(_ command: String) { self.command = command }

  /// Throws an error about the option if there is nothing to start.
  package static func check(_ command: String, transport: String?) throws {
    guard transport != "loopback" else {
      throw ValidationError("--restart starts a peer of yours: loopback is this program's other role")
    }
    guard command.contains(where: { !$0.isWhitespace }) else {
      throw ValidationError("--restart takes a shell command; this one is empty")
    }
  }

  /// Starts the peer, and ends what was started before. A failure is shown: the peer then stays away, which the report
  /// says.
  package func startOrReport() {
    end()
    do {
      let started = try ShellCommand(command, failure: "--restart: cannot start the peer")
      running.withLock { $0 = started }
    } catch { Output.note("\(error)") }
  }

  /// How the started peer crashed, in words; nil if it runs, or ended in another way.
  package var crash: String? {
    running.withLock { running in
      guard let signal = running?.signal, let name = Self.crashes[signal] else { return nil }
      return "its process ended with \(name)"
    }
  }

  /// The signals of a crash.
  private static let crashes: [Int32: String] = [
    4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 11: "SIGSEGV",
  ]

  /// Ends what was started.
  package func end() {
    let last = running.withLock { running in
      defer { running = nil }
      return running
    }
    last?.end()
  }
}
