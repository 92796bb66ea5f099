// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// Any JSON value.
indirect enum JSONValue: Decodable {
  case null
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  init(from decoder: any Decoder) throws {
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

  /// Codable tells a value's kind only by trying.
  private static func attempt<Value>(_ body: () throws -> Value) -> Value? {
    do { return try body() } catch { return nil }
  }

  subscript(key: String) -> JSONValue? {
    if case .object(let fields) = self { fields[key] } else { nil }
  }

  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [JSONValue]? { if case .list(let list) = self { list } else { nil } }
}

/// A line of `iap2 decode --json`, back to the bytes it came from.
struct JSONMessage {
  struct Problem: Error { var text: String }

  /// The bytes of a line; nil for one that carries none of its own, as `link` and `error`.
  static func bytes(_ line: JSONValue) throws -> [UInt8]? {
    switch line["layer"]?.text ?? "control" {
    case "control": return try message(line)
    case "detect": return LinkScanner.detect
    case "externalAccessory":
      return try number(line["session"], 2, "session") + hex(line["data"], "data")
    case "link", "error", "synchronization", "fileTransfer": return nil
    case let other: throw Problem(text: "no layer \"\(other)\"")
    }
  }

  private static func message(_ line: JSONValue) throws -> [UInt8] {
    let entry = line["name"]?.text.flatMap { MessageCatalog[name: $0] }
    let id: UInt16
    if let text = line["id"]?.text {
      let digits = text.lowercased().hasPrefix("0x") ? String(text.dropFirst(2)) : text
      guard let number = UInt16(digits, radix: 16) else { throw Problem(text: "no message id \"\(text)\"") }
      id = number
    } else if let entry {
      id = entry.info.id
    } else {
      throw Problem(text: "a message needs an id, or a name of the catalogue")
    }
    let body = try parameters(line["parameters"]?.list ?? [], MessageCatalog[id]?.rows ?? [], depth: 0)
    let count = body.count + ControlHeader.byteCount
    guard count <= 0xFFFF else { throw Problem(text: "a message of \(count) bytes; its length has room for 65535") }
    return ControlHeader.message(id, body: body)
  }

  /// Groups inside groups, as deep as the decoder reads them.
  private static let maximumDepth = 8

  private static func parameters(_ list: [JSONValue], _ rows: [ParameterRow], depth: Int) throws -> [UInt8] {
    guard depth <= maximumDepth else { throw Problem(text: "groups nested deeper than \(maximumDepth)") }
    return try list.flatMap { item -> [UInt8] in
      let name = item["name"]?.text
      let row: ParameterRow?
      let id: UInt16
      if case .integer(let number)? = item["id"], let found = UInt16(exactly: number) {
        id = found
        row = rows.first { $0.id == found }
      } else if let name, let found = rows.first(where: { $0.name.lowercased() == name.lowercased() }) {
        id = found.id
        row = found
      } else {
        throw Problem(text: "a parameter needs an id, or a name of this message\(name.map { ", not \"\($0)\"" } ?? "")")
      }
      let type = item["type"]?.text ?? row?.shape.name ?? "unknown"
      let value = try value(item["value"] ?? .null, type, row, depth: depth, name ?? "\(id)")
      guard value.count + 4 <= 0xFFFF else { throw Problem(text: "parameter \(name ?? "\(id)") is too long") }
      return big(UInt64(value.count + 4), 2) + big(UInt64(id), 2) + value
    }
  }

  private static func value(
    _ value: JSONValue, _ type: String, _ row: ParameterRow?, depth: Int, _ name: String
  ) throws -> [UInt8] {
    switch type {
    case "utf8":
      guard case .text(let text) = value else { throw Problem(text: "\(name) is text") }
      return Array(text.utf8) + [0]
    case "void":
      if case .bool(true) = value { return [] }
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
      if let text = value.text, let number = enumeration(text, row?.shape) { return [number] }
      return try numbers(value, 1, name)
    case "array-of-u16": return try numbers(value, 2, name)
    case "array-of-u64": return try numbers(value, 8, name)
    default:
      guard let size = ["u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "u64": 8, "i64": 8][type] else {
        throw Problem(text: "\(name): no type \"\(type)\"")
      }
      return try numbers(value, size, name)
    }
  }

  private static func enumeration(_ text: String, _ shape: ParameterShape?) -> UInt8? {
    switch shape {
    case .enumeration(let names), .alternative(.enumeration(let names), _):
      names.first { "\($0.1)".lowercased() == text.lowercased() }?.0
    default: nil
    }
  }

  /// One number or several joined; text is a 64-bit number, else the hexadecimal of a value that is none.
  private static func numbers(_ value: JSONValue, _ size: Int, _ name: String) throws -> [UInt8] {
    if let list = value.list { return try list.flatMap { try number($0, size, name) } }
    if size < 8, value.text != nil { return try hex(value, name) }
    return try number(value, size, name)
  }

  private static func number(_ value: JSONValue?, _ size: Int, _ name: String) throws -> [UInt8] {
    let bits: UInt64?
    switch value {
    case .integer(let number):
      let limit = size == 8 ? Int64.max : Int64(1) << (8 * Int64(size))
      bits = number < limit && number >= -(limit / 2) ? UInt64(bitPattern: number) : nil
    case .unsigned(let number): bits = size == 8 ? number : nil
    case .text(let text): bits = UInt64(text) ?? Int64(text).map { UInt64(bitPattern: $0) }
    default: bits = nil
    }
    guard let bits else { throw Problem(text: "\(name) is a number of \(size) byte\(size == 1 ? "" : "s")") }
    return big(bits, size)
  }

  private static func hex(_ value: JSONValue?, _ name: String) throws -> [UInt8] {
    guard let text = value?.text else { throw Problem(text: "\(name) is hexadecimal text") }
    let digits = text.utf8.filter { $0 != 0x20 }
    guard digits.count % 2 == 0 else { throw Problem(text: "\(name) has an odd number of hexadecimal digits") }
    return try stride(from: 0, to: digits.count, by: 2).map { index in
      guard let byte = UInt8(String(decoding: digits[index...(index + 1)], as: UTF8.self), radix: 16) else {
        throw Problem(text: "\(name) is not hexadecimal")
      }
      return byte
    }
  }

  private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * UInt64(count - 1 - $0))) }
  }
}
