// swift-iap2 · Apache-2.0

import Basics
import CarPlaySession

/// A message as a tree of values, without what is new in every session. Messages that are not a difference are equal.
struct PlainMessage: Hashable {
  /// A value of a tree.
  indirect enum Value: Hashable {
    /// A value whose presence alone is compared.
    case volatile(SessionValueRule)
    case bool(Bool)
    /// A number. Whether it was sent as a real one does not matter (CarPlaySession.md#property-numbers).
    case number(Double)
    /// A number that a `Double` cannot hold.
    case large(UInt64)
    case text(String)
    case bytes([UInt8])
    case list([Value])
    case group([String: Value])
  }

  /// The first line's status, the headers and the body. Headers have their names in lowercase.
  let value: Value

  /// The names of the parts.
  static let parts = ["status", "headers", "body"]

  /// Creates the tree of a message.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - path: The path of the request, or of the request that it answers.
  ///   - ignored: The optional rules that apply.
  init(_ message: RequestMessage, path: String, ignoring ignored: Set<SessionValueRule>) {
    var parts: [String: Value] = [:]
    if case .answer(let status, _, _) = message.start { parts["status"] = .number(Double(status)) }
    var headers: [String: Value] = [:]
    for field in message.headers.fields {
      let rule = SessionValueRule.rule(ofHeader: field.name)
      headers[field.name.lowercased()] = rule.map { .volatile($0) } ?? .text(field.value)
    }
    parts["headers"] = .group(headers)
    if !message.body.isEmpty { parts["body"] = Self.body(message, path, ignored) }
    value = .group(parts)
  }

  private static func body(_ message: RequestMessage, _ path: String, _ ignored: Set<SessionValueRule>) -> Value {
    let bytes = message.body
    let isAnswer = if case .answer = message.start { true } else { false }
    switch path {
    case "/pair-setup", "/pair-verify":
      do { return Value(try TLV8(bytes: bytes)) } catch { return .bytes(bytes) }
    case "/auth-setup":
      guard isAnswer else { return .group(["version": .number(Double(bytes[0])), "publicKey": .volatile(.key)]) }
      do throws(AuthSetupProblem) {
        let answer = try AuthSetupAnswer(bytes: bytes)
        return .group([
          "publicKey": .volatile(.key), "signature": .volatile(.key),
          "certificate": ignored.contains(.certificate) ? .volatile(.certificate) : .bytes(answer.certificate),
        ])
      } catch { return .bytes(bytes) }
    default:
      do throws(PropertyListProblem) { return Value(try PropertyValue(binary: bytes)) } catch {
        return String(validating: bytes, as: UTF8.self).map { .text($0) } ?? .bytes(bytes)
      }
    }
  }
}

extension PlainMessage.Value {
  /// Creates the value of a property list.
  init(_ value: PropertyValue) {
    self =
      switch value {
      case .bool(let value): .bool(value)
      case .integer(let number):
        Int64(exactly: Double(number)) == number ? .number(Double(number)) : .large(UInt64(bitPattern: number))
      case .unsigned(let number): .large(number)
      // NaN is not equal to itself.
      case .real(let number): number.isNaN ? .text("NaN") : .number(number)
      case .text(let text): .text(text)
      case .data(let bytes): .bytes(bytes)
      case .array(let values): .list(values.map { Self($0) })
      case .dictionary(let values):
        .group(
          Dictionary(
            uniqueKeysWithValues: values.map { key, value in
              (key, SessionValueRule.rule(ofKey: key).map { .volatile($0) } ?? Self(value))
            }))
      }
  }

  /// Creates the value of a message of pairing. Only the procedure and errors are the same in every session.
  init(_ list: TLV8) {
    var values: [String: Self] = [:]
    for item in list.items {
      let kind = TLV8.Kind(rawValue: item.type)
      let name = kind.map { "\($0)" } ?? "type\(item.type)"
      switch kind {
      case .salt, .publicKey, .proof, .encryptedData, .signature, .sessionID: values[name] = .volatile(.key)
      case .method, .state, .error, .permissions, .flags, .retryDelay:
        values[name] = item.value.count == 1 ? .number(Double(item.value[0])) : .bytes(item.value)
      default: values[name] = .bytes(item.value)
      }
    }
    self = .group(values)
  }

  /// The volatile values, counted by their rules.
  var volatile: [SessionValueRule: Int] {
    switch self {
    case .volatile(let rule): [rule: 1]
    case .bool, .number, .large, .text, .bytes: [:]
    case .list(let values): values.reduce(into: [:]) { $0.merge($1.volatile, uniquingKeysWith: +) }
    case .group(let values): values.values.reduce(into: [:]) { $0.merge($1.volatile, uniquingKeysWith: +) }
    }
  }

  /// The value in a few words.
  var words: String {
    switch self {
    case .volatile(let rule): "a \(rule.rawValue)"
    case .bool(let value): "\(value)"
    case .number(let number): Int64(exactly: number).map { "\($0)" } ?? "\(number)"
    case .large(let number): "\(number)"
    case .text(let text): "\"\(text.prefix(Self.shownCount))\(text.count > Self.shownCount ? "…" : "")\""
    case .bytes(let bytes):
      "\(bytes.count) byte\(bytes.count == 1 ? "" : "s")" + (bytes.isEmpty ? "" : " \(Self.hex(bytes))")
    case .list(let values): "a list of \(values.count)"
    case .group(let values): "a dictionary of \(values.count)"
    }
  }

  /// The characters of a text, and the bytes of data, that are shown.
  private static var shownCount: Int { 60 }
  private static var shownByteCount: Int { 24 }

  private static func hex(_ bytes: [UInt8]) -> String {
    Hex.text(Array(bytes.prefix(shownByteCount))) + (bytes.count > shownByteCount ? "…" : "")
  }
}
