// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import SchemaSupport
import Testing
import YAMLForms

@testable import IAP2Scenario

/// Tests of the JSON Schema that editors use.
@Suite struct ScenarioSchemaTests {
  static func schema() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(ScenarioSchema.schema().utf8)) as? [String: Any])
  }

  static func fault(_ yaml: String) throws -> String? {
    try SchemaValidator(ScenarioSchema.schema()).fault(YAMLValue(yaml, file: "x.yaml"))
  }

  @Test(arguments: BundledScenarios.names) func aShippedScenarioIsValid(name: String) throws {
    let fault = try Self.fault(try #require(BundledScenarios.text(name)))
    #expect(fault == nil)
  }

  @Test(arguments: BundledProfiles.names) func aShippedProfileIsValid(name: String) throws {
    let fault = try Self.fault(try #require(BundledProfiles.text(name)))
    #expect(fault == nil)
  }

  @Test func theNewStepsAreValid() throws {
    let steps = """
      steps:
        - phone: {write: {text: "TEMP?"}}
        - phone: {write: {hex: "01 02", protocol: a.b.c}}
        - expect: {data: /x/, within: 2}
        - expect: {data: {hex: "01"}, protocol: a.b.c}

      """
    #expect(try Self.fault(DataScenarioTests.headUnit + steps) == nil)
  }

  /// Values that the reader refuses and that an editor marks.
  @Test(
    arguments: [
      "steps:\n  - phone: {battery: {level: 101}}\n", "steps:\n  - headUnit: {press: everything}\n",
      "steps:\n  - phone: {exchange: {bytes: 5}}\n", "steps:\n  - phone: {hangUp: loudly}\n",
      "steps:\n  - expect: {phone: identifed}\n", "steps:\n  - phone: {call: {name: A}}\n",
      "steps:\n  - phone: {write: {text: a, hex: b}}\n", "steps:\n  - wait: long\n",
      "headUnit: {protocols: {a.b.c: sing}}\nsteps: []\n", "headUnit: {protocols: {a.b.c: [{on: x}]}}\nsteps: []\n",
      "role: tablet\n", "link: {window: 200}\n", "quirks: {waitFor: 3}\n", "speed: 3\n",
      "phone: {apps: [{running: true}]}\nsteps: []\n", "headUnit: {track: [[-1, 0, 0]]}\nsteps: []\n",
      "headUnit: {track: [[0, 0]]}\nsteps: []\n", "headUnit: {track: [[0, 0, 0, 0, 0, 0]]}\nsteps: []\n",
    ])
  func whatTheReaderRefusesIsMarked(yaml: String) throws {
    #expect(try Self.fault(yaml) != nil)
    #expect(throws: ScenarioProblem.self) {
      if yaml.contains("steps:") {
        _ = try Scenario(yaml: yaml, file: "x")
      } else {
        _ = try Profile(yaml: yaml, file: "x")
      }
    }
  }

  @Test func everyStepHasASchemaOfItsArgument() throws {
    let definitions = try #require(try Self.schema()["$defs"] as? [String: Any])
    for name in ["headUnitStep", "phoneStep", "step"] {
      let step = try #require(definitions[name] as? [String: Any])
      for (verb, argument) in try #require(step["properties"] as? [String: Any]) {
        #expect(argument is [String: Any], "\(name) \(verb)")
      }
    }
  }
}
