// swift-iap2 · Apache-2.0

import Foundation
import IAP2Scenario
import SchemaSupport
import Testing
import YAMLForms

@testable import CarPlayControl

/// Tests of the common list and the common schema of all scenarios.
@Suite struct ScenarioListTests {
  private static func fault(_ yaml: String) throws -> String? {
    try SchemaValidator(ScenarioList.schema).fault(YAMLValue(yaml, file: "x.yaml"))
  }

  @Test(arguments: BundledCarScenarios.names) func aBundledScenarioIsValid(name: String) throws {
    #expect(try Self.fault(try #require(BundledCarScenarios.text(name))) == nil)
  }

  @Test("The schema that the command prints accepts each scenario of `iap2 run`", arguments: BundledScenarios.names)
  func aSessionIsValid(name: String) throws {
    #expect(try Self.fault(try #require(BundledScenarios.text(name))) == nil)
  }

  @Test("The schema accepts what the reader accepts, in every scenario of an example")
  func theExamplesAreValid() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
    let files = try #require(
      FileManager.default.enumerator(at: root.appending(path: "Examples"), includingPropertiesForKeys: nil))
    var count = 0
    for case let file as URL in files where file.pathExtension == "yaml" && !file.path().contains("/.build") {
      let text = try String(contentsOf: file, encoding: .utf8)
      guard text.contains("\nsteps:") else { continue }
      count += 1
      #expect(throws: Never.self, "\(file)") { try CarScenario(yaml: text, file: file.path()) }
      #expect(try Self.fault(text) == nil, "\(file)")
    }
    #expect(count >= 4)
  }

  @Test(
    arguments: [
      "app: a\nsteps:\n  - tap: {kind: row}\n", "app: a\nsteps:\n  - unplug: {noticed: perhaps}\n",
      "app: a\nsteps:\n  - expect: {screen: {kinds: list}}\n", "app: a\nsteps: []\n",
      "app: a\nsteps:\n  - expect: {front: nobody}\n", "app: a\nsteps:\n  - wait: 1e9\n",
      "steps:\n  - wait: 1\n  - fly: true\n", "app: a\nsteps:\n  - expect: {headUnit: {}}\n",
      "app: a\nsteps:\n  - expect: {}\n",
    ])
  func whatTheReaderRefusesIsMarked(yaml: String) throws {
    #expect(try Self.fault(yaml) != nil)
    #expect(throws: (any Error).self) { try CarScenario(yaml: yaml, file: "x.yaml") }
  }

  /// The steps of both kinds of scenarios are in the list with their arguments.
  @Test func theListHasEveryVerb() throws {
    let sections = ScenarioList.sections
    let names = Set(sections.flatMap { $0.entries.map(\.name) })
    for name in ["day", "first-connect", "printer", "hd", "cut", "navigate", "dial", "touch", "duck", "tapAt", "part"] {
      #expect(names.contains(name), "\(name)")
    }
    let battery = try #require(sections.flatMap(\.entries).first { $0.name == "battery" })
    #expect(battery.values.contains("level: a whole number from 0 to 100 (optional)"))
    let tap = try #require(sections.flatMap(\.entries).first { $0.name == "tapAt" })
    #expect(tap.values == ["index: a whole number from 0 to 10000", "kind: part"])
  }
}
