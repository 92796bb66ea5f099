// swift-iap2 · Apache-2.0

/// The importance of an event for a reader of a log.
public enum EventSeverity: String, Sendable, Hashable, CaseIterable {
  /// A detail of the protocol.
  case detail
  /// A step of the protocol.
  case step
  /// The content of a session.
  case content
  /// A change of the connection or of power.
  case notice
  /// A fault that a session survives.
  case warning
  /// The end of a session, or a failure.
  case end
}

/// A declaration of a kind of event. JSON lines, lines of text, expectations of scenarios, notes in captures and the
/// documentation derive from it.
public struct EventDeclaration: Sendable, Hashable {
  /// A field of an event.
  public struct Field: Sendable, Hashable {
    /// The name, which is the key in JSON and in expectations.
    public var name: String
    /// The form of the value, such as `text`.
    public var form: String
    /// The meaning of the value, with its unit.
    public var summary: String
    /// Whether an event may lack it.
    public var isOptional: Bool
  }

  /// The outputs that have a kind of event.
  public enum Audience: Sendable, Hashable {
    /// All outputs.
    case everybody
    /// Text for people alone; with `--json` it is a note on standard error.
    case people
    /// Expectations of scenarios alone: an event for each picture would fill every log.
    case scenarios
  }

  /// The name in JSON and in scenarios.
  public var name: String
  /// The occurrence, as a sentence.
  public var summary: String
  /// The importance.
  public var severity: EventSeverity
  /// The fields in the order of the text.
  public var fields: [Field]
  /// The text for people; see ``EventText``.
  public var text: EventText
  /// The note in captures of this program; nil for none.
  public var note: EventText?
  /// The outputs that have it.
  public var audience: Audience
}

/// A field of a kind of event.
public struct EventField<Value: EventFieldType>: Sendable {
  let name: String
  let summary: String

  /// Declares a field.
  ///
  /// - Parameters:
  ///   - name: The key in JSON and in expectations.
  ///   - summary: The meaning of the value, with its unit.
  public init(_ name: String, _ summary: String) { (self.name, self.summary) = (name, summary) }
}

/// A kind of event: its declaration, and the way from its values to a record.
///
/// ```swift
/// static let refused = EventKind(
///   "carPlayRefused", "A request was refused.", .warning, text: "{cause}[, status {status}]",
///   EventField<String>("cause", "the reason"), EventField<Int?>("status", "the status of the answer"))
/// let record = refused("busy", 453)
/// ```
public struct EventKind<each Value: EventFieldType>: Sendable {
  /// The declaration.
  public let declaration: EventDeclaration

  /// Declares a kind of event.
  ///
  /// - Parameters:
  ///   - name: The name in JSON and in scenarios.
  ///   - summary: The occurrence, as a sentence.
  ///   - severity: The importance.
  ///   - text: The text for people. A wrong one is a fault of the program.
  ///   - note: The note in captures; nil for none.
  ///   - audience: The outputs that have it.
  ///   - fields: The fields in the order of their values.
  public init(
    _ name: String, _ summary: String, _ severity: EventSeverity = .step, text: EventText = "",
    note: EventText? = nil, for audience: EventDeclaration.Audience = .everybody,
    _ fields: repeat EventField<each Value>
  ) {
    var declared: [EventDeclaration.Field] = []
    func declare<One: EventFieldType>(_ field: EventField<One>) {
      declared.append(
        EventDeclaration.Field(
          name: field.name, form: One.eventForm, summary: field.summary, isOptional: One.isOptionalInEvents))
    }
    repeat declare(each fields)
    let names = Set(declared.map(\.name))
    precondition(names.count == declared.count, "\(name) has a field twice")
    let named = text.fieldNames + (note?.fieldNames ?? [])
    precondition(named.allSatisfy(names.contains), "a text of \(name) names a field that it lacks")
    declaration = EventDeclaration(
      name: name, summary: summary, severity: severity, fields: declared, text: text, note: note, audience: audience)
  }

  /// Makes the record of an event of this kind.
  public func callAsFunction(_ values: repeat each Value) -> EventRecord {
    var record = EventRecord(declaration)
    var index = 0
    func add(_ value: some EventFieldType) {
      if let present = value.eventValue {
        record.values.append(EventRecord.Value(name: declaration.fields[index].name, value: present))
      }
      index += 1
    }
    repeat add(each values)
    return record
  }
}
