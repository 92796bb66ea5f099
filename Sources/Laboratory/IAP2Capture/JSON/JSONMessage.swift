// swift-iap2 · Apache-2.0

import IAP2

/// A JSON value of any type.
package indirect enum JSONValue: Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  package init(from decoder: any Decoder) throws {
    let single = try decoder.singleValueContainer()
    if single.decodeNil() {
      self = .null
    } else if let value = Self.attempt({ try single.decode(Bool.self) }) {
      self = .bool(value)
    } else if let value = Self.attempt({ try single.decode(Int64.self) }) {
      self = .integer(value)
    } else if let value = Self.attempt({ try single.decode(UInt64.self) }) {
      self = .unsigned(value)
    } else if let value = Self.attempt({ try single.decode(Double.self) }) {
      self = .number(value)
    } else if let value = Self.attempt({ try single.decode(String.self) }) {
      self = .text(value)
    } else if let value = Self.attempt({ try single.decode([JSONValue].self) }) {
      self = .list(value)
    } else {
      self = .object(try single.decode([String: JSONValue].self))
    }
  }

  /// Returns nil if the value has another type: `Codable` offers no other way to ask.
  private static func attempt<Value>(_ body: () throws -> Value) -> Value? {
    do { return try body() } catch { return nil }
  }

  /// The value of a key; nil if this is not an object.
  package subscript(key: String) -> JSONValue? {
    if case .object(let fields) = self { fields[key] } else { nil }
  }

  /// The text; nil if this is not text.
  package var text: String? { if case .text(let text) = self { text } else { nil } }
  /// The elements; nil if this is not an array.
  package var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
}

/// The encoder of the lines that `iap2 decode --json` prints.
///
/// An unknown key or name is an error, so that a message written by hand has no silent mistakes.
package enum JSONMessage {
  /// The reason why a line cannot be encoded.
  package struct Problem: Error {
    /// The problem and the key, as one sentence.
    package var text: String
  }

  /// Returns the bytes of a line; nil for a line without bytes, such as `link` and `error`.
  package static func bytes(_ line: JSONValue) throws -> [UInt8]? {
    guard case .object(let fields) = line else { throw Problem(text: "expected a JSON object") }
    switch try text(fields, "layer") ?? "control" {
    case "control":
      try check(fields, common + ["id", "name", "parameters"])
      return try message(fields)
    case "detect":
      try check(fields, common)
      return LinkScanner.detect
    case "externalAccessory":
      try check(fields, common + ["session", "byteCount", "data"])
      return try number(fields["session"] ?? .null, .u16, "session") + hex(fields["data"], "data")
    case "link", "error", "synchronization", "fileTransfer": return nil
    case let other: throw Problem(text: "unknown layer \"\(other)\"")
    }
  }

  /// The keys that every line may have.
  private static let common = ["from", "layer", "record", "time"]

  private static func check(_ fields: [String: JSONValue], _ known: [String]) throws {
    if let other = fields.keys.sorted().first(where: { !known.contains($0) }) {
      throw Problem(text: "unknown key \"\(other)\"; the keys here are \(known.sorted().joined(separator: ", "))")
    }
    if let side = try text(fields, "from"), Side(rawValue: side) == nil {
      throw Problem(text: "\"from\" is accessory or device, not \"\(side)\"")
    }
  }

  /// Returns the text of a key; nil for null, which the decoder writes for an unknown value.
  private static func text(_ fields: [String: JSONValue], _ key: String) throws -> String? {
    switch fields[key] {
    case nil, .null: return nil
    case .text(let text): return text
    default: throw Problem(text: "\"\(key)\" must be text")
    }
  }

  private static func message(_ fields: [String: JSONValue]) throws -> [UInt8] {
    let name = try text(fields, "name")
    let entry = name.flatMap { MessageCatalog[name: $0] }
    let id: UInt16
    if let text = try text(fields, "id") {
      let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
      guard digits.allSatisfy(\.isHexDigit), let number = UInt16(digits, radix: 16) else {
        throw Problem(text: "\"\(text)\" is not a message id")
      }
      if let name, entry?.info.id != number {
        throw Problem(text: "\"name\": \(name) is not the name of \(MessageCatalog.text(number))")
      }
      id = number
    } else if let entry {
      id = entry.info.id
    } else {
      throw Problem(
        text: name.map { "\"name\": no message is called \"\($0)\"" }
          ?? "a message needs an id, or a name of the catalog")
    }
    guard let list = (fields["parameters"] ?? .list([])).list else {
      throw Problem(text: "\"parameters\" must be a list")
    }
    let body = try parameters(list, MessageCatalog[id]?.rows ?? [], depth: 0)
    let count = body.count + ControlHeader.byteCount
    let limit = ControlHeader.maximumMessageByteCount
    guard count <= limit else { throw Problem(text: "the message has \(count) bytes, more than \(limit)") }
    return ControlHeader.message(id, body: body)
  }

  /// The depth of nested groups that the decoder reads.
  private static let maximumDepth = 8

  private static func parameters(_ list: [JSONValue], _ rows: [ParameterRow], depth: Int) throws -> [UInt8] {
    guard depth <= maximumDepth else { throw Problem(text: "groups are nested deeper than \(maximumDepth)") }
    return try list.flatMap { item -> [UInt8] in
      guard case .object(let fields) = item else { throw Problem(text: "a parameter must be a JSON object") }
      try check(fields, ["id", "name", "type", "value", "case"])
      let (id, row) = try place(fields, rows)
      let name = try text(fields, "name") ?? row?.name ?? "\(id)"
      let type = try text(fields, "type") ?? row?.shape.name ?? "unknown"
      let value = try value(fields["value"] ?? .null, type, row, depth: depth, name)
      if let word = try text(fields, "case"), type != "enum" || value != enumeration(word, row?.shape).map({ [$0] }) {
        throw Problem(text: "\(name): \"case\": \(word) is not the name of its value")
      }
      guard value.count + 4 <= 0xFFFF else { throw Problem(text: "parameter \(name) is too long") }
      return big(UInt64(value.count + 4), 2) + big(UInt64(id), 2) + value
    }
  }

  /// Returns the parameter that id and name select. Both must select the same one.
  private static func place(
    _ fields: [String: JSONValue], _ rows: [ParameterRow]
  ) throws -> (id: UInt16, row: ParameterRow?) {
    let name = try text(fields, "name")
    let named = name.map { name in rows.filter { $0.name.lowercased() == name.lowercased() } }
    guard let given = fields["id"] else {
      if let row = named?.first { return (row.id, row) }
      throw Problem(text: "a parameter needs an id, or a name of this message\(name.map { ", not \"\($0)\"" } ?? "")")
    }
    guard case .integer(let number) = given, let id = UInt16(exactly: number) else {
      throw Problem(text: "a parameter's \"id\" must be a number from 0 to 65535")
    }
    guard let named else { return (id, rows.first { $0.id == id }) }
    guard let row = named.first(where: { $0.id == id }) else {
      throw Problem(text: "\"name\": \(name ?? "") is not the name of parameter \(id)")
    }
    return (id, row)
  }

  private static func value(
    _ value: JSONValue, _ type: String, _ row: ParameterRow?, depth: Int, _ name: String
  ) throws -> [UInt8] {
    switch type {
    case "utf8":
      guard case .text(let text) = value else { throw Problem(text: "\(name) must be text") }
      return Array(text.utf8) + [0]
    case "void":
      if case .bool(true) = value { return [] }
      if case .alternative(_, .packed(.u16))? = row?.shape, value.list != nil { return try numbers(value, .u16, name) }
      return try hex(value, name)
    case "bool":
      guard case .bool(let flag) = value else { return try hex(value, name) }
      return [flag ? 1 : 0]
    case "blob", "unknown": return try hex(value, name)
    case "group":
      guard let list = value.list else { return try hex(value, name) }
      var rows: [ParameterRow] = []
      if case .group(let inner)? = row?.shape { rows = inner }
      return try parameters(list, rows, depth: depth + 1)
    case "enum":
      guard let text = value.text else { return try numbers(value, .u8, name) }
      guard let number = enumeration(text, row?.shape) else { throw Problem(text: "\(name) has no case \"\(text)\"") }
      return [number]
    default:
      let element = type.hasPrefix("array-of-") ? String(type.dropFirst("array-of-".count)) : type
      guard let number = NumberType(element) else { throw Problem(text: "\(name): unknown type \"\(type)\"") }
      return try numbers(value, number, name)
    }
  }

  private static func enumeration(_ text: String, _ shape: ParameterShape?) -> UInt8? {
    switch shape {
    case .enumeration(let names), .alternative(.enumeration(let names), _):
      names.first { "\($0.1)".lowercased() == text.lowercased() }?.0
    default: nil
    }
  }

  /// An integer type by its name in JSON, such as `u16`.
  private struct NumberType {
    let byteCount: Int
    let isSigned: Bool

    static let u8 = Self(byteCount: 1, isSigned: false)
    static let u16 = Self(byteCount: 2, isSigned: false)

    private init(byteCount: Int, isSigned: Bool) {
      self.byteCount = byteCount
      self.isSigned = isSigned
    }

    init?(_ name: String) {
      guard let byteCount = ["8": 1, "16": 2, "32": 4, "64": 8][String(name.dropFirst())],
        name.hasPrefix("u") || name.hasPrefix("i")
      else { return nil }
      self.init(byteCount: byteCount, isSigned: name.hasPrefix("i"))
    }

    var range: String {
      isSigned ? "\(Int64.min >> (64 - 8 * byteCount)) to \(Int64.max >> (64 - 8 * byteCount))" : "0 to \(maximum)"
    }

    private var maximum: UInt64 { UInt64.max >> (64 - 8 * UInt64(byteCount)) }

    /// Returns the bits of a number; nil if the value is not a number of this type.
    func bits(_ value: JSONValue) -> UInt64? {
      switch value {
      case .integer(let number) where isSigned:
        let limit = Int64.max >> (64 - 8 * byteCount)
        return (-limit - 1...limit).contains(number) ? UInt64(bitPattern: number) : nil
      case .integer(let number): return UInt64(exactly: number).flatMap { $0 <= maximum ? $0 : nil }
      case .unsigned(let number): return !isSigned && number <= maximum ? number : nil
      // The decoder writes 64-bit numbers as text, because many JSON readers lose digits.
      case .text(let text) where byteCount == 8 && text.first != "+":
        return isSigned ? Int64(text).map { UInt64(bitPattern: $0) } : UInt64(text)
      default: return nil
      }
    }
  }

  /// Returns the bytes of one number, or of a list of numbers.
  private static func numbers(_ value: JSONValue, _ type: NumberType, _ name: String) throws -> [UInt8] {
    guard let list = value.list else { return try number(value, type, name) }
    return try list.flatMap { try number($0, type, name) }
  }

  private static func number(_ value: JSONValue, _ type: NumberType, _ name: String) throws -> [UInt8] {
    guard let bits = type.bits(value) else {
      let text = value.text == nil ? "" : ", not text; for other bytes give \"type\": \"blob\""
      throw Problem(text: "\(name) must be a number from \(type.range)\(type.byteCount == 8 ? "" : text)")
    }
    return big(bits, type.byteCount)
  }

  private static func hex(_ value: JSONValue?, _ name: String) throws -> [UInt8] {
    guard let text = value?.text else { throw Problem(text: "\(name) must be hexadecimal text") }
    let digits = text.utf8.filter { $0 != 0x20 }
    guard digits.count % 2 == 0 else { throw Problem(text: "\(name) has an odd number of hexadecimal digits") }
    let values = try digits.map { digit in
      guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else {
        throw Problem(text: "\(name) is not hexadecimal")
      }
      return UInt8(value)
    }
    return stride(from: 0, to: values.count, by: 2).map { values[$0] << 4 | values[$0 + 1] }
  }

  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }
}
