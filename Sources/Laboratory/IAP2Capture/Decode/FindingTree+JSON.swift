// swift-iap2 · Apache-2.0

extension FindingValue: Encodable {
  /// Encodes the value as text, as a number or as a truth value.
  public func encode(to encoder: any Encoder) throws {
    var single = encoder.singleValueContainer()
    switch self {
    // JSON readers lose digits of larger numbers.
    case .integer(let number) where number.magnitude < 1 << 53: try single.encode(Int64(number))
    case .seconds(let number): try single.encode(Self.rounded(number))
    case .real(let number): try single.encode(number)
    case .flag(let value): try single.encode(value)
    case .integer, .text, .name, .bytes: try single.encode(text)
    }
  }
}

extension FindingTree: Encodable {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes a list as an array, and a group as an object.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value): try value.encode(to: encoder)
    case .list(let parts):
      var list = encoder.unkeyedContainer()
      for part in parts { try list.encode(part) }
    case .group(let entries):
      var object = encoder.container(keyedBy: Key.self)
      for entry in entries { try object.encode(entry.value, forKey: Key(stringValue: entry.name)) }
    }
  }
}
