// swift-iap2 · Apache-2.0

/// How sure a fact is: two independent public sources, one, or less.
public enum Confidence: String, Sendable, Hashable, CaseIterable { case high, medium, low }

/// How often a parameter may come.
public enum ParameterCount: String, Sendable, Hashable {
  case one = "1"
  case optional = "0..1"
  case any = "0..*"
  case some = "1..*"
}

/// What the bytes of a parameter mean.
public indirect enum ParameterShape: Sendable, Equatable {
  case utf8, u8, u16, u32, u64, i8, i16, i32, i64, bool, blob, void
  case packed(ParameterShape)
  case enumeration([(UInt8, StaticString)])
  case group([ParameterRow])
  /// The stated form, and another that one source gives for the same id; both are read.
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

  public static func == (a: Self, b: Self) -> Bool {
    switch (a, b) {
    case (.group(let x), .group(let y)): x == y
    case (.alternative(let x, let y), .alternative(let z, let w)): x == z && y == w
    case (.enumeration(let x), .enumeration(let y)): x.map(\.0) == y.map(\.0)
    default: a.name == b.name
    }
  }
}

/// One line of a message's schema.
public struct ParameterRow: Sendable, Equatable {
  public var id: UInt16
  public var name: String
  public var count: ParameterCount
  public var shape: ParameterShape
  public var unit: String?
  public var confidence: Confidence
}

/// A parameter as a message holds it: once, at most once, or any number of times.
public protocol Parameter: Sendable, Equatable {
  static var count: ParameterCount { get }
  static var shape: ParameterShape { get }
  @_lifetime(reader: copy reader)
  static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Self
  func write(_ id: UInt16, _ writer: inout ParameterWriter)
  /// Bytes `write` will add, header included.
  var wireByteCount: Int { get }
}

/// What the bytes of one parameter mean.
public protocol WireValue: Parameter {
  static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self
  /// Several values joined in one parameter, as one implementation writes repeated ones (wiomoc).
  static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self]
  func put(_ writer: inout ParameterWriter)
}

extension WireValue {
  public static var count: ParameterCount { .one }

  @_lifetime(reader: copy reader)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Self {
    let header = try reader.only(id)
    guard header >= 0 else { throw reader.missing(id) }
    return try value(reader.bytes, reader.value(at: header))
  }

  public static func joined(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> [Self] {
    [try value(bytes, range)]
  }

  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    let start = writer.open(id)
    put(&writer)
    writer.close(start)
  }
}

extension Optional: Parameter where Wrapped: WireValue {
  public static var count: ParameterCount { .optional }
  public static var shape: ParameterShape { Wrapped.shape }

  /// Inlined where the message is read: LLVM merges the alike functions of two dozen types otherwise, and the merged one
  /// calls through pointers, which halves the speed of small messages.
  @_lifetime(reader: copy reader)
  @inline(__always)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Self {
    let header = try reader.only(id)
    guard header >= 0 else { return nil }
    return try Wrapped.value(reader.bytes, reader.value(at: header))
  }

  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    if let self { self.write(id, &writer) }
  }

  @inline(__always) public var wireByteCount: Int { if let self { self.wireByteCount } else { 0 } }
}

extension Array: Parameter where Element: WireValue {
  public static var count: ParameterCount { .any }
  public static var shape: ParameterShape { Element.shape }

  @_lifetime(reader: copy reader)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Self {
    var header = try reader.another(id, after: -1)
    guard header >= 0 else { return [] }
    var all = try Element.joined(reader.bytes, reader.value(at: header))
    while true {
      header = try reader.another(id, after: header)
      guard header >= 0 else { return all }
      all += try Element.joined(reader.bytes, reader.value(at: header))
    }
  }

  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    for element in self { element.write(id, &writer) }
  }

  public var wireByteCount: Int { reduce(0) { $0 &+ $1.wireByteCount } }
}

/// A void parameter: its presence is the value.
public struct Presence: Parameter, ExpressibleByBooleanLiteral {
  public var isSet: Bool
  public init(_ isSet: Bool) { self.isSet = isSet }
  public init(booleanLiteral value: Bool) { isSet = value }

  public static var count: ParameterCount { .optional }
  public static var shape: ParameterShape { .void }

  @_lifetime(reader: copy reader)
  public static func read(_ id: UInt16, _ reader: inout ParameterReader) throws(WireError) -> Presence {
    let header = try reader.only(id)
    guard header >= 0 else { return false }
    let found = reader.value(at: header).count
    guard found == 0 else { throw WireError(.wrongSize(expected: 0, found: found), offset: header, parameter: id) }
    return true
  }

  public func write(_ id: UInt16, _ writer: inout ParameterWriter) {
    if isSet { writer.header(id, byteCount: 4) }
  }

  @inline(__always) public var wireByteCount: Int { isSet ? 4 : 0 }
}
