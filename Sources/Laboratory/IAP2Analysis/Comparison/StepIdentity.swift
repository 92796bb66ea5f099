// swift-iap2 · Apache-2.0

package import IAP2

/// The content of a step without its volatile parts. Steps that are not a difference have equal identities.
struct StepIdentity: Hashable {
  /// The kind of a step. Steps of the same kind are compared with each other if their contents differ.
  enum Kind: Hashable {
    case detect
    case synchronization(isAnswer: Bool)
    case reset
    case message(UInt16)
    case externalAccessory(String?)
    case file
  }

  /// A group of steps whose order counts. The order between two lanes depends on timing.
  enum Lane: Hashable, CaseIterable {
    case accessory, device
    case externalAccessory
    case accessoryFiles, deviceFiles
  }

  let kind: Kind
  let content: [UInt8]

  init(_ step: SessionRecord.Step.Content, _ record: SessionRecord, _ rules: ComparisonRules) {
    switch step {
    case .detect: (kind, content) = (.detect, [])
    case .reset: (kind, content) = (.reset, [])
    case .synchronization(let parameters, let isAnswer):
      kind = .synchronization(isAnswer: isAnswer)
      content = SynchronizationField.all.flatMap { field -> [UInt8] in
        switch field.value(in: parameters) {
        case .number(let number): number.bigEndianBytes
        case .sessions(let sessions): sessions.flatMap { [$0.type.rawValue, $0.version] }
        }
      }
    case .message(let bytes):
      let id = ControlHeader.id(of: bytes)
      (kind, content) = (.message(id), CanonicalMessage.bytes(bytes, rules))
    case .externalAccessory(let index):
      let session = record.externalAccessories[index]
      kind = .externalAccessory(session.protocolName)
      content = (session.accessory.digests + [.max] + session.device.digests).flatMap(\.bigEndianBytes)
    case .file(let index):
      let file = record.files[index]
      kind = .file
      let setup = file.setup.map { [$0.byteCount, $0.type.map(UInt64.init) ?? .max] } ?? []
      content = (file.data.digests + setup).flatMap(\.bigEndianBytes) + Array(file.outcome.rawValue.utf8)
    }
  }
}

extension SessionRecord.Step {
  var lane: StepIdentity.Lane {
    switch content {
    case .detect, .synchronization, .reset, .message: from == .accessory ? .accessory : .device
    case .externalAccessory: .externalAccessory
    case .file: from == .accessory ? .accessoryFiles : .deviceFiles
    }
  }
}

/// A value of a SYN or SYN+ACK.
package enum SynchronizationField: Sendable, Equatable {
  /// A number.
  case number(LinkField)
  /// The list of sessions.
  case sessions

  static let all = LinkField.allCases.map(number) + [sessions]

  /// The name in JSON.
  package var name: String {
    switch self {
    case .number(let field): field.rawValue
    case .sessions: "sessions"
    }
  }

  /// The value of a field.
  package enum Value: Sendable, Equatable {
    /// A number.
    case number(UInt16)
    /// The sessions, sorted by type; their ids are volatile.
    case sessions([LinkSession])

    /// Compares sessions by type and version only.
    package static func == (a: Value, b: Value) -> Bool {
      switch (a, b) {
      case (.number(let x), .number(let y)): x == y
      case (.sessions(let x), .sessions(let y)):
        x.map { [$0.type.rawValue, $0.version] } == y.map { [$0.type.rawValue, $0.version] }
      case (.number, .sessions), (.sessions, .number): false
      }
    }
  }

  /// Returns the value of this field.
  package func value(in parameters: LinkSynchronization) -> Value {
    switch self {
    case .number(let field): .number(parameters[field])
    case .sessions:
      .sessions(parameters.sessions.sorted { ($0.type.rawValue, $0.version) < ($1.type.rawValue, $1.version) })
    }
  }
}

/// Control messages as bytes that are equal if the messages differ in volatile parameters only.
package enum CanonicalMessage {
  /// Returns the bytes of a message.
  package static func bytes(_ message: [UInt8], _ rules: ComparisonRules) -> [UInt8] {
    let id = ControlHeader.id(of: message)
    let scope = VolatileScope(rules.parameters(of: id))
    var bytes: [UInt8] = []
    guard scope.whole == nil else { return bytes }
    let (nodes, errors) = ParameterNode.nodes(of: message.rawBytes, rows: MessageCatalog[id]?.rows ?? [])
    append(nodes, scope, to: &bytes)
    // A truncated parameter is not in the nodes.
    for error in errors where error.reason == .truncated { bytes += message[min(error.offset, message.count)...] }
    return bytes
  }

  /// Appends parameters in the order of their ids, and those of one id in wire order.
  private static func append(_ nodes: [ParameterNode], _ scope: VolatileScope, to bytes: inout [UInt8]) {
    for node in inOrder(nodes) {
      let inner = scope.inside(node.id)
      if inner.whole?.treatment == .dropped { continue }
      bytes += node.id.bigEndianBytes
      let value = value(node.value, inner)
      bytes += UInt64(value.count).bigEndianBytes + value
    }
  }

  static func inOrder(_ nodes: [ParameterNode]) -> [ParameterNode] {
    // Most messages are sorted already. Sorting is stable, so equal ids keep their order.
    zip(nodes, nodes.dropFirst()).allSatisfy { $0.id <= $1.id } ? nodes : nodes.sorted { $0.id < $1.id }
  }

  static func value(_ value: ParameterNode.Value, _ scope: VolatileScope) -> [UInt8] {
    switch scope.whole?.treatment {
    case .ignored, .identity, .dropped: return []
    case .unordered: if case .list(let numbers) = value { return plain(.list(numbers.sorted()), scope) }
    case nil: break
    }
    return plain(value, scope)
  }

  /// The first byte distinguishes the types of values.
  private static func plain(_ value: ParameterNode.Value, _ scope: VolatileScope) -> [UInt8] {
    switch value {
    case .text(let text): return [1] + Array(text.utf8)
    case .unsigned(let number): return [2] + number.bigEndianBytes
    case .signed(let number): return [3] + UInt64(bitPattern: number).bigEndianBytes
    case .bool(let value): return [4, value ? 1 : 0]
    case .enumeration(let raw, _): return [5, raw]
    case .void: return [6]
    case .bytes(let bytes): return [7] + bytes
    case .list(let numbers): return [8] + numbers.flatMap(\.bigEndianBytes)
    case .signedList(let numbers): return [9] + numbers.flatMap { UInt64(bitPattern: $0).bigEndianBytes }
    case .group(let nodes):
      var bytes: [UInt8] = [10]
      append(nodes, scope, to: &bytes)
      return bytes
    }
  }
}
