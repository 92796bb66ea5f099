// swift-iap2 · Apache-2.0

/// A dictionary of a message. Its known keys have typed properties, and unknown keys are kept.
public protocol PropertyBody: Sendable, Hashable, PropertyConvertible {
  /// The values by their keys, unknown ones too.
  var values: [String: PropertyValue] { get set }

  /// Creates a body from its values.
  init(values: [String: PropertyValue])
}

/// A type that a property list stores as one value.
public protocol PropertyConvertible {
  /// Reads a value; nil for a value of another type.
  init?(propertyValue: PropertyValue)

  /// The value in a property list.
  var propertyValue: PropertyValue { get }
}

extension PropertyBody {
  /// Reads a dictionary; nil for another value.
  public init?(propertyValue: PropertyValue) {
    guard case .dictionary(let values) = propertyValue else { return nil }
    self.init(values: values)
  }

  /// The dictionary.
  public var propertyValue: PropertyValue { .dictionary(values) }

  /// The bytes of the body as a binary property list.
  public var bytes: [UInt8] { propertyValue.binary }

  /// Reads a body.
  ///
  /// - Throws: ``BodyProblem`` for bytes that are not a property list, or not a dictionary.
  public init(bytes: [UInt8]) throws(BodyProblem) {
    let value: PropertyValue
    do { value = try PropertyValue(binary: bytes) } catch { throw .propertyList(error) }
    guard let body = Self(propertyValue: value) else { throw .noDictionary }
    self = body
  }

  /// The value of a key; nil without one, and for a value of another type.
  subscript<Value: PropertyConvertible>(key: String) -> Value? {
    get { values[key].flatMap(Value.init(propertyValue:)) }
    set { values[key] = newValue?.propertyValue }
  }

  /// The bytes of a key; nil without one, and for a value of another type.
  subscript(data key: String) -> [UInt8]? {
    get { values[key]?.data }
    set { values[key] = newValue.map { .data($0) } }
  }

  /// The port of a key; nil without one, and for a value that is no port: 1 to 65535.
  subscript(port key: String) -> UInt16? {
    get { (self[key] as Int?).flatMap(UInt16.init(exactly:)).flatMap { $0 == 0 ? nil : $0 } }
    set { self[key] = newValue.map(Int.init) }
  }
}

/// A reason why the body of a message is refused. The answer has status 400.
public enum BodyProblem: Error, Sendable, Hashable {
  /// The bytes are not a binary property list within the limits.
  case propertyList(PropertyListProblem)
  /// The outermost value is not a dictionary.
  case noDictionary
}

extension Bool: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    guard let value = propertyValue.bool else { return nil }
    self = value
  }
  public var propertyValue: PropertyValue { .bool(self) }
}

extension Int: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    guard let value = propertyValue.integer else { return nil }
    self.init(value)
  }
  public var propertyValue: PropertyValue { .integer(Int64(self)) }
}

/// Numbers without a sign: identifiers of streams and feature bits.
extension UInt64: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    guard let value = propertyValue.identifier else { return nil }
    self = value
  }
  public var propertyValue: PropertyValue { Int64(exactly: self).map { .integer($0) } ?? .unsigned(self) }
}

/// Numbers with a fraction. Some senders write whole numbers in their place.
extension Double: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    switch propertyValue {
    case .real(let value): self = value
    case .integer(let value): self.init(value)
    case .unsigned(let value): self.init(value)
    default: return nil
    }
  }
  public var propertyValue: PropertyValue { .real(self) }
}

extension String: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    guard let value = propertyValue.text else { return nil }
    self = value
  }
  public var propertyValue: PropertyValue { .text(self) }
}

/// Arrays. If one element has another type, the whole array is refused.
extension Array: PropertyConvertible where Element: PropertyConvertible {
  public init?(propertyValue: PropertyValue) {
    guard let values = propertyValue.array else { return nil }
    let elements = values.compactMap(Element.init(propertyValue:))
    guard elements.count == values.count else { return nil }
    self = elements
  }
  public var propertyValue: PropertyValue { .array(map(\.propertyValue)) }
}
