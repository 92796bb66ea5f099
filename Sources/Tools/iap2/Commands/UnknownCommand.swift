// swift-iap2 · Apache-2.0

import ArgumentParser
import Basics
import IAP2Capture

/// A word on the command line in the place of a subcommand that does not exist.
struct UnknownCommand {
  /// The error, the names that may be meant, and how the command is used.
  let text: String

  /// - Parameters:
  ///   - arguments: the command line, without the program's name.
  ///   - root: the command that they are given to.
  ///
  /// - Returns: nil if every word in the place of a subcommand is one.
  init?(_ arguments: some Sequence<String>, of root: any ParsableCommand.Type) {
    var command = root
    var path = ["iap2"]
    for word in arguments {
      let all = command.configuration.subcommands.map { (name: $0._commandName, command: $0) }
      // `help` is the parser's own.
      guard !all.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
      guard let next = all.first(where: { $0.name == word }) else {
        let names = all.map(\.name)
        let command = path.joined(separator: " ")
        let known = NearWords.question(word, among: names) ?? "there is \(names.joined(separator: ", "))."
        text = "no subcommand of \(command) is called \"\(word)\"; \(known) `\(command) --help` describes them"
        return
      }
      path.append(word)
      command = next.command
    }
    return nil
  }
}

extension Main {
  /// Returns the error of an option that the command line has and its command has not, with the usage of another error.
  static func unknownOption(_ arguments: [String], _ error: String) -> String? {
    let command = arguments.dropFirst().reduce(Main.self as any ParsableCommand.Type) { command, word in
      command.configuration.subcommands.first { $0._commandName == word } ?? command
    }
    let usage = error.split(separator: "\n").drop { !$0.hasPrefix("Usage:") }.map { "\n" + $0 }.joined()
    return NearWords.unknownOption(in: arguments, help: helpMessage(for: command)).map { $0 + usage }
  }
}
