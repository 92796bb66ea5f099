// swift-iap2 · Apache-2.0

import ArgumentParser
import Foundation

/// The command: parses, runs, and turns every failure into one line and an exit code.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2", abstract: "Both sides of the iAP2 accessory protocol.", version: Version.text,
    subcommands: [
      Run.self, HeadUnitCommand.self, PhoneCommand.self, Bridge.self, Devices.self, Decode.self, Explain.self,
      Diagram.self, Convert.self, Diff.self, ReplayCommand.self, Encode.self, Check.self, Messages.self, Wireshark.self,
      CoprocessorCommand.self, Conformance.self, Simulate.self, SoakCommand.self, Fuzz.self,
    ])

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    fillStandardStreams()
    do {
      var command = try parseAsRoot()
      if var live = command as? any AsyncParsableCommand {
        try await live.run()
      } else {
        try command.run()
      }
      if Output.hasFailed { Foundation.exit(ExitStatus.failed.rawValue) }
    } catch let failure as CommandFailure {
      Output.note(failure.text)
      Foundation.exit(failure.status.rawValue)
    } catch {
      // The parser's own errors know their exit code; anything else that comes here is a defect of ours.
      guard error is ExitCode || exitCode(for: error) != .failure else {
        Output.note("internal error: \(error)")
        Foundation.exit(ExitStatus.software.rawValue)
      }
      exit(withError: error)
    }
  }

  /// Whoever starts us without one of the standard streams would have the first file that we open take its place, and
  /// what is for people would go into a capture. What is put there fails when it is used, as nothing at all would.
  private static func fillStandardStreams() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
      // The lowest number that is free is this one.
      if fcntl(stream, F_GETFD) == -1 { _ = unsafe open("/dev/null", mode) }
    }
  }
}
