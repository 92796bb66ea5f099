// swift-iap2 · Apache-2.0

/// The confidence of a fact: high for two independent public sources, medium for one, low for an inference.
public enum Confidence: String, Sendable, Hashable, CaseIterable {
  /// Two independent public sources show the fact.
  case high
  /// One public source shows the fact.
  case medium
  /// The fact is an inference.
  case low
}

/// The number of times that a parameter may occur in a message or group.
public enum ParameterCount: String, Sendable, Hashable {
  /// Exactly once.
  case one = "1"
  /// At most once.
  case optional = "0..1"
  /// Any number of times, or never.
  case any = "0..*"
  /// At least once.
  case some = "1..*"

  /// Whether a message without the parameter breaks its schema.
  package var isRequired: Bool { self == .one || self == .some }
}

/// The type of a parameter's value, as Sessions.md#types lists them.
public indirect enum ParameterShape: Sendable, Equatable {
  /// The types without further content.
  case utf8, u8, u16, u32, u64, i8, i16, i32, i64, bool, blob, void
  /// Several numbers in one parameter.
  case packed(ParameterShape)
  /// An enumeration of one byte: the known values with their names.
  case enumeration([(UInt8, StaticString)])
  /// A run of parameters with ids of its own.
  case group([ParameterRow])
  /// The declared type and a second one that a single source gives for the same id. The reader accepts both.
  case alternative(ParameterShape, ParameterShape)

  /// The name of the type, as in Sessions.md#types.
  public var name: String {
    switch self {
    case .utf8: "utf8"
    case .u8: "u8"
    case .u16: "u16"
    case .u32: "u32"
    case .u64: "u64"
    case .i8: "i8"
    case .i16: "i16"
    case .i32: "i32"
    case .i64: "i64"
    case .bool: "bool"
    case .blob: "blob"
    case .void: "void"
    case .packed(let element): "array-of-\(element.name)"
    case .enumeration: "enum"
    case .group: "group"
    case .alternative(let stated, _): stated.name
    }
  }

  /// Compares two shapes. Enumerations are equal if they have the same values; their names do not count.
  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.group(let x), .group(let y)): x == y
    case (.alternative(let x, let y), .alternative(let z, let w)): x == z && y == w
    case (.enumeration(let x), .enumeration(let y)): x.map(\.0) == y.map(\.0)
    default: a.name == b.name
    }
  }
}

/// One parameter of a schema.
public struct ParameterRow: Sendable, Equatable {
  /// The parameter id, below 64.
  public var id: UInt16
  /// The name of the parameter.
  public var name: String
  /// The number of times that the parameter may occur.
  public var count: ParameterCount
  /// The type of its value.
  public var shape: ParameterShape
  /// The unit of its value; nil if it has none or none is known.
  package var unit: String?
  /// The confidence that the parameter is as declared.
  package var confidence: Confidence
  /// The values that it may have; nil if its type says it all.
  package var limit: ValueLimit?
}

/// A value that a message holds for one parameter id: required, optional or repeated.
public protocol Parameter: Sendable, Equatable {
  /// The number of times that the parameter may occur.
  static var count: ParameterCount { get }
  /// The type of its value.
  static var shape: ParameterShape { get }
  /// Reads all parameters with this id into the value, which is the default one. If there is none and the schema allows
  /// that, the value stays.
  ///
  /// - Throws: ``WireError`` if the value cannot be read, or if a required parameter is missing or repeated.
  @_lifetime(reader: copy reader)
  mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError)
  /// Writes the value as one parameter, several or none.
  func write(_ id: UInt16, _ writer: inout ParameterWriter)
  /// The bytes that `write` adds, headers included.
  var wireByteCount: Int { get }
}

/// A value of one parameter.
public protocol WireValue: Parameter {
  /// Reads the value from a range of the message; throws ``WireError`` if the bytes do not have its form.
  static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self
  /// Appends the values of one parameter: one, or several that are joined, as WIO and LIVI write repeated ones
  /// (Sessions.md#joined-lists; high).
  static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [Self]) throws(WireError)
  /// Writes the value without the parameter's header.
  func put(_ writer: inout ParameterWriter)
}

extension WireValue {
  /// One: a plain value is required.
  public static var count: ParameterCount { .one }

  /// Reads the only parameter with this id; throws if it is missing or repeated.
  @_lifetime(reader: copy reader)
  @inline(__always)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    let header = try reader.only(id)
    guard header >= 0 else { throw reader.missing(id) }
    self = try Self.value(reader.bytes, reader.value(at: header))
  }

  /// Appends one value: by default, values are not joined.
  public static func append(_ bytes: RawSpan, _ range: Range<Int>, to all: inout [Self]) throws(WireError) {
    all.append(try value(bytes, range))
  }

  /// Returns the values of one parameter: one, or several that are joined.
  static func all(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self] {
    var all: [Self] = []
    try append(bytes, range, to: &all)
    return all
  }

  /// Writes one parameter.
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    let start = writer.open(id)
    put(&writer)
    writer.close(start)
  }
}

extension Optional: Parameter where Wrapped: WireValue {
  /// Zero or one.
  public static var count: ParameterCount { .optional }
  /// The type of the wrapped value.
  public static var shape: ParameterShape { Wrapped.shape }

  /// Reads the only parameter with this id; throws if it is repeated.
  ///
  /// The functions `read` are inlined because LLVM otherwise merges the functions of two dozen types into one that
  /// calls through pointers.
  @_lifetime(reader: copy reader)
  @inline(__always)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    let header = try reader.only(id)
    guard header >= 0 else { return }
    self = try Wrapped.value(reader.bytes, reader.value(at: header))
  }

  /// Writes one parameter, or none for nil.
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    if let self { self.write(id, &writer) }
  }

  /// The bytes of one parameter; 0 for nil.
  @inline(__always) public var wireByteCount: Int { if let self { self.wireByteCount } else { 0 } }
}

extension Array: Parameter where Element: WireValue {
  /// Any number.
  public static var count: ParameterCount { .any }
  /// The type of one element.
  public static var shape: ParameterShape { Element.shape }

  /// Reads every parameter with this id, joined ones included.
  @_lifetime(reader: copy reader)
  @inline(__always)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    var header = try reader.another(id, after: -1)
    while header >= 0 {
      try Element.append(reader.bytes, reader.value(at: header), to: &self)
      header = try reader.another(id, after: header)
    }
  }

  /// Writes one parameter for each element.
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    for element in self { element.write(id, &writer) }
  }

  /// The bytes of all parameters.
  public var wireByteCount: Int { reduce(0) { $0 &+ $1.wireByteCount } }
}

/// A void parameter: its presence is its value.
public struct Presence: Parameter, ExpressibleByBooleanLiteral {
  /// Whether the parameter is present.
  public var isSet: Bool
  /// Creates a present or absent parameter.
  public init(_ isSet: Bool) { self.isSet = isSet }
  /// Creates a present or absent parameter.
  public init(booleanLiteral value: Bool) { isSet = value }

  /// Zero or one.
  public static var count: ParameterCount { .optional }
  /// Void.
  public static var shape: ParameterShape { .void }

  /// Reads whether the parameter is present; throws if it has a value or is repeated.
  @_lifetime(reader: copy reader)
  @inline(__always)
  public mutating func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) {
    let header = try reader.only(id)
    guard header >= 0 else { return }
    let found = reader.value(at: header).count
    guard found == 0 else { throw WireError(.wrongSize(expected: 0, found: found), offset: header, parameter: id) }
    isSet = true
  }

  /// Writes an empty parameter if it is present.
  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    if isSet { writer.header(id, byteCount: 4) }
  }

  /// The four bytes of the header, or 0 if the parameter is absent.
  @inline(__always) public var wireByteCount: Int { isSet ? 4 : 0 }
}
