// swift-iap2 · Apache-2.0

import Foundation

/// A value of an argument.
public enum CarValue: Sendable, Hashable, Codable {
  /// True or false.
  case flag(Bool)
  /// A number.
  case number(Double)
  /// A text.
  case text(String)
  /// A list of texts.
  case texts([String])

  /// Reads a value of JSON.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    do { self = .flag(try container.decode(Bool.self)) } catch {
      do { self = .number(try container.decode(Double.self)) } catch {
        do { self = .text(try container.decode(String.self)) } catch {
          self = .texts(try container.decode([String].self))
        }
      }
    }
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .texts(let texts): try container.encode(texts)
    }
  }
}

/// A step with its arguments.
public struct CarAction: Sendable, Hashable, Codable {
  /// The step.
  public var verb: CarVerb
  /// The arguments by name.
  public var arguments: [String: CarValue]

  /// Creates a step.
  public init(_ verb: CarVerb, _ arguments: [String: CarValue] = [:]) {
    self.verb = verb
    self.arguments = arguments
  }

  /// Returns a text of an argument, such as a name; nil without it.
  public func text(_ name: String) -> String? {
    if case .text(let text) = arguments[name] { text } else { nil }
  }

  /// Returns a number of an argument.
  public func number(_ name: String) -> Double? {
    if case .number(let number) = arguments[name] { number } else { nil }
  }

  /// Returns a whole number of an argument.
  public func whole(_ name: String) -> Int? { number(name).flatMap { Int(exactly: $0) } }

  /// Returns a flag of an argument.
  public func flag(_ name: String) -> Bool? {
    if case .flag(let flag) = arguments[name] { flag } else { nil }
  }

  /// Returns the decoded bytes of a Base64 argument; nil without the argument or for invalid Base64.
  public func bytes(_ name: String) -> [UInt8]? { text(name).flatMap { Data(base64Encoded: $0) }.map { [UInt8]($0) } }

  /// Returns the texts of an argument; one text is a list of one.
  public func texts(_ name: String) -> [String] {
    switch arguments[name] {
    case .texts(let texts): texts
    case .text(let text): [text]
    default: []
    }
  }

  /// Returns the value of a type that has the argument's text as its raw value; nil without one.
  public func choice<Value: RawRepresentable>(_ name: String, _ type: Value.Type) -> Value?
  where Value.RawValue == String { text(name).flatMap(Value.init(rawValue:)) }
}

extension CarAction {
  /// The fault in the arguments, with the allowed values; nil for valid arguments.
  public var problem: String? {
    let form = CarVerbForm.form(of: verb)
    let names = form.arguments.map(\.name)
    if let unknown = arguments.keys.sorted().first(where: { !names.contains($0) }) {
      return "\(verb.rawValue) has no argument \(unknown); "
        + (names.isEmpty ? "it has none" : "its arguments are \(names.sorted().joined(separator: ", "))")
    }
    for argument in form.arguments {
      guard let value = arguments[argument.name] else {
        if argument.isRequired { return "\(verb.rawValue) needs \(argument.name): \(argument.values)" }
        continue
      }
      if !argument.values.contain(value) { return "\(verb.rawValue): \(argument.name): expected \(argument.values)" }
    }
    return nil
  }
}

extension CarVerbForm.Values: CustomStringConvertible {
  /// Returns whether a value is allowed.
  public func contain(_ value: CarValue) -> Bool {
    switch (self, value) {
    case (.text(let limit), .text(let text)): text.utf8.count <= limit
    case (.whole(let range), .number(let number)): Int(exactly: number).map(range.contains) ?? false
    case (.number(let range), .number(let number)): range.contains(number)
    case (.flag, .flag): true
    case (.choice(let names), .text(let text)): names.contains(text)
    case (.choices(let names), .texts(let texts)): !texts.isEmpty && texts.allSatisfy(names.contains)
    case (.choices(let names), .text(let text)): names.contains(text)
    case (.bytes(let limit), .text(let text)):
      // Base64 has four characters for three bytes.
      text.utf8.count <= (limit + 2) / 3 * 4 && Data(base64Encoded: text) != nil
    default: false
    }
  }

  /// The allowed values in words.
  public var description: String {
    switch self {
    case .text(let limit): "a text of at most \(limit) bytes"
    case .whole(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
    case .number(let range): "a number from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))"
    case .flag: "true or false"
    case .choice(let names): "one of \(names.sorted().joined(separator: ", "))"
    case .choices(let names): "a list of \(names.sorted().joined(separator: ", "))"
    case .bytes(let limit): "at most \(limit) bytes in Base64"
    }
  }

  private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }
}

extension CarAction: CustomStringConvertible {
  /// The step as one line: the name, the main argument in quotes, and the others with their names.
  public var description: String {
    if verb == .touchPart { return "a touch of \(text("line") ?? "a part")" }
    let form = CarVerbForm.form(of: verb)
    var words = [verb.rawValue]
    for argument in form.arguments {
      guard let value = arguments[argument.name] else { continue }
      words.append(argument.name == form.main ? "\(value)" : "\(argument.name): \(value)")
    }
    return words.joined(separator: " ")
  }
}

extension CarValue: CustomStringConvertible {
  /// The value in its YAML form.
  public var description: String {
    switch self {
    case .flag(let flag): "\(flag)"
    case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
    case .text(let text): "\"\(text)\""
    case .texts(let texts): "[\(texts.joined(separator: ", "))]"
    }
  }
}
