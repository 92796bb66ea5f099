// swift-iap2 · Apache-2.0

import Foundation
package import YAMLForms

/// A validator of YAML against a JSON Schema, with the keywords that the schemas of this package use.
package struct SchemaValidator {
  private let root: [String: Any]

  /// Creates a validator for a schema in JSON.
  package init(_ schema: String) throws {
    root = try JSONSerialization.jsonObject(with: Data(schema.utf8)) as? [String: Any] ?? [:]
  }

  /// Returns the place of the first fault; nil if the value is valid.
  package func fault(_ yaml: YAMLValue) throws -> String? { fault(try Self.value(yaml), root) }

  /// Returns a value of YAML as an editor sees it. A scalar that could be a number or a truth value is one.
  private static func value(_ yaml: YAMLValue) throws -> Any {
    if yaml.isMapping {
      return try Dictionary(uniqueKeysWithValues: yaml.entries().map { ($0.name, try value($0.value)) })
    }
    if yaml.isList { return try yaml.list().map(value) }
    let text = try yaml.text(atMost: 1 << 20)
    if ["true", "false"].contains(text) { return text == "true" }
    return Double(text).map { $0 as Any } ?? text
  }

  /// Returns the place of the first fault; nil if the value is valid.
  private func fault(_ value: Any, _ schema: Any, at place: String = "") -> String? {
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
    if let choices = schema["anyOf"] as? [Any], choices.allSatisfy({ fault(value, $0) != nil }) {
      return "\(place): none of \(choices.count)"
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
      if let places = schema["prefixItems"] as? [Any] {
        guard list.count <= places.count else { return "\(place): long" }
        return zip(list, places).lazy.compactMap { fault($0, $1, at: place) }.first
      }
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
