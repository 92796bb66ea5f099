// swift-iap2 · Apache-2.0

/// A value of a property list. Booleans and whole numbers are different cases, because iOS distinguishes them.
public enum PropertyValue: Sendable, Hashable {
  /// A truth value.
  case bool(Bool)
  /// A whole number.
  case integer(Int64)
  /// A number above the largest signed one, which the binary form stores in 16 bytes.
  case unsigned(UInt64)
  /// A number with a fraction.
  case real(Double)
  /// A text.
  case text(String)
  /// Bytes.
  case data([UInt8])
  /// Values in their order.
  case array([PropertyValue])
  /// Values by their names.
  case dictionary([String: PropertyValue])
}

extension PropertyValue {
  /// The value of a key; nil for a missing key, and for a value that is not a dictionary.
  public subscript(key: String) -> PropertyValue? {
    guard case .dictionary(let values) = self else { return nil }
    return values[key]
  }

  /// The number without its fraction; nil for another value, and for one beyond the signed numbers. Some senders write
  /// whole numbers as real ones (CarPlaySession.md#property-numbers).
  public var integer: Int64? {
    switch self {
    case .integer(let value): value
    case .real(let value): Int64(exactly: value.rounded(.towardZero))
    default: nil
    }
  }

  /// The identifier of a stream: an unsigned number, or a negative one as its two's complement
  /// (CarPlaySession.md#stream-id).
  public var identifier: UInt64? {
    switch self {
    case .integer(let value): UInt64(bitPattern: value)
    case .unsigned(let value): value
    case .real(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The truth value, which some senders write as 0 or 1; nil for another value.
  public var bool: Bool? {
    switch self {
    case .bool(let value): value
    case .integer(0), .real(0): false
    case .integer(1), .real(1): true
    default: nil
    }
  }

  /// The text; nil for another value.
  public var text: String? {
    guard case .text(let value) = self else { return nil }
    return value
  }

  /// The bytes; nil for another value.
  public var data: [UInt8]? {
    guard case .data(let value) = self else { return nil }
    return value
  }

  /// The values of an array; nil for another value.
  public var array: [PropertyValue]? {
    guard case .array(let value) = self else { return nil }
    return value
  }
}

extension PropertyValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a truth value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// Creates a number.
  public init(floatLiteral value: Double) { self = .real(value) }
  /// Creates a text.
  public init(stringLiteral value: String) { self = .text(value) }
  /// Creates an array.
  public init(arrayLiteral elements: PropertyValue...) { self = .array(elements) }
  /// Creates a dictionary; of two equal keys the last counts.
  public init(dictionaryLiteral elements: (String, PropertyValue)...) {
    self = .dictionary(Dictionary(elements) { $1 })
  }
}

/// The bounds of a property list in a message. Ours (CarPlaySession.md#property-lists).
public enum PropertyListLimits {
  /// The largest size of a body in bytes.
  public static let byteCount = 1 << 20
  /// The largest number of containers around a value, counted from 1 for the outermost.
  public static let depth = 16
  /// The largest number of objects after expansion: an object with two references counts twice.
  public static let objectCount = 65_536
  /// The largest size of all text and data after expansion, in bytes.
  public static let contentByteCount = 4 * byteCount
}

/// A reason why a property list is refused.
public enum PropertyListProblem: Error, Sendable, Hashable {
  /// The bytes do not begin with `bplist00`. The XML form is refused.
  case notBinary
  /// More bytes than ``PropertyListLimits/byteCount``.
  case tooLong(byteCount: Int)
  /// The table at the end, or an offset in it, points outside of the bytes.
  case badTable
  /// An object has an unknown form, or ends beyond the objects. The value is its offset.
  case badObject(offset: Int)
  /// Containers are nested deeper than ``PropertyListLimits/depth``, as in a cycle of references.
  case tooDeep
  /// More objects than ``PropertyListLimits/objectCount``, or more bytes in them than
  /// ``PropertyListLimits/contentByteCount``.
  case tooManyObjects
}
