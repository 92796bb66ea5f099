// swift-iap2 · Apache-2.0

package import IAP2

/// A field of a finding: a field of every line, a field of its layer, or a parameter of a message.
package enum FindingField: Sendable, Hashable {
  /// A field with a fixed name.
  case named(Name)
  /// A number of a SYN or SYN+ACK.
  case synchronization(LinkField)
  /// A parameter's name, or the names of the enclosing groups and its own, in lowercase:
  /// `VehicleInformationComponent.Name`.
  case parameter([String])
  /// A value of a finding of a CarPlay session.
  case session(SessionField)
  /// A value in the body of a CarPlay session's message, by the names of its keys in lowercase: `body.streams.type`.
  case body([String])
  /// A parameter of one message only: `CallStateUpdate.Direction`.
  case messageParameter(UInt16, [String])

  /// The fixed names. They are the keys of JSON lines, except `message`, which is the name of a control message,
  /// `error`, `connection`, `comment` and `text`.
  package enum Name: String, Sendable, CaseIterable {
    case record, time, connection, from, layer
    case control, sequence, acknowledgement, session, length, headerChecksum, payloadChecksum
    case message, id
    case byteCount, data, file, operation
    case error, offset, comment
    case text
  }

  /// The reason why a text names no field.
  package enum Problem: Error, Equatable, Sendable {
    /// The text is neither a field nor a parameter; up to five similar names are listed.
    case unknown(String, similar: [String])
  }

  /// The beginning of the names of a body's values. Any name may follow: phones and head units have keys of their own.
  private static let bodyPrefix = "body."

  /// Finds a field by its text, in any case.
  package init(parsing text: String) throws(Problem) {
    if let name = Name.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
      self = .named(name)
      return
    }
    if let field = LinkField.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
      self = .synchronization(field)
      return
    }
    if text.lowercased() == "direction" {
      self = .named(.from)
      return
    }
    if let field = SessionField.allCases.first(where: { $0.rawValue.lowercased() == text.lowercased() }) {
      self = .session(field)
      return
    }
    if text.lowercased().hasPrefix(Self.bodyPrefix) {
      self = .body(text.dropFirst(Self.bodyPrefix.count).split(separator: ".").map { $0.lowercased() })
      return
    }
    var path = text.split(separator: ".", omittingEmptySubsequences: false).map { $0.lowercased() }
    if path.count > 1, let message = MessageCatalog[name: path[0]] {
      path.removeFirst()
      guard path.allSatisfy({ ParameterNames.all[$0] != nil }) else {
        throw .unknown(text, similar: Self.similar(to: text))
      }
      self = .messageParameter(message.info.id, path)
      return
    }
    guard path.allSatisfy({ ParameterNames.all[$0] != nil }) else {
      throw .unknown(text, similar: Self.similar(to: text))
    }
    self = .parameter(path)
  }

  /// The text of the field, as the catalog spells it.
  package var text: String {
    switch self {
    case .named(let name): name.rawValue
    case .synchronization(let field): field.rawValue
    case .parameter(let path): Self.text(path)
    case .session(let field): field.rawValue
    case .body(let path): Self.bodyPrefix + path.joined(separator: ".")
    case .messageParameter(let id, let path):
      "\(MessageCatalog[id]?.name ?? MessageCatalog.text(id)).\(Self.text(path))"
    }
  }

  private static func text(_ path: [String]) -> String {
    path.map { ParameterNames.all[$0] ?? $0 }.joined(separator: ".")
  }

  /// Returns whether every line of a kind has the field, so that a line without other fields is not worth printing.
  func isCommon(in line: DecodedLine) -> Bool {
    switch self {
    case .named(.record), .named(.time), .named(.connection), .named(.from), .named(.layer): true
    case .named(.session): line.isOfCarPlay
    case .named, .synchronization, .parameter, .messageParameter, .session, .body: false
    }
  }

  private static func similar(to text: String) -> [String] {
    let wanted = text.split(separator: ".").last.map { $0.lowercased() } ?? ""
    guard wanted.count >= 3 else { return [] }
    let near = ParameterNames.sorted.filter { $0.small.contains(wanted) || wanted.contains($0.small) }
    // Typing errors are rare in the first letters.
    let names = near.isEmpty ? ParameterNames.sorted.filter { $0.small.hasPrefix(wanted.prefix(3)) } : near
    return names.prefix(5).map(\.name)
  }

  // MARK: Values

  /// Returns the values that a finding has for the field: none, one, or several if a parameter is repeated.
  package func values(_ line: DecodedLine) -> [FindingValue] {
    switch self {
    case .named(.record): [.integer(Int128(line.record))]
    case .named(.time): line.time.map { [.seconds($0)] } ?? []
    case .named(.connection): [.integer(Int128(line.flow + 1))]
    case .named(.from): line.isOfFile ? [] : [.text(line.from.rawValue)]
    case .named(.layer): [.text(line.layer)]
    case .named(.text): Self.texts(line.content).map { .text($0) }
    case .named(.session) where line.isOfCarPlay: [.integer(Int128(line.flow + 1))]
    case .named(let name): Self.special(line.content).filter { $0.0 == name }.map(\.1)
    case .synchronization(let field):
      if case .synchronization(let value) = line.content { [.integer(Int128(value[field]))] } else { [] }
    case .session(let field): if case .session(let finding) = line.content { finding.values(field) } else { [] }
    case .body(let path):
      if case .session(let finding) = line.content { finding.body?.values(at: path[...]) ?? [] } else { [] }
    case .messageParameter(let id, let path):
      if case .control(id, _, let parameters, _) = line.content {
        ParameterNames.values(at: path[...], parameters)
      } else {
        []
      }
    case .parameter(let path):
      if case .control(_, _, let parameters, _) = line.content {
        ParameterNames.values(at: path[...], parameters)
      } else {
        []
      }
    }
  }

  private static func special(_ content: DecodedLine.Content) -> [(Name, FindingValue)] {
    switch content {
    case .detect, .synchronization: []
    case .link(let header, let state, let payload):
      header.control.names.map { (.control, .text($0)) } + [
        (.sequence, .integer(Int128(header.sequence.rawValue))),
        (.acknowledgement, .integer(Int128(header.acknowledgement.rawValue))),
        (.session, .integer(Int128(header.session))), (.length, .integer(Int128(header.byteCount))),
        (.headerChecksum, .text(state.rawValue)), (.payloadChecksum, .text(payload.rawValue)),
      ]
    case .control(let id, let name, _, let bytes):
      [
        (.message, .name(name ?? MessageCatalog.text(id), Int128(id))),
        (.id, .name(MessageCatalog.text(id), Int128(id))),
        (.length, .integer(Int128(bytes.count))), (.data, .bytes(bytes)),
      ]
    case .externalAccessory(let session, let data):
      [
        (.session, .integer(Int128(session))), (.byteCount, .integer(Int128(data.count))), (.data, .bytes(data)),
      ]
    case .fileTransfer(let file, let operation, let byteCount):
      [
        (.file, .integer(Int128(file))), (.byteCount, .integer(Int128(byteCount))),
        (.operation, .name(operation.name ?? "\(operation.rawValue)", Int128(operation.rawValue))),
      ]
    case .error(let message, let offset): [(.error, .text(message)), (.offset, .integer(Int128(offset)))]
    case .comment(let text): [(.comment, .text(text))]
    case .session(let finding):
      finding.fields.compactMap { field in Name(rawValue: field.name.rawValue).map { ($0, field.value) } }
    }
  }

  /// Returns the texts of a finding: names, texts of parameters, errors, comments, and data as text.
  private static func texts(_ content: DecodedLine.Content) -> [String] {
    switch content {
    case .control(_, let name, let parameters, _): [name].compactMap { $0 } + ParameterNames.texts(parameters)
    case .externalAccessory(_, let data): [String(decoding: data, as: UTF8.self)]
    case .error(let message, _): [message]
    case .comment(let text): [text]
    case .session(let finding): [finding.text] + (finding.body?.texts ?? [])
    case .detect, .link, .synchronization, .fileTransfer: []
    }
  }
}

extension DecodedLine {
  /// Whether the line is a finding of a CarPlay session. Its flow is the number of the session.
  fileprivate var isOfCarPlay: Bool { if case .session = content { true } else { false } }
}

/// The names of parameters, and the values of a message by name.
enum ParameterNames {
  /// The names as the catalog spells them, by their lowercase form.
  static let all: [String: String] = {
    var names: [String: String] = [:]
    func add(_ rows: [ParameterRow]) {
      for row in rows {
        names[row.name.lowercased()] = row.name
        if case .group(let inner) = row.shape { add(inner) }
        if case .alternative(let stated, let other) = row.shape {
          for case .group(let inner) in [stated, other] { add(inner) }
        }
      }
    }
    for entry in MessageCatalog.all { add(entry.rows) }
    return names
  }()

  /// The names of parameters and fields, to suggest for a misspelled one.
  static let sorted: [(small: String, name: String)] =
    (FindingField.Name.allCases.map(\.rawValue) + LinkField.allCases.map(\.rawValue)
    + SessionField.allCases.map(\.rawValue)).map { ($0.lowercased(), $0) }
    + all.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }

  /// Returns the values of the nodes whose path ends in these names, at any depth.
  static func values(at path: ArraySlice<String>, _ nodes: [ParameterNode]) -> [FindingValue] {
    nodes.flatMap { node in
      let inner: [ParameterNode] = if case .group(let inner) = node.value { inner } else { [] }
      let deeper = values(at: path, inner)
      guard node.name?.lowercased() == path.first else { return deeper }
      return (path.count == 1 ? values(node) : values(under: path.dropFirst(), inner)) + deeper
    }
  }

  /// Returns the values for the rest of a path whose beginning was found.
  private static func values(under path: ArraySlice<String>, _ nodes: [ParameterNode]) -> [FindingValue] {
    nodes.flatMap { node -> [FindingValue] in
      guard node.name?.lowercased() == path.first else { return [] }
      guard path.count > 1 else { return values(node) }
      return if case .group(let inner) = node.value { values(under: path.dropFirst(), inner) } else { [] }
    }
  }

  private static func values(_ node: ParameterNode) -> [FindingValue] {
    switch node.value {
    case .text(let text): [.text(text)]
    case .unsigned(let number): [.integer(Int128(number))]
    case .signed(let number): [.integer(Int128(number))]
    case .bool(let value): [.name("\(value)", value ? 1 : 0)]
    case .enumeration(let raw, let name): [.name(name ?? "\(raw)", Int128(raw))]
    case .void: [.name("true", 1)]
    case .bytes(let bytes): [.bytes(bytes)]
    case .list(let numbers): numbers.map { .integer(Int128($0)) }
    case .signedList(let numbers): numbers.map { .integer(Int128($0)) }
    // A group has no value of its own; this text lets a filter test whether it is present.
    case .group(let nodes): [.text("\(nodes.count) parameters")]
    }
  }

  static func texts(_ nodes: [ParameterNode]) -> [String] {
    nodes.flatMap { node -> [String] in
      switch node.value {
      case .text(let text): [text]
      case .enumeration(_, let name): [name].compactMap { $0 }
      case .group(let inner): texts(inner)
      case .unsigned, .signed, .bool, .void, .bytes, .list, .signedList: []
      }
    }
  }
}
