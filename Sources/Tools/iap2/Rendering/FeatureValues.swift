// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// What a feature event says, by the names of the catalogue.
struct FeatureValues: Encodable {
  /// In the order of the message; names that repeat have all their values.
  let fields: [(name: String, values: [ParameterNode.Value])]

  init(_ nodes: [ParameterNode]) {
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

  init(_ message: some ControlMessage) {
    // Our own copy of what was received: it fits a message as it did.
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

  func encode(to encoder: any Encoder) throws {
    var object = encoder.container(keyedBy: Name.self)
    for field in fields {
      if field.values.count == 1 {
        try object.encode(FeatureValue(value: field.values[0]), forKey: Name(field.name))
      } else {
        try object.encode(field.values.map(FeatureValue.init), forKey: Name(field.name))
      }
    }
  }

  /// For people: names and values in one line.
  var text: String {
    fields.map { field in "\(field.name) " + field.values.map(Self.text).joined(separator: " · ") }
      .joined(separator: ", ")
  }

  static func text(_ value: ParameterNode.Value) -> String {
    switch value {
    case .text(let text): "\"\(DecodedText.printable(text))\""
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

/// One value in JSON: enumerations by their name where there is one, 64-bit numbers as text.
struct FeatureValue: Encodable {
  let value: ParameterNode.Value

  func encode(to encoder: any Encoder) throws {
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
