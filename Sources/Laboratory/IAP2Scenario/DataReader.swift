// swift-iap2 · Apache-2.0

import IAP2Sockets

/// A reader of the bytes of EA sessions in a scenario.
package enum DataReader {
  /// Reads bytes to send: a text, `{text: …}` or `{hex: …}`.
  static func bytes(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt8] {
    if value.isScalar { return try text(value) }
    let (name, inner) = try single(value, ["text", "hex"])
    return name == "hex" ? try hex(inner) : try text(inner)
  }

  /// Reads the bytes of a value that is a text, or hexadecimal digits.
  static func bytes(_ value: YAMLValue, isHex: Bool) throws(ScenarioProblem) -> [UInt8] {
    isHex ? try hex(value) : try text(value)
  }

  /// Reads bytes to expect: `/PATTERN/`, a text, `{text: …}`, `{hex: …}` or `{pattern: …}`.
  static func pattern(_ value: YAMLValue) throws(ScenarioProblem) -> DataPattern {
    if value.isScalar {
      let text = try value.text()
      guard text.count > 1, text.hasPrefix("/"), text.hasSuffix("/") else {
        return DataPattern(bytes: try self.text(value), text: quoted(text))
      }
      return try pattern(value, String(text.dropFirst().dropLast()))
    }
    let (name, inner) = try single(value, ["text", "hex", "pattern"])
    switch name {
    case "hex": return DataPattern(bytes: try hex(inner), text: "hex \(try inner.text())")
    case "text": return DataPattern(bytes: try text(inner), text: quoted(try inner.text()))
    default: return try pattern(inner, try inner.text())
    }
  }

  private static func pattern(_ value: YAMLValue, _ text: String) throws(ScenarioProblem) -> DataPattern {
    do { return try DataPattern(text) } catch {
      throw value.problem("the pattern /\(text)/ has an error after \(error.offset) characters: \(error.text)")
    }
  }

  /// Returns a text in quotes, with its control characters as escapes.
  private static func quoted(_ text: String) -> String { SeenBytes.text(Array(text.utf8)) }

  private static func single(
    _ value: YAMLValue, _ names: [String]
  ) throws(ScenarioProblem) -> (name: String, value: YAMLValue) {
    let fields = try value.fields(names)
    guard fields.count == 1, let field = fields.first else {
      throw value.problem("expected a text, or one of \(names.joined(separator: ", "))")
    }
    return (field.key, field.value)
  }

  private static func text(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt8] {
    let bytes = Array(try value.text().utf8)
    guard !bytes.isEmpty else { throw value.problem("the text is empty") }
    return bytes
  }

  private static func hex(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt8] {
    let bytes = try Scenario.hex(value)
    guard !bytes.isEmpty, bytes.count <= YAMLValue.maximumTextByteCount else {
      throw value.problem("expected 1 to \(YAMLValue.maximumTextByteCount) bytes")
    }
    return bytes
  }

  // MARK: Services

  /// Reads a service: its name, the address of a program, or the list of its script.
  package static func service(_ value: YAMLValue) throws(ScenarioProblem) -> Scenario.Service {
    let names = Scenario.services.keys.sorted().joined(separator: ", ")
    if value.isScalar {
      let text = try value.text()
      if let service = Scenario.services[text] { return service }
      guard let address = program(text) else {
        throw value.problem("\"\(text)\" is not one of \(names), nor tcp:HOST:PORT or unix:PATH of a program")
      }
      return .program(address)
    }
    guard value.isList else {
      throw value.problem("expected \(names), tcp:HOST:PORT or unix:PATH of a program, or a list of answers")
    }
    var script = ServiceScript()
    for item in try value.list() { try add(item, to: &script) }
    guard script.answers.count <= maximumAnswers, script.messages.count <= maximumAnswers else {
      throw value.problem("at most \(maximumAnswers) answers are allowed")
    }
    return .script(script)
  }

  private static let maximumAnswers = 100

  /// Returns the socket of a program, if the text is the address of one.
  private static func program(_ text: String) -> TransportAddress? {
    do {
      let address = try TransportAddress(parsing: text)
      return switch address {
      case .tcp, .unix: address
      case .tcpListen, .unixListen, .pty, .serial: nil
      }
    } catch { return nil }
  }

  private static func add(_ item: YAMLValue, to script: inout ServiceScript) throws(ScenarioProblem) {
    let fields = try item.fields(ScenarioSchema.script)
    let bytes = try fields["reply"].map { value throws(ScenarioProblem) in try Self.bytes(value) } ?? []
    try fields["close"]?.confirm()
    let closes = fields["close"] != nil
    guard closes || !bytes.isEmpty else { throw item.problem("the entry needs a reply or a close") }
    let after = Int((try fields["after"]?.number(0...Scenario.maximumWait) ?? 0) * 1000)
    guard fields["expect"] == nil || fields["on"] == nil else {
      throw item.problem("expect and on mean the same: leave one out")
    }
    guard let expected = fields["expect"] ?? fields["on"] else {
      let every = try fields["every"].map { value throws(ScenarioProblem) in
        Int(try value.number(0.01...Scenario.maximumWait) * 1000)
      }
      let first = fields["after"] == nil ? every ?? 0 : after
      script.messages.append(
        .init(bytes: bytes, afterMilliseconds: first, everyMilliseconds: every, closes: closes))
      return
    }
    guard fields["every"] == nil else { throw item.problem("an entry has on or every, not both") }
    script.answers.append(
      .init(
        pattern: try pattern(expected), message: .init(bytes: bytes, afterMilliseconds: after, closes: closes)))
  }
}

/// Bytes as they are shown to a person.
enum SeenBytes {
  private static let shownByteCount = 64

  /// Returns printable bytes as a quoted text with escapes, and others as hexadecimal digits.
  static func text(_ bytes: [UInt8]) -> String {
    let shown = bytes.suffix(shownByteCount)
    let isText = shown.allSatisfy { (0x20...0x7E).contains($0) || [0x09, 0x0A, 0x0D].contains($0) }
    let dots = bytes.count > shown.count ? "…" : ""
    guard isText else {
      return dots + shown.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined(separator: " ")
    }
    let escapes: [UInt8: String] = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r", 0x22: "\\\""]
    return "\"" + dots + shown.map { escapes[$0] ?? String(UnicodeScalar($0)) }.joined() + "\""
  }
}
