// swift-iap2 · Apache-2.0

package import IAP2

/// The parameters of a message by their names in the catalog, as JSON and as text.
package struct FeatureValues: Encodable {
  /// The parameters in the order of the message. A repeated parameter has all its values.
  package let fields: [(name: String, values: [ParameterNode.Value])]

  /// Creates the values of decoded parameters.
  package init(_ nodes: [ParameterNode]) {
    var fields: [(name: String, values: [ParameterNode.Value])] = []
    for node in nodes {
      let name = node.name ?? "\(node.id)"
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index].values.append(node.value)
      } else {
        fields.append((name, [node.value]))
      }
    }
    self.fields = fields
  }

  /// Creates the values of a message; empty if the message cannot be encoded.
  package init(_ message: some ControlMessage) {
    // A received message has a valid length, so encoding it again does not fail.
    do { self.init(Self.nodes(try message.encoded(), type(of: message).rows)) } catch { self.init([]) }
  }

  private static func nodes(_ bytes: [UInt8], _ rows: [ParameterRow]) -> [ParameterNode] {
    ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: rows).nodes
  }

  private struct Name: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(_ name: String) { stringValue = name }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  package func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for field in fields {
      if field.values.count == 1 {
        try object.encode(FeatureValue(value: field.values[0]), forKey: Name(field.name))
      } else {
        try object.encode(field.values.map(FeatureValue.init), forKey: Name(field.name))
      }
    }
  }

  /// Names and values in one line.
  package var text: String {
    fields.map { field in "\(field.name) " + field.values.map(Self.text).joined(separator: " · ") }
      .joined(separator: ", ")
  }

  /// Returns one value as text.
  package static func text(_ value: ParameterNode.Value) -> String {
    switch value {
    case .text(let text): text.quoted
    case .unsigned(let number): "\(number)"
    case .signed(let number): "\(number)"
    case .bool(let value): value ? "yes" : "no"
    case .enumeration(let raw, let name): name ?? "\(raw)"
    case .void: "yes"
    case .bytes(let bytes): DecodedText.short(bytes)
    case .list(let numbers): numbers.map(String.init).joined(separator: " ")
    case .signedList(let numbers): numbers.map(String.init).joined(separator: " ")
    case .group(let nodes): "(\(FeatureValues(nodes).text))"
    }
  }
}

/// A parameter value in JSON: an enumeration by its name if it has one, a number above 32 bits as text.
package struct FeatureValue: Encodable {
  /// The value.
  package let value: ParameterNode.Value

  /// Creates the JSON form of a value.
  package init(value: ParameterNode.Value) { self.value = value }

  package func encode(to encoder: any Encoder) throws {
    if case .group(let nodes) = value { return try FeatureValues(nodes).encode(to: encoder) }
    var single = encoder.singleValueContainer()
    switch value {
    case .text(let text): try single.encode(text)
    case .unsigned(let number): try number > UInt64(UInt32.max) ? single.encode("\(number)") : single.encode(number)
    case .signed(let number): try single.encode(number)
    case .bool(let value): try single.encode(value)
    case .enumeration(let raw, let name): try name.map { try single.encode($0) } ?? single.encode(raw)
    case .void: try single.encode(true)
    case .bytes(let bytes): try single.encode(Hex.text(bytes))
    case .list(let numbers): try single.encode(numbers)
    case .signedList(let numbers): try single.encode(numbers)
    case .group: break
    }
  }
}
