// swift-iap2 · Apache-2.0

import Foundation
import Testing

/// The interface that scripts rely on: commands, options, JSON keys and the output of the shipped scenarios.
///
/// The golden files are the contract. A change in them is a change for users, and its commit states the reason.
@Suite(.ownTurn) struct InterfaceTests {
  @Test func everyCommandHasTheOptionsOfTheContract() async throws {
    let outcome = try await Command.run("--experimental-dump-help")
    let help = try JSONDecoder().decode(Help.self, from: Data(outcome.output.utf8))
    try expectGolden(help.command.lines(prefix: []).joined(separator: "\n"), "interface/options.txt")
  }

  static let scenarios = [
    "accessory", "alert-shown", "apps", "both-signals", "calls", "carplay-app", "carplay-call", "carplay-drive",
    "carplay-guidance", "carplay-icon",
    "carplay-knob", "carplay-last-mode", "carplay-night",
    "carplay-radio", "carplay-reverse", "carplay-siri", "carplay-song",
    "carplay-charging", "carplay-two-phones", "charging", "charging-pad", "day", "devices",
    "engine-start", "full-battery", "late-notice", "launch", "library", "location", "lossy-platform",
    "lost-notification", "music", "no-charge", "noticed-pull", "power-port", "replug", "route", "rules", "wall-charger",
    "wired-carplay", "wireless", "wireless-carplay", "wireless-end", "wireless-lost", "wireless-reconnect",
    "wireless-second-phone",
  ]

  @Test(arguments: scenarios) func aBundledScenarioPrintsTheGoldenOutput(name: String) async throws {
    let outcome = try await Command.run("run", name)
    #expect(outcome.status == 0)
    try expectGolden(outcome.output, "interface/\(name).txt")
  }

  @Test func everyKindOfEventHasTheKeysOfTheContract() async throws {
    var keys: [String: Set<String>] = [:]
    for name in Self.scenarios {
      let outcome = try await Command.run("run", name, "--json")
      #expect(outcome.status == 0)
      for line in outcome.output.split(separator: "\n") {
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        keys[object["event"] as? String ?? "", default: []].formUnion(object.keys)
      }
    }
    let lines = keys.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.sorted().joined(separator: " "))" }
    try expectGolden(lines.joined(separator: "\n"), "interface/keys.txt")
  }
}

/// The compared part of the output of `--experimental-dump-help` (swift-argument-parser).
private struct Help: Decodable {
  struct Command: Decodable {
    var commandName: String
    var arguments: [Argument]?
    var subcommands: [Command]?
  }

  struct Argument: Decodable {
    struct Name: Decodable {
      var kind: String
      var name: String
    }

    var kind: String
    var names: [Name]?
    var valueName: String?
    var isOptional: Bool
    var isRepeating: Bool
    var defaultValue: String?
    var allValues: [String]?
  }

  var command: Command
}

extension Help.Command {
  /// Returns a line for each command and for each argument, in order.
  func lines(prefix: [String]) -> [String] {
    let path = prefix + [commandName]
    return [path.joined(separator: " ")] + (arguments ?? []).map { "  \($0.line)" }
      + (subcommands ?? []).flatMap { $0.lines(prefix: path) }
  }
}

extension Help.Argument {
  var line: String {
    let named = (names ?? []).map { ($0.kind == "long" ? "--" : "-") + $0.name }.joined(separator: ", ")
    var text = kind == "positional" ? "<\(valueName ?? "")>" : named
    if kind == "option" { text += " <\(valueName ?? "")>" }
    if isRepeating { text += " …" }
    if !isOptional { text += " (required)" }
    if let defaultValue { text += " = \(defaultValue)" }
    if let allValues { text += " [\(allValues.joined(separator: " "))]" }
    return text
  }
}
