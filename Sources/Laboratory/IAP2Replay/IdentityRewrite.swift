// swift-iap2 · Apache-2.0

import IAP2
import IAP2Analysis

/// The identifiers of the live session for those of the recording, so that recorded messages about them can be sent.
///
/// ``VolatileParameter`` states which parameters are identifiers.
struct IdentityRewrite {
  private struct Key: Hashable {
    var space: IdentitySpace
    var value: [UInt8]
  }

  private var live: [Key: [UInt8]] = [:]

  /// Pairs the identifiers of a recorded message with those of its live counterpart.
  mutating func learn(recorded: [UInt8], live message: [UInt8], _ rules: ComparisonRules) {
    let (before, now) = (Self.values(recorded, rules), Self.values(message, rules))
    for (one, other) in zip(before, now) where one.space == other.space { live[one] = other.value }
  }

  /// Returns a recorded message with the identifiers of the live session.
  func rewritten(_ message: [UInt8], _ rules: ComparisonRules) -> [UInt8] {
    MessageRewrite.message(message, Self.scope(message, rules)) { line, value in
      guard case .identity(let space, _) = line.treatment else { return nil }
      return live[Key(space: space, value: Array(value))]
    }
  }

  private static func scope(_ message: [UInt8], _ rules: ComparisonRules) -> VolatileScope {
    VolatileScope(
      rules.parameters(of: ControlHeader.id(of: message)).filter {
        if case .identity = $0.treatment { true } else { false }
      })
  }

  private static func values(_ message: [UInt8], _ rules: ComparisonRules) -> [Key] {
    var keys: [Key] = []
    _ = MessageRewrite.message(message, scope(message, rules)) { line, value in
      if case .identity(let space, _) = line.treatment { keys.append(Key(space: space, value: Array(value))) }
      return nil
    }
    return keys
  }
}

/// Functions that replace values in a message and leave all other bytes unchanged.
enum MessageRewrite {
  /// - Parameter value: returns the replacement for the value of a volatile parameter; nil leaves it unchanged.
  static func message(
    _ message: [UInt8], _ scope: VolatileScope, _ value: (VolatileParameter, ArraySlice<UInt8>) -> [UInt8]?
  ) -> [UInt8] {
    guard !scope.isEmpty, message.count >= ControlHeader.byteCount else { return message }
    let body = parameters(message[ControlHeader.byteCount...], scope, value)
    return ControlHeader.message(ControlHeader.id(of: message), body: body)
  }

  /// Returns a message with another value in its parameters of one id.
  static func message(_ message: [UInt8], parameter: UInt16, value: [UInt8]) -> [UInt8] {
    guard message.count >= ControlHeader.byteCount else { return message }
    let body = each(message[ControlHeader.byteCount...]) { id, old in id == parameter ? value : Array(old) }
    return ControlHeader.message(ControlHeader.id(of: message), body: body)
  }

  private static func parameters(
    _ bytes: ArraySlice<UInt8>, _ scope: VolatileScope, _ value: (VolatileParameter, ArraySlice<UInt8>) -> [UInt8]?
  ) -> [UInt8] {
    each(bytes) { id, old in
      let inner = scope.inside(id)
      if let line = inner.whole { return value(line, old) ?? Array(old) }
      return inner.isEmpty ? Array(old) : parameters(old, inner, value)
    }
  }

  /// Replaces the value of each parameter. Bytes that are not a parameter stay unchanged, and so does a parameter whose
  /// new value is too long.
  private static func each(
    _ bytes: ArraySlice<UInt8>, _ value: (UInt16, ArraySlice<UInt8>) -> [UInt8]
  ) -> [UInt8] {
    var all: [UInt8] = []
    var rest = bytes
    while rest.count >= 4 {
      let start = rest.startIndex
      let length = Int(rest[start]) << 8 | Int(rest[start + 1])
      guard length >= 4, length <= rest.count else { break }
      let id = UInt16(rest[start + 2]) << 8 | UInt16(rest[start + 3])
      let old = rest[(start + 4)..<(start + length)]
      let new = value(id, old)
      let fitting = new.count + 4 <= Int(UInt16.max) ? new : Array(old)
      all += UInt16(fitting.count + 4).bigEndianBytes + id.bigEndianBytes + fitting
      rest = rest.dropFirst(length)
    }
    return all + rest
  }
}
