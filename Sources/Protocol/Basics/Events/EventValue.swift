// swift-iap2 · Apache-2.0

/// A value of an event, as every output shows it.
public indirect enum EventValue: Sendable, Hashable {
  /// A text, or the name of a case.
  case text(String)
  /// A whole number.
  case integer(Int)
  /// A number with a fraction.
  case number(Double)
  /// Yes or no.
  case flag(Bool)
  /// Bytes, which are hexadecimal digits in text.
  case bytes([UInt8])
  /// Values in order.
  case list([EventValue])
  /// Values with names, in order.
  case fields([EventRecord.Value])
  /// A value that expectations write in another way than JSON.
  case worded(String, EventValue)
  /// A key in JSON without a value.
  case null

  /// The value as an expectation of a scenario writes it: lists and the values of groups are joined by commas.
  public var word: String {
    switch self {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .number(let number): "\(number)"
    case .flag(let flag): "\(flag)"
    case .bytes(let bytes): Hex.text(bytes)
    case .list(let values): values.map(\.word).joined(separator: ",")
    case .fields(let values): values.map(\.value.word).joined(separator: ",")
    case .worded(let word, _): word
    case .null: ""
    }
  }
}

extension EventValue: Encodable {
  /// Encodes the value as JSON has it; bytes are a text of hexadecimal digits.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .text, .bytes:
      var container = encoder.singleValueContainer()
      try container.encode(word)
    case .integer(let number):
      var container = encoder.singleValueContainer()
      try container.encode(number)
    case .number(let number):
      var container = encoder.singleValueContainer()
      try container.encode(number)
    case .flag(let flag):
      var container = encoder.singleValueContainer()
      try container.encode(flag)
    case .list(let values):
      var container = encoder.singleValueContainer()
      try container.encode(values)
    case .worded(_, let value): try value.encode(to: encoder)
    case .null:
      var container = encoder.singleValueContainer()
      try container.encodeNil()
    case .fields(let values):
      var container = encoder.container(keyedBy: EventKey.self)
      for value in values { try container.encode(value.value, forKey: EventKey(value.name)) }
    }
  }
}

/// A type whose values events have.
public protocol EventFieldType: Sendable {
  /// The form of the value in the documentation.
  static var eventForm: String { get }
  /// Whether an event may lack the value.
  static var isOptionalInEvents: Bool { get }
  /// The value; nil if the event lacks it.
  var eventValue: EventValue? { get }
}

extension EventFieldType {
  /// Whether an event may lack the value; most cannot.
  public static var isOptionalInEvents: Bool { false }
}

extension String: EventFieldType {
  /// A text.
  public static var eventForm: String { "text" }
  /// The text.
  public var eventValue: EventValue? { .text(self) }
}

extension Bool: EventFieldType {
  /// Yes or no.
  public static var eventForm: String { "true or false" }
  /// The flag.
  public var eventValue: EventValue? { .flag(self) }
}

extension Int: EventFieldType {
  /// A whole number.
  public static var eventForm: String { "number" }
  /// The number.
  public var eventValue: EventValue? { .integer(self) }
}

extension Double: EventFieldType {
  /// A number.
  public static var eventForm: String { "number" }
  /// The number.
  public var eventValue: EventValue? { .number(self) }
}

extension Optional: EventFieldType where Wrapped: EventFieldType {
  /// The form of the value that may lack.
  public static var eventForm: String { Wrapped.eventForm }
  /// An event may lack it.
  public static var isOptionalInEvents: Bool { true }
  /// The value, if there is one.
  public var eventValue: EventValue? { flatMap(\.eventValue) }
}

extension Array: EventFieldType where Element: EventFieldType {
  /// A list.
  public static var eventForm: String { "list of \(Element.eventForm)" }
  /// The values in order.
  public var eventValue: EventValue? { .list(compactMap(\.eventValue)) }
}

/// Values of an event that have names, or a list of such values.
public struct EventGroup: EventFieldType, Hashable {
  /// The values.
  public var value: EventValue

  /// Creates the value of a field.
  public init(_ value: EventValue) { self.value = value }

  /// An object, or a list of objects.
  public static var eventForm: String { "object or list" }
  /// The values.
  public var eventValue: EventValue? { value }
}

/// A value of an event that may have any form.
public struct EventAnything: EventFieldType, Hashable {
  /// The value.
  public var value: EventValue

  /// Creates the value of a field.
  public init(_ value: EventValue) { self.value = value }

  /// Any form.
  public static var eventForm: String { "any value" }
  /// The value.
  public var eventValue: EventValue? { value }
}

/// A text of an event that is null in JSON if it is not known.
public struct EventTextOrNull: EventFieldType, Hashable {
  /// The text.
  public var text: String?

  /// Creates the value of a field.
  public init(_ text: String?) { self.text = text }

  /// A text, or null.
  public static var eventForm: String { "text or null" }
  /// The text.
  public var eventValue: EventValue? { text.map { .text($0) } ?? .null }
}

/// Bytes of an event, which are hexadecimal digits in text.
public struct EventBytes: EventFieldType, Hashable {
  /// The bytes.
  public var bytes: [UInt8]

  /// Creates the value of a field.
  public init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Hexadecimal digits.
  public static var eventForm: String { "hexadecimal digits" }
  /// The bytes.
  public var eventValue: EventValue? { .bytes(bytes) }
}
