// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Sockets
package import YAMLForms

/// The bytes of EA sessions in a scenario, and the services of a head unit.
package enum DataForms {
  /// The digits of hexadecimal bytes at most.
  private static let maximumDigits = 1 << 18

  /// Pairs of hexadecimal digits, of at most a message's bytes.
  static let hex = Form<String>.text(atMost: maximumDigits).checked { text, value throws(FileProblem) -> [UInt8] in
    guard let bytes = Hex.bytes(Substring(text.filter { $0 != " " })) else {
      throw value.problem("expected pairs of hexadecimal digits")
    }
    guard bytes.count <= 65_529 else { throw value.problem("the bytes are too long for a message") }
    return bytes
  }

  /// The characters of a text, which is not empty.
  static let text = Form<String>.text.checked { text, value throws(FileProblem) -> [UInt8] in
    guard !text.isEmpty else { throw value.problem("the text is empty") }
    return Array(text.utf8)
  }

  /// Bytes as hexadecimal digits, at least one.
  static let data = hex.checked { bytes, value throws(FileProblem) -> [UInt8] in
    guard !bytes.isEmpty, bytes.count <= YAMLValue.maximumTextByteCount else {
      throw value.problem("expected 1 to \(YAMLValue.maximumTextByteCount) bytes")
    }
    return bytes
  }

  /// Bytes to send: a text, `{text: …}` or `{hex: …}`.
  static let bytes = Form<[UInt8]>.value(
    text,
    orKeys: Form.one(
      of: [Verb("text", "These characters.", text), Verb("hex", "These bytes.", data)], "form of bytes"
    ).map(\.outcome)
  ).named("data")

  // MARK: Bytes to expect

  private static let exactText = text.checked { bytes, value throws(FileProblem) in
    DataPattern(bytes: bytes, text: SeenBytes.text(Array(try value.text().utf8)))
  }

  private static let plainPattern = Form<String>.text.checked { text, value throws(FileProblem) in
    try pattern(text, value)
  }

  /// Bytes to expect: `/PATTERN/`, a text, `{text: …}`, `{hex: …}` or `{pattern: …}`.
  static let expected = Form<DataPattern>.value(
    Form<String>.text.checked { text, value throws(FileProblem) in
      guard text.count > 1, text.hasPrefix("/"), text.hasSuffix("/") else { return try exactText.read(value) }
      return try pattern(String(text.dropFirst().dropLast()), value)
    },
    orKeys: Form.one(
      of: [
        Verb("text", "These characters.", exactText),
        Verb(
          "hex", "These bytes.",
          data.checked { bytes, value throws(FileProblem) in
            DataPattern(bytes: bytes, text: "hex \(try value.text())")
          }),
        Verb("pattern", "Bytes that match a pattern.", plainPattern),
      ], "form of bytes"
    ).map(\.outcome)
  ).named("pattern")

  private static func pattern(_ text: String, _ value: YAMLValue) throws(FileProblem) -> DataPattern {
    do { return try DataPattern(text) } catch {
      throw value.problem("the pattern /\(text)/ has an error after \(error.offset) characters: \(error.text)")
    }
  }

  // MARK: Services

  /// A service: its name, the address of a program, or the list of its script.
  package static let service = Form<Scenario.Service>.scalar(named, orList: script).named("service")

  private static let named = Form<String>.text.checked { text, value throws(FileProblem) -> Scenario.Service in
    if let service = Scenario.services[text] { return service }
    guard let address = program(text) else {
      let names = Scenario.services.keys.sorted().joined(separator: ", ")
      throw value.problem("\"\(text)\" is not one of \(names), nor tcp:HOST:PORT or unix:PATH of a program")
    }
    return .program(address)
  }.with(
    .anyOf([
      .choice(Scenario.services.keys.sorted()),
      .object(["type": .text("string"), "pattern": .text("^(tcp|unix):.")]),
    ]))

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

  private static let maximumAnswers = 100

  private static let script = Form<[Entry]>.list(entry).checked { entries, value throws(FileProblem) in
    var script = ServiceScript()
    for entry in entries {
      switch entry {
      case .answer(let answer): script.answers.append(answer)
      case .message(let message): script.messages.append(message)
      }
    }
    guard script.answers.count <= maximumAnswers, script.messages.count <= maximumAnswers else {
      throw value.problem("at most \(maximumAnswers) answers are allowed")
    }
    return Scenario.Service.script(script)
  }

  /// An entry of a script.
  private enum Entry: Sendable {
    case answer(ServiceScript.Answer)
    case message(ServiceScript.Message)
  }

  private static let wait = Form<Int>.seconds(0...Scenario.maximumWait)

  private static let entry = Form<Entry>.keys(
    .optional("expect", expected), .optional("on", expected), .key("reply", bytes, or: []), .optional("after", wait),
    .optional("every", .seconds(0.01...Scenario.maximumWait)), .optional("close", .done)
  ) { fields, expect, on, reply, after, every, close throws(FileProblem) in
    guard expect == nil || on == nil else { throw fields.problem("expect and on mean the same: leave one out") }
    guard let pattern = expect ?? on else {
      return .message(
        .init(
          bytes: reply, afterMilliseconds: after ?? every ?? 0, everyMilliseconds: every, closes: close != nil))
    }
    guard every == nil else { throw fields.problem("an entry has on or every, not both") }
    return .answer(
      .init(pattern: pattern, message: .init(bytes: reply, afterMilliseconds: after ?? 0, closes: close != nil)))
  }.requiring(oneOf: ["reply", "close"])
}

/// Bytes as they are shown to a person.
package enum SeenBytes {
  private static let shownByteCount = 64

  /// Returns printable bytes as a quoted text with escapes, and others as hexadecimal digits.
  package static func text(_ bytes: [UInt8]) -> String {
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
