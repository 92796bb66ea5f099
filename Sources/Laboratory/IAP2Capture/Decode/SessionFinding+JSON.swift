// swift-iap2 · Apache-2.0

extension SessionFinding {
  private struct Key: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ text: String) { stringValue = text }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Encodes the keys of its own into the object of a line. Several values of one name are an array.
  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Key.self)
    try object.encode(text, forKey: Key("text"))
    for (name, fields) in Dictionary(grouping: fields, by: \.name) {
      let values = fields.map { Value(value: $0.value) }
      if values.count == 1 {
        try object.encode(values[0], forKey: Key(name.rawValue))
      } else {
        try object.encode(values, forKey: Key(name.rawValue))
      }
    }
    if let body { try object.encode(Tree(tree: body), forKey: Key("body")) }
  }

  private struct Tree: Encodable {
    let tree: FindingTree

    func encode(to encoder: any Encoder) throws {
      switch tree {
      case .value(let value): try Value(value: value).encode(to: encoder)
      case .list(let parts):
        var list = encoder.unkeyedContainer()
        for part in parts { try list.encode(Tree(tree: part)) }
      case .group(let entries):
        var object = encoder.container(keyedBy: Key.self)
        for entry in entries { try object.encode(Tree(tree: entry.value), forKey: Key(entry.name)) }
      }
    }
  }

  private struct Value: Encodable {
    let value: FindingValue

    func encode(to encoder: any Encoder) throws {
      var single = encoder.singleValueContainer()
      switch value {
      // JSON readers lose digits of larger numbers.
      case .integer(let number) where number.magnitude < 1 << 53: try single.encode(Int64(number))
      case .seconds(let number): try single.encode(FindingValue.rounded(number))
      case .real(let number): try single.encode(number)
      case .flag(let value): try single.encode(value)
      case .integer, .text, .name, .bytes: try single.encode(value.text)
      }
    }
  }
}
