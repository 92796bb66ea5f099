// swift-iap2 · Apache-2.0

package import IAP2

/// A sink that writes lines of JSON, one object each with its keys in alphabetical order. The text is the same as that
/// of an encoded ``DecodedLine``, many times faster.
package struct JSONSink: DecodedSink {
  private var output = JSONText()

  /// Creates a sink without lines.
  package init() {}

  /// Returns the lines since the last call and removes them.
  package mutating func takeBytes() -> [UInt8] {
    defer { output.bytes.removeAll(keepingCapacity: true) }
    return output.bytes
  }

  // MARK: Keys of every line, in their order

  private mutating func from(_ place: DecodedPlace) {
    output.raw(place.from == .accessory ? "\"from\":\"accessory\"" : "\"from\":\"device\"")
  }

  private mutating func record(_ place: DecodedPlace) {
    output.raw(",\"record\":")
    output.number(place.record)
  }

  private mutating func end(_ place: DecodedPlace) {
    output.raw(",\"time\":")
    output.number(place.time)
    output.raw("}\n")
  }

  // MARK: Lines

  /// Writes a line for a detect sequence.
  package mutating func detect(at place: DecodedPlace) {
    output.raw("{")
    from(place)
    output.raw(",\"layer\":\"detect\"")
    record(place)
    end(place)
  }

  /// Writes a line for a packet header.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    output.raw("{\"acknowledgement\":")
    output.number(Int(header.acknowledgement.rawValue))
    output.raw(",\"control\":[")
    var isFirst = true
    for (bit, name) in LinkControl.names where header.control.contains(bit) {
      if !isFirst { output.raw(",") }
      isFirst = false
      output.text(name)
    }
    output.raw("],")
    from(place)
    output.raw(",\"headerChecksum\":")
    checksum(state)
    output.raw(",\"layer\":\"link\",\"length\":")
    output.number(header.byteCount)
    output.raw(",\"payloadChecksum\":")
    checksum(payload)
    record(place)
    output.raw(",\"sequence\":")
    output.number(Int(header.sequence.rawValue))
    output.raw(",\"session\":")
    output.number(Int(header.session))
    end(place)
  }

  private mutating func checksum(_ state: DecodedLine.ChecksumState) {
    switch state {
    case .valid: output.raw("\"valid\"")
    case .invalid: output.raw("\"invalid\"")
    case .absent: output.raw("\"absent\"")
    }
  }

  /// Writes a line for the payload of a SYN or SYN+ACK.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    output.raw("{")
    number(.cumulativeAckTimeout, parameters)
    output.raw(",")
    from(place)
    output.raw(",\"layer\":\"synchronization\"")
    for field in [LinkField.maxCumulativeAcks, .maxOutstandingPackets, .maxPacketLength, .maxRetransmissions] {
      output.raw(",")
      number(field, parameters)
    }
    record(place)
    output.raw(",")
    number(.retransmissionTimeout, parameters)
    output.raw(",\"sessions\":[")
    for (index, session) in parameters.sessions.enumerated() {
      output.raw(index == 0 ? "{\"id\":" : ",{\"id\":")
      output.number(Int(session.id))
      output.raw(",\"type\":")
      output.text(session.type.name ?? String(session.type.rawValue))
      output.raw(",\"version\":")
      output.number(Int(session.version))
      output.raw("}")
    }
    output.raw("],\"time\":")
    output.number(place.time)
    output.raw(",")
    number(.version, parameters)
    output.raw("}\n")
  }

  private mutating func number(_ field: LinkField, _ parameters: LinkSynchronization) {
    output.text(field.rawValue)
    output.raw(":")
    output.number(parameters[field])
  }

  /// Writes a line for a control message, and one for each of its errors.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    let message = DecodedMessage(bytes)
    output.raw("{")
    from(place)
    output.raw(",\"id\":")
    output.text(MessageCatalog.text(message.id))
    output.raw(",\"layer\":\"control\",\"name\":")
    output.text(message.entry?.name)
    output.raw(",\"parameters\":[")
    nodes(message.parameters)
    output.raw("]")
    record(place)
    end(place)
    for problem in message.errors(from: offset) { error(problem.text, offset: problem.offset, at: place) }
  }

  private mutating func nodes(_ nodes: [ParameterNode]) {
    for (index, node) in nodes.enumerated() {
      output.raw(index == 0 ? "{" : ",{")
      if case .enumeration(_, let name) = node.value {
        output.raw("\"case\":")
        output.text(name)
        output.raw(",")
      }
      output.raw("\"id\":")
      output.number(Int(node.id))
      output.raw(",\"name\":")
      output.text(node.name)
      output.raw(",\"type\":")
      output.text(node.type)
      output.raw(",\"value\":")
      value(node)
      output.raw("}")
    }
  }

  private mutating func value(_ node: ParameterNode) {
    switch node.value {
    case .text(let text): output.text(text)
    // JSON readers lose digits of 64-bit numbers.
    case .unsigned(let number) where node.type == "u64": output.text(String(number))
    case .unsigned(let number): output.number(number)
    case .signed(let number) where node.type == "i64": output.text(String(number))
    case .signed(let number): output.number(number)
    case .bool(let flag): output.raw(flag ? "true" : "false")
    case .enumeration(let raw, _): output.number(raw)
    case .void: output.raw("true")
    case .bytes(let bytes): output.hex(bytes.rawBytes)
    case .list(let numbers) where node.type == "array-of-u64": list(numbers) { $0.output.text(String($1)) }
    case .list(let numbers): list(numbers) { $0.output.number($1) }
    case .signedList(let numbers): list(numbers) { $0.output.number($1) }
    case .group(let inner):
      output.raw("[")
      nodes(inner)
      output.raw("]")
    }
  }

  private mutating func list<Part>(_ parts: [Part], _ write: (inout Self, Part) -> Void) {
    output.raw("[")
    for (index, part) in parts.enumerated() {
      if index > 0 { output.raw(",") }
      write(&self, part)
    }
    output.raw("]")
  }

  /// Writes a line for data of an EA session.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    output.raw("{\"byteCount\":")
    output.number(data.byteCount)
    output.raw(",\"data\":")
    output.hex(data)
    output.raw(",")
    from(place)
    output.raw(",\"layer\":\"externalAccessory\"")
    record(place)
    output.raw(",\"session\":")
    output.number(Int(session))
    end(place)
  }

  /// Writes a line for a file datagram, without its data.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    output.raw("{\"byteCount\":")
    output.number(data.byteCount)
    output.raw(",\"file\":")
    output.number(Int(file))
    output.raw(",")
    from(place)
    output.raw(",\"layer\":\"fileTransfer\",\"operation\":")
    output.text(operation.name ?? "0x" + String(operation.rawValue, radix: 16))
    record(place)
    end(place)
  }

  /// Writes a line for a finding of a CarPlay session.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) {
    var separator: StaticString = "{"
    for (key, name) in Self.sessionKeys where key.isPresent(in: finding) {
      output.raw(separator)
      separator = ","
      output.bytes += name
      switch key {
      case .text: output.text(finding.text)
      case .from: output.text(place.from.rawValue)
      case .layer: output.text(finding.layer.rawValue)
      case .record: output.number(place.record)
      case .session: output.number(place.flow + 1)
      case .body: if let body = finding.body { tree(body) }
      case .field(let name): values(of: name, finding)
      }
    }
    end(place)
  }

  /// Writes the values of a field. Several values are a list.
  private mutating func values(of name: SessionField, _ finding: SessionFinding) {
    let isList = finding.fields.count { $0.name == name } > 1
    var separator: StaticString = "["
    for field in finding.fields where field.name == name {
      if isList { output.raw(separator) }
      separator = ","
      value(field.value)
    }
    if isList { output.raw("]") }
  }

  /// A key of a finding's line.
  private enum SessionKey {
    case text, from, layer, record, session, body
    case field(SessionField)

    var name: String {
      switch self {
      case .text: "text"
      case .from: "from"
      case .layer: "layer"
      case .record: "record"
      case .session: "session"
      case .body: "body"
      case .field(let name): name.rawValue
      }
    }

    func isPresent(in finding: SessionFinding) -> Bool {
      switch self {
      case .text, .from, .layer, .record, .session: true
      case .body: finding.body != nil
      case .field(let name): finding.fields.contains { $0.name == name }
      }
    }
  }

  /// The keys in their order, each with its name as it is written.
  private static let sessionKeys =
    ([.text, .from, .layer, .record, .session, .body] + SessionField.allCases.map(SessionKey.field))
    .sorted { $0.name < $1.name }.map { (key: $0, name: Array("\"\($0.name)\":".utf8)) }

  private mutating func members(_ entries: [FindingTree.Entry]) {
    for (index, entry) in entries.enumerated() {
      if index > 0 { output.raw(",") }
      output.text(entry.name)
      output.raw(":")
      tree(entry.value)
    }
  }

  private mutating func tree(_ tree: FindingTree) {
    switch tree {
    case .value(let value): self.value(value)
    case .list(let parts): list(parts) { writer, part in writer.tree(part) }
    case .group(let entries):
      output.raw("{")
      members(entries)
      output.raw("}")
    }
  }

  private mutating func value(_ value: FindingValue) {
    switch value {
    // JSON readers lose digits of larger numbers.
    case .integer(let number) where number.magnitude < 1 << 53: output.number(Int64(number))
    case .seconds(let number): output.number(FindingValue.rounded(number))
    case .real(let number): output.number(number)
    case .flag(let value): output.raw(value ? "true" : "false")
    case .bytes(let bytes): output.hex(bytes.rawBytes)
    case .integer, .text, .name: output.text(value.text)
    }
  }

  /// Writes a line for damage of the file; its sender is null.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    output.raw("{\"from\":null")
    errorText(message, offset, place)
  }

  /// Writes a line for an error.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    output.raw("{")
    from(place)
    errorText(message, offset, place)
  }

  private mutating func errorText(_ message: String, _ offset: Int, _ place: DecodedPlace) {
    output.raw(",\"layer\":\"error\",\"message\":")
    output.text(message)
    output.raw(",\"offset\":")
    output.number(offset)
    record(place)
    end(place)
  }
}
