// swift-iap2 · Apache-2.0

/// An event with its values.
public struct EventRecord: Sendable, Hashable {
  /// A value with the name of its field.
  public struct Value: Sendable, Hashable {
    /// The name of the field.
    public var name: String
    /// The value.
    public var value: EventValue

    /// Creates a value.
    public init(name: String, value: EventValue) { (self.name, self.value) = (name, value) }
  }

  /// The declaration of its kind.
  public var declaration: EventDeclaration
  /// The values that it has, in the order of the declaration.
  public var values: [Value] = []

  private var ownText: String?

  init(_ declaration: EventDeclaration) { self.declaration = declaration }

  /// The value of a field; nil if the event lacks it. Setting it replaces it, or adds it behind the others.
  public subscript(name: String) -> EventValue? {
    get { values.first { $0.name == name }?.value }
    set {
      let index = values.firstIndex { $0.name == name }
      switch (index, newValue) {
      case (let index?, let value?): values[index].value = value
      case (let index?, nil): values.remove(at: index)
      case (nil, let value?): values.append(Value(name: name, value: value))
      case (nil, nil): break
      }
    }
  }

  /// The values as the expectations of a scenario match them. The values of a group have their own names, and those of
  /// one name are joined by commas.
  public var words: [String: String] {
    var words: [String: String] = [:]
    for value in values { Self.add(value.name, value.value, to: &words) }
    return words
  }

  fileprivate static func add(_ name: String, _ value: EventValue, to words: inout [String: String]) {
    switch value {
    case .null: break
    case .fields(let inner): for value in inner { add(value.name, value.value, to: &words) }
    case .list(let items) where items.contains(where: \.isGroup): for item in items { add(name, item, to: &words) }
    default: words[name] = words[name].map { "\($0),\(value.word)" } ?? value.word
    }
  }

  /// The text for people.
  public var text: String { ownText ?? declaration.text.text(of: self) }

  /// The note in captures; nil for none.
  public var note: String? { declaration.note?.text(of: self) }

  /// Returns the record with a text of its own, for a kind of event whose values need more than a template.
  public func saying(_ text: String) -> EventRecord {
    var record = self
    record.ownText = text
    return record
  }
}

extension EventValue {
  /// The values of a group as the expectations of a scenario match them; see ``EventRecord/words``.
  package var words: [String: String] {
    var words: [String: String] = [:]
    if case .fields(let values) = self { for value in values { EventRecord.add(value.name, value.value, to: &words) } }
    return words
  }

  fileprivate var isGroup: Bool { if case .fields = self { true } else { false } }
}
