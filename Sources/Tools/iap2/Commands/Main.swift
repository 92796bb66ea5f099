// swift-iap2 · Apache-2.0

import ArgumentParser
import CarPlayCommand
import CommandSupport
import Foundation

/// The command `iap2`. Every failure becomes one line on stderr and an exit code.
@main
struct Main: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "iap2", abstract: "Both sides of the iAP2 accessory protocol.", version: Version.text,
    groupedSubcommands: [
      CommandGroup(name: "Sessions", subcommands: [Run.self, HeadUnitCommand.self, PhoneCommand.self, Bridge.self]),
      CommandGroup(name: "CarPlay", subcommands: [CarPlayCommand.self, PairingsCommand.self]),
      CommandGroup(
        name: "Captures",
        subcommands: [
          Decode.self, Explain.self, Diagram.self, Diff.self, ReplayCommand.self, Convert.self, Wireshark.self,
        ]),
      CommandGroup(
        name: "Tests", subcommands: [Check.self, Conformance.self, Fuzz.self, Simulate.self, SoakCommand.self]),
      CommandGroup(name: "Apps", subcommands: [CarCommand.self, LabCommand.self, Port.self]),
      CommandGroup(name: "Messages", subcommands: [Messages.self, Encode.self, Events.self]),
      CommandGroup(name: "Hardware", subcommands: [Devices.self, CoprocessorCommand.self]),
    ])

  static func main() async {
    signal(SIGPIPE, SIG_IGN)
    ProcessLimits.prepare()
    fillStandardStreams()
    // The command whose usage an error shows.
    var kind: any ParsableCommand.Type = Main.self
    do {
      var command = try parseAsRoot()
      kind = type(of: command)
      if var live = command as? any AsyncParsableCommand {
        let isInMemory = live is Run || live is Simulate
        try ProcessLimits.check(
          descriptors: isInMemory ? ProcessLimits.descriptorsOfFiles : ProcessLimits.descriptorsOfTransports)
        try await live.run()
      } else {
        try command.run()
      }
      if Output.hasFailed { leave(ExitStatus.failed.rawValue) }
    } catch let failure as CommandFailure {
      Output.note(failure.text)
      leave(failure.status.rawValue)
    } catch {
      // The parser's own errors have an exit code. Any other error here is a defect of this program.
      guard error is ExitCode || kind.exitCode(for: error) != .failure else {
        Output.note("internal error: \(error)")
        leave(ExitStatus.software.rawValue)
      }
      let isRequest = kind.exitCode(for: error).isSuccess
      if !isRequest, let unknown = UnknownCommand(CommandLine.arguments.dropFirst(), of: Main.self) {
        Output.note(unknown.text)
        leave(ExitStatus.usage.rawValue)
      }
      // Errors repeat arguments. The help and the version are results.
      var text = usage(of: kind, kind.fullMessage(for: error))
      if text.contains("Missing expected"), let option = unknownOption(CommandLine.arguments, text) { text = option }
      if isRequest { Output.text(text + "\n") } else if !text.isEmpty { Output.message(text) }
      leave(kind.exitCode(for: error).rawValue)
    }
  }

  /// Returns a message with the whole name of its command, which the parser does not know once the command runs.
  private static func usage(of kind: any ParsableCommand.Type, _ message: String) -> String {
    guard let path = path(to: kind, from: Main.self) else { return message }
    return message.replacing("\nUsage: \(kind._commandName) ", with: "\nUsage: \(path) ")
      .replacing("See '\(kind._commandName) --help'", with: "See '\(path) --help'")
  }

  private static func path(to kind: any ParsableCommand.Type, from root: any ParsableCommand.Type) -> String? {
    guard kind != root else { return root._commandName }
    for command in root.configuration.subcommands + root.configuration.groupedSubcommands.flatMap(\.subcommands) {
      if let rest = path(to: kind, from: command) { return "\(root._commandName) \(rest)" }
    }
    return nil
  }

  /// Ends the process when everything was printed.
  private static func leave(_ status: Int32) -> Never {
    Output.drain()
    Foundation.exit(status)
  }

  /// Replaces closed standard streams by /dev/null, in the wrong mode, so that their use fails as on a closed stream.
  /// Otherwise the first file that is opened would take the number of the stream, and notices would be written into a
  /// capture.
  private static func fillStandardStreams() {
    for (stream, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)] {
      // `open` returns the lowest free number, which is `stream`.
      if fcntl(stream, F_GETFD) == -1 { _ = unsafe open("/dev/null", mode) }
    }
  }
}
