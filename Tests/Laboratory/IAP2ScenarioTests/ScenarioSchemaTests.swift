// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import Testing

@testable import IAP2Scenario

/// Tests of the JSON Schema that editors use.
@Suite struct ScenarioSchemaTests {
  static func schema() throws -> [String: Any] {
    try #require(try JSONSerialization.jsonObject(with: Data(ScenarioSchema.schema().utf8)) as? [String: Any])
  }

  /// Returns a value of YAML as an editor sees it. A scalar that could be a number or a truth value is one.
  static func value(_ yaml: YAMLValue) throws -> Any {
    if yaml.isMapping {
      return try Dictionary(uniqueKeysWithValues: yaml.entries().map { ($0.name, try value($0.value)) })
    }
    if yaml.isList { return try yaml.list().map(value) }
    let text = try yaml.text(atMost: 1 << 20)
    if ["true", "false"].contains(text) { return text == "true" }
    return Double(text).map { $0 as Any } ?? text
  }

  static func value(_ text: String) throws -> Any { try value(YAMLValue(text, file: "x.yaml", files: .none)) }

  // MARK: A validator of the keywords that the schema uses

  struct Validator {
    let root: [String: Any]

    /// Returns the place of the first fault; nil if the value is valid.
    func fault(_ value: Any, _ schema: Any, at place: String = "") -> String? {
      if let flag = schema as? Bool { return flag ? nil : place }
      guard let schema = schema as? [String: Any] else { return "\(place): no schema" }
      if let name = schema["$ref"] as? String {
        let definitions = root["$defs"] as? [String: Any]
        guard let found = definitions?[String(name.dropFirst("#/$defs/".count))] else { return "\(place): no \(name)" }
        return fault(value, found, at: place)
      }
      if let condition = schema["if"] {
        let branch = fault(value, condition) == nil ? schema["then"] : schema["else"]
        return fault(value, branch as Any, at: place)
      }
      if let choices = schema["anyOf"] as? [Any] {
        return choices.contains { fault(value, $0) == nil } ? nil : "\(place): none of \(choices.count)"
      }
      if let choices = schema["enum"] as? [Any] {
        return choices.contains { "\($0)" == Self.text(value) } ? nil : "\(place): not in the list"
      }
      if let constant = schema["const"] { return Self.text(constant) == Self.text(value) ? nil : "\(place): not const" }
      return typeFault(value, schema, place) ?? partFault(value, schema, place)
    }

    private static func text(_ value: Any) -> String {
      if let flag = value as? Bool { return "\(flag)" }
      if let number = value as? Double, number == number.rounded() { return "\(Int(number))" }
      return "\(value)"
    }

    private func typeFault(_ value: Any, _ schema: [String: Any], _ place: String) -> String? {
      let types = schema["type"] as? [String] ?? (schema["type"] as? String).map { [$0] } ?? []
      let isKnown =
        types.isEmpty
        || types.contains { type in
          switch type {
          case "object": value is [String: Any]
          case "array": value is [Any]
          case "string": value is String
          case "boolean": value is Bool
          case "number": value is Double
          default: (value as? Double).map { $0 == $0.rounded() } ?? false
          }
        }
      guard isKnown else { return "\(place): not \(types.joined(separator: " or "))" }
      if let pattern = schema["pattern"] as? String, let text = value as? String {
        guard (try? Regex(pattern).firstMatch(in: text)) != nil else { return "\(place): not \(pattern)" }
      }
      if let number = value as? Double {
        if let least = schema["minimum"] as? Double, number < least { return "\(place): below" }
        if let most = schema["maximum"] as? Double, number > most { return "\(place): above" }
      }
      return nil
    }

    private func partFault(_ value: Any, _ schema: [String: Any], _ place: String) -> String? {
      if let list = value as? [Any] {
        if let least = schema["minItems"] as? Int, list.count < least { return "\(place): short" }
        if let most = schema["maxItems"] as? Int, list.count > most { return "\(place): long" }
        guard let items = schema["items"] else { return nil }
        return list.enumerated().lazy.compactMap { fault($0.element, items, at: "\(place).\($0.offset)") }.first
      }
      guard let object = value as? [String: Any] else { return nil }
      for key in schema["required"] as? [String] ?? [] where object[key] == nil { return "\(place): no \(key)" }
      if let least = schema["minProperties"] as? Int, object.count < least { return "\(place): too few" }
      if let most = schema["maxProperties"] as? Int, object.count > most { return "\(place): too many" }
      let properties = schema["properties"] as? [String: Any] ?? [:]
      for (key, value) in object.sorted(by: { $0.key < $1.key }) {
        guard let inner = properties[key] ?? schema["additionalProperties"] else { continue }
        if let fault = fault(value, inner, at: "\(place).\(key)") { return fault }
      }
      return nil
    }
  }

  static func fault(_ yaml: String) throws -> String? {
    let root = try schema()
    return Validator(root: root).fault(try value(yaml), root)
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
      "phone: {apps: [{running: true}]}\nsteps: []\n",
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
