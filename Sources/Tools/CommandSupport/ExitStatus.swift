// swift-iap2 · Apache-2.0

package import ArgumentParser

/// The exit codes of the command, from sysexits.h where one fits.
package enum ExitStatus: Int32 {
  case done = 0
  /// The session or the check failed.
  case failed = 1
  case usage = 64
  case badInput = 65
  case noInput = 66
  case unavailable = 69
  case software = 70
  /// The system refused files, memory or threads.
  case system = 71
  case noPermission = 77
  /// A second Ctrl-C.
  case interrupted = 130

  package var code: ExitCode { ExitCode(rawValue) }
}

/// A failure of the command: an exit code and one line for stderr.
package struct CommandFailure: Error {
  package var status: ExitStatus
  package var text: String

  /// The failure of work on threads of which the system could start none.
  package static let noThread = CommandFailure(
    .system, "the system starts no thread; raise the limit of memory, for example with `ulimit -v unlimited`")

  package init(_ status: ExitStatus, _ text: String) {
    self.status = status
    self.text = text
  }
}
