// swift-iap2 · Apache-2.0

/// A part of a JSON Schema (draft 2020-12).
package indirect enum Schema: Sendable, Equatable {
  case text(String)
  case number(Double)
  case bool(Bool)
  case list([Schema])
  case object([String: Schema])
  /// A part that a document has once, among its definitions, and that other parts refer to.
  case named(String, Schema)
}

// MARK: Parts

extension Schema {
  /// A text. YAML reads some texts as numbers or truth values.
  package static let string = object(["type": .list([.text("string"), .text("number"), .text("boolean")])])
  package static let boolean = object(["type": .text("boolean")])
  /// The value of a key that has no argument.
  package static let done = object(["const": .bool(true)])

  package static func anyOf(_ schemas: [Schema]) -> Schema { object(["anyOf": .list(schemas)]) }

  /// One of these texts. A text of digits is also a number.
  package static func choice(_ names: [String]) -> Schema {
    object(["enum": .list(names.compactMap { Int($0).map { .number(Double($0)) } } + names.map(Schema.text))])
  }

  package static func number(_ range: ClosedRange<Double>) -> Schema {
    object(["type": .text("number"), "minimum": .number(range.lowerBound), "maximum": .number(range.upperBound)])
  }

  package static func integer(_ range: ClosedRange<Int>) -> Schema {
    var parts: [String: Schema] = ["type": .text("integer"), "minimum": .number(Double(range.lowerBound))]
    // The largest `Int` stands for no limit.
    if range.upperBound < Int.max { parts["maximum"] = .number(Double(range.upperBound)) }
    return object(parts)
  }

  package static func array(_ items: Schema, count: ClosedRange<Int>? = nil) -> Schema {
    var parts: [String: Schema] = ["type": .text("array"), "items": items]
    if let count {
      parts["minItems"] = .number(Double(count.lowerBound))
      if count.upperBound < Int.max { parts["maxItems"] = .number(Double(count.upperBound)) }
    }
    return object(parts)
  }

  /// A list whose values have forms of their own, by their places.
  package static func tuple(_ items: [Schema], least: Int) -> Schema {
    object([
      "type": .text("array"), "prefixItems": .list(items), "items": .bool(false), "minItems": .number(Double(least)),
    ])
  }

  /// This mapping, with at least one key.
  package var notEmpty: Schema {
    guard case .object(var parts) = self else { return self }
    parts["minProperties"] = .number(1)
    return .object(parts)
  }

  /// A mapping with these keys and no others.
  package static func keys(_ properties: [String: Schema], required: [String] = []) -> Schema {
    var parts: [String: Schema] = [
      "type": .text("object"), "additionalProperties": .bool(false), "properties": object(properties),
    ]
    if !required.isEmpty { parts["required"] = .list(required.map(Schema.text)) }
    return object(parts)
  }

  /// A mapping with exactly one of these keys.
  package static func oneKey(of properties: [String: Schema]) -> Schema {
    guard case .object(var parts) = keys(properties) else { return .bool(true) }
    parts["minProperties"] = .number(1)
    parts["maxProperties"] = .number(1)
    return object(parts)
  }

  /// This mapping, with at least one of these keys.
  package func requiring(oneOf names: [String]) -> Schema {
    guard case .object(var parts) = self else { return self }
    parts["anyOf"] = .list(names.map { .object(["required": .list([.text($0)])]) })
    return .object(parts)
  }

  /// A mapping from any keys to values of one form.
  package static func entries(_ value: Schema) -> Schema {
    object(["type": .text("object"), "additionalProperties": value])
  }
}

// MARK: Documents

extension Schema {
  /// Returns the JSON Schema of a kind of files.
  ///
  /// - Parameters:
  ///   - title: What the files are.
  ///   - root: The form of a whole file.
  package static func document(_ title: String, _ root: [String: Schema]) -> String {
    let head: [String: Schema] = [
      "$schema": .text("https://json-schema.org/draft/2020-12/schema"), "title": .text(title),
      "$defs": object(definitions(of: [object(root)])),
    ]
    return object(root.merging(head) { own, _ in own }).json(indent: "")
  }

  /// Returns the named parts of schemas.
  package static func definitions(of schemas: [Schema]) -> [String: Schema] {
    var definitions: [String: Schema] = [:]
    for schema in schemas { schema.collect(into: &definitions) }
    return definitions
  }

  private func collect(into definitions: inout [String: Schema]) {
    switch self {
    case .text, .number, .bool: break
    case .list(let values): for value in values { value.collect(into: &definitions) }
    case .object(let parts): for value in parts.values { value.collect(into: &definitions) }
    case .named(let name, let schema):
      guard definitions[name] == nil else {
        assert(definitions[name] == schema, "two forms have the name \(name)")
        return
      }
      definitions[name] = schema
      schema.collect(into: &definitions)
    }
  }

  private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

  private static func quoted(_ text: String) -> String {
    "\"\(text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\""
  }

  /// Returns the JSON with sorted keys. Objects without objects in them stand on one line.
  private func json(indent: String) -> String {
    switch self {
    case .text(let text): return Self.quoted(text)
    case .number(let number): return Self.text(number)
    case .bool(let flag): return "\(flag)"
    case .list(let values):
      return "[" + values.map { $0.json(indent: indent) }.joined(separator: ", ") + "]"
    case .named(let name, _): return "{\"$ref\": \(Self.quoted("#/$defs/\(name)"))}"
    case .object(let parts):
      let inner = indent + "  "
      let lines = parts.sorted { $0.key < $1.key }.map {
        "\(Self.quoted($0.key)): \($0.value.json(indent: inner))"
      }
      let line = "{" + lines.joined(separator: ", ") + "}"
      guard line.count > 100 || line.contains("\n") else { return line }
      return "{\n" + lines.map { inner + $0 }.joined(separator: ",\n") + "\n" + indent + "}"
    }
  }
}

// MARK: Words

extension Schema {
  /// The allowed values in words, such as `a whole number from 0 to 100`, for problems.
  package var words: String { words(isShort: false) }

  /// The allowed values in words, with the names of named parts, for lists that explain each name once.
  package var shortWords: String { words(isShort: true) }

  /// The keys of a mapping, each with its allowed values; nil for anything but a mapping with known keys.
  package var keyWords: [String]? {
    guard let parts = keyParts, case .object(let properties) = parts["properties"] else { return nil }
    var required: [String] = []
    if case .list(let names) = parts["required"] { required = names.compactMap(\.ownText) }
    let isOne = parts["maxProperties"] != nil
    return properties.sorted { $0.key < $1.key }.map { name, schema in
      "\(name): \(schema.shortWords)" + (isOne || required.contains(name) ? "" : " (optional)")
    }
  }

  /// The lines of a list of verbs: the keys of a mapping, or the allowed values. A key whose value may stand in place of
  /// the mapping says so.
  package var lines: [String] {
    if let keyWords { return keyWords }
    guard case .object(let parts) = self, case .list(let schemas) = parts["anyOf"], schemas.count == 2,
      let keys = schemas[1].keyWords, case .object(let properties) = schemas[1].keyParts?["properties"]
    else { return [shortWords] }
    guard let main = properties.first(where: { $0.value == schemas[0] })?.key else {
      return [schemas[0].shortWords] + keys
    }
    return keys.map { $0.hasPrefix("\(main): ") ? "\($0), also alone" : $0 }
  }

  private var keyParts: [String: Schema]? {
    guard case .object(let parts) = self, parts["properties"] != nil else { return nil }
    return parts
  }

  private func words(isShort: Bool) -> String {
    switch self {
    // A mapping has too many words for a line.
    case .named(let name, let schema):
      isShort || schema.keyParts != nil ? name : schema.words(isShort: isShort)
    case .object(let parts): Self.words(parts, isShort)
    case .text, .number, .bool, .list: "anything"
    }
  }

  private static func words(_ parts: [String: Schema], _ isShort: Bool) -> String {
    if parts["const"] != nil { return "true" }
    if case .object(let properties) = parts["properties"] {
      let keys = "{\(properties.keys.sorted().joined(separator: ", "))}"
      return parts["maxProperties"] == nil ? keys : "one of \(keys)"
    }
    if case .list(let schemas) = parts["anyOf"] {
      return schemas.map { $0.words(isShort: isShort) }.filter { $0 != "anything" }.joined(separator: ", or ")
    }
    if case .list(let names) = parts["enum"] { return oneOf(names.compactMap(\.ownText)) }
    if case .list(let items) = parts["prefixItems"] {
      return "[\(items.map { $0.words(isShort: isShort) }.joined(separator: "; "))]"
    }
    if let items = parts["items"] { return "a list, each \(items.words(isShort: isShort))" }
    if let value = parts["additionalProperties"] { return "names with values: \(value.words(isShort: isShort))" }
    guard case .text(let type) = parts["type"] else { return parts["type"] == nil ? "anything" : "a text" }
    return switch type {
    case "boolean": "true or false"
    case "number": range(parts, "a number")
    case "integer": range(parts, "a whole number")
    default: "a text"
    }
  }

  private var ownText: String? { if case .text(let text) = self { text } else { nil } }

  private static func oneOf(_ names: [String]) -> String {
    names.count == 1 ? names[0] : "one of \(names.joined(separator: ", "))"
  }

  private static func range(_ parts: [String: Schema], _ kind: String) -> String {
    guard case .number(let least) = parts["minimum"] else { return kind }
    let from = "\(kind) from \(text(least))"
    guard case .number(let most) = parts["maximum"] else { return from }
    return "\(from) to \(text(most))"
  }
}
