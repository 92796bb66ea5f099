// swift-iap2 · Apache-2.0

/// The text of a kind of event, as a template over its fields.
///
/// | Part | Meaning |
/// |---|---|
/// | `{name}` | the value of a field |
/// | `{name:yes\|no}` | one of two texts for a flag |
/// | `{name:count}` | the number of bytes, or of values |
/// | `{name/…}` | the items of a list of groups, each with the text that follows, joined by commas |
/// | `[… {name} …]` | a part that is left out if the event lacks one of its fields |
public struct EventText: Sendable, Hashable, ExpressibleByStringLiteral {
  private enum Part: Sendable, Hashable {
    case text(String)
    case field(String, form: String)
    case items(String, [Part])
    case optional([Part])
  }

  private let parts: [Part]

  /// Reads a template, which is part of the program: a wrong one ends it.
  public init(stringLiteral text: String) {
    var rest = text[...]
    parts = Self.parts(&rest, until: nil)
    precondition(rest.isEmpty, "a text of an event ends too early: \(text)")
  }

  private static func parts(_ rest: inout Substring, until end: Character?) -> [Part] {
    var parts: [Part] = []
    var plain = ""
    func close() {
      if !plain.isEmpty { parts.append(.text(plain)) }
      plain = ""
    }
    while let next = rest.first, next != end {
      rest.removeFirst()
      switch next {
      case "{":
        close()
        let name = rest.prefix { $0 != "}" && $0 != "/" && $0 != ":" }
        if rest.dropFirst(name.count).first == "/" {
          rest = rest.dropFirst(name.count + 1)
          parts.append(.items(String(name), Self.parts(&rest, until: "}")))
          precondition(rest.first == "}", "a text of an event has an open brace")
          rest.removeFirst()
          continue
        }
        let field = rest.prefix { $0 != "}" }
        rest = rest.dropFirst(field.count + 1)
        let halves = field.split(separator: ":", maxSplits: 1)
        parts.append(.field(String(halves[0]), form: halves.count > 1 ? String(halves[1]) : ""))
      case "[":
        close()
        parts.append(.optional(Self.parts(&rest, until: "]")))
        precondition(rest.first == "]", "a text of an event has an open bracket")
        rest.removeFirst()
      default: plain.append(next)
      }
    }
    close()
    return parts
  }

  /// The names of the fields in the text.
  var fieldNames: [String] { Self.names(parts) }

  private static func names(_ parts: [Part]) -> [String] {
    parts.flatMap { part -> [String] in
      switch part {
      case .text: []
      case .field(let name, _), .items(let name, _): [name]
      case .optional(let inner): names(inner)
      }
    }
  }

  /// Returns the text with the values of a record.
  func text(of record: EventRecord) -> String { Self.text(parts, record) ?? "" }

  /// Returns nil if the record lacks a field of the parts.
  private static func text(_ parts: [Part], _ record: EventRecord) -> String? {
    var text = ""
    for part in parts {
      switch part {
      case .text(let plain): text += plain
      case .field(let name, let form):
        guard let value = record[name] else { return nil }
        text += Self.text(value, form)
      case .items(let name, let inner):
        guard case .list(let items)? = record[name] else { return nil }
        text += items.map { Self.text(inner, record.with($0)) ?? "" }.joined(separator: ", ")
      case .optional(let inner): text += Self.text(inner, record) ?? ""
      }
    }
    return text
  }

  private static func text(_ value: EventValue, _ form: String) -> String {
    switch (value, form) {
    case (_, ""): return value.word
    case (.bytes(let bytes), "count"): return "\(bytes.count)"
    case (.list(let values), "count"): return "\(values.count)"
    case (.flag(let flag), _):
      let words = form.split(separator: "|", omittingEmptySubsequences: false)
      return String((flag ? words.first : words.last) ?? "")
    default: return value.word
    }
  }
}

extension EventRecord {
  /// The record of an item of a list.
  fileprivate func with(_ item: EventValue) -> EventRecord {
    var record = self
    if case .fields(let values) = item { record.values = values }
    return record
  }
}
