// swift-iap2 · Apache-2.0

package import IAP2

/// The fields of a packet or a message. Together they cover every byte.
package struct FieldLayout: Sendable, Equatable {
  /// A field.
  package struct Field: Sendable, Equatable {
    /// The range of the field in the packet or message.
    package var range: Range<Int>
    /// The name of the field or parameter.
    package var name: String
    /// The number of groups that enclose the field.
    package var depth = 0
    /// The decoded value; nil if the value is only the bytes.
    package var value: String?
  }

  /// The fields in order, without gaps.
  package private(set) var fields: [Field] = []
  private var end = 0

  private mutating func add(_ name: String, _ byteCount: Int, depth: Int = 0, value: String? = nil) {
    guard byteCount > 0 else { return }
    fields.append(Field(range: end..<(end + byteCount), name: name, depth: depth, value: value))
    end += byteCount
  }

  // MARK: Packets

  /// - Parameter packet: all bytes of the packet.
  package init(packet: [UInt8], _ header: LinkHeader) {
    for field in LinkHeader.fields { add(field, packet) }
    let payloadEnd = LinkHeader.byteCount + header.payloadByteCount
    guard payloadEnd <= packet.count else { return }
    if header.control.contains(.synchronize) {
      // A truncated payload has names for the fields that are complete.
      for field in LinkSynchronization.fields {
        guard end + field.byteCount <= payloadEnd else { break }
        add(field, packet)
      }
      while end + LinkSynchronization.sessionByteCount <= payloadEnd {
        for field in LinkSynchronization.sessionFields { add(field, packet) }
      }
    }
    add("payload", payloadEnd - end)
    add("payload checksum", packet.count - end)
  }

  private mutating func add(_ field: WireField, _ bytes: [UInt8]) {
    let number = bytes[end..<min(bytes.count, end + field.byteCount)].reduce(0) { $0 << 8 | Int($1) }
    let value: String? =
      switch field.kind {
      case .mark: nil
      case .number: "\(number)"
      case .control: LinkControl(rawValue: UInt8(truncatingIfNeeded: number)).names.joined(separator: "+")
      }
    add(field.name, field.byteCount, value: value)
  }

  // MARK: Messages

  /// - Parameter message: all bytes of the message, at least a header.
  package init(message: [UInt8], name: String?, _ parameters: [ParameterNode]) {
    add("start", 2)
    add("length", 2, value: "\(message.count)")
    add("id", 2, value: name ?? "unknown")
    add(parameters, message, end: message.count, depth: 0)
    add("not a parameter", message.count - end)
  }

  private mutating func add(_ nodes: [ParameterNode], _ message: [UInt8], end limit: Int, depth: Int) {
    for node in nodes where node.offset == end && node.offset + 4 <= limit {
      let stated = Int(message[node.offset]) << 8 | Int(message[node.offset + 1])
      let nodeEnd = min(limit, node.offset + max(4, stated))
      let name = node.name ?? "parameter \(node.id)"
      add("length", 2, depth: depth, value: "\(stated)")
      add("id", 2, depth: depth, value: "\(node.id) \(name)")
      if case .group(let inner) = node.value { add(inner, message, end: nodeEnd, depth: depth + 1) }
      add(name, nodeEnd - end, depth: depth + 1, value: FieldText.value(node.value))
    }
  }
}

/// Short texts for the values of parameters.
private enum FieldText {
  /// Returns nil for bytes without a known meaning.
  static func value(_ value: ParameterNode.Value) -> String? {
    switch value {
    case .text(let text): "\"\(text)\""
    case .unsigned(let number): "\(number)"
    case .signed(let number): "\(number)"
    case .bool(let value): "\(value)"
    case .enumeration(let raw, let name): name.map { "\(raw) \($0)" } ?? "\(raw)"
    case .list(let numbers): numbers.map(String.init).joined(separator: ", ")
    case .signedList(let numbers): numbers.map(String.init).joined(separator: ", ")
    case .void, .bytes, .group: nil
    }
  }
}
