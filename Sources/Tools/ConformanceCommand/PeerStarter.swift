// swift-iap2 · Apache-2.0

import ArgumentParser
import CommandSupport
import Synchronization

/// The command of `--restart`, which starts the peer of a run.
package final class PeerStarter: Sendable {
  private let command: String
  private let running = Mutex<ShellCommand?>(nil)
  /// How the last peer ended before it was started again.
  private let noted = Mutex<(text: String, isCrash: Bool)?>(nil)

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
    if let words = words(signalsOnly: false) { noted.withLock { $0 = words } }
    end()
    do {
      let started = try ShellCommand(command, failure: "--restart: cannot start the peer")
      running.withLock { $0 = started }
    } catch { Output.note("\(error)") }
  }

  /// Returns how the started peer failed since the last call, in words, and starts it again; nil if it did not.
  ///
  /// - Parameter signalsOnly: Whether an exit status is no failure, as that of a phone whose session was refused.
  package func takeFailure(signalsOnly: Bool) -> String? {
    let isOver = words(signalsOnly: signalsOnly) != nil
    if isOver { startOrReport() }
    let words = noted.withLock { noted in
      defer { noted = nil }
      return noted
    }
    guard let words else { return nil }
    return signalsOnly && !words.isCrash ? nil : words.text
  }

  /// How the started peer ended; nil if it runs, or ended in order.
  private func words(signalsOnly: Bool) -> (text: String, isCrash: Bool)? {
    running.withLock { running in
      guard let running, running.waitForExit(0) else { return nil }
      if let signal = running.signal {
        return Self.crashes[signal].map { ("its process ended with \($0)", true) }
      }
      return running.status == 0 || signalsOnly ? nil : ("its process ended with status \(running.status)", false)
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
