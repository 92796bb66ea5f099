// swift-iap2 · Apache-2.0

package import Basics

/// The parameters of a message by their names in the catalog, as a value of an event and as text.
package struct FeatureValues: Sendable {
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

  /// The parameters as a value of an event. A repeated parameter is a list.
  package var eventValue: EventValue {
    .fields(
      fields.map { name, values in
        let each = values.map(Self.eventValue)
        return EventRecord.Value(name: name, value: each.count == 1 ? each[0] : .list(each))
      })
  }

  /// Returns one value: an enumeration by its name if it has one, a number above 32 bits as text.
  package static func eventValue(_ value: ParameterNode.Value) -> EventValue {
    switch value {
    case .text(let text): .text(text)
    case .unsigned(let number): number > UInt64(UInt32.max) ? .text("\(number)") : .integer(Int(number))
    case .signed(let number): .integer(Int(number))
    case .bool(let flag): .flag(flag)
    case .enumeration(let raw, let name): name.map { .text($0) } ?? .integer(Int(raw))
    case .void: .flag(true)
    case .bytes(let bytes): .bytes(bytes)
    case .list(let numbers): .list(numbers.map { Int(exactly: $0).map(EventValue.integer) ?? .text("\($0)") })
    case .signedList(let numbers): .list(numbers.map { .integer(Int($0)) })
    case .group(let nodes): FeatureValues(nodes).eventValue
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
    case .bytes(let bytes): Hex.shortText(bytes)
    case .list(let numbers): numbers.map(String.init).joined(separator: " ")
    case .signedList(let numbers): numbers.map(String.init).joined(separator: " ")
    case .group(let nodes): "(\(FeatureValues(nodes).text))"
    }
  }
}
