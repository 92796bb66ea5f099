// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Analysis

/// A difference between the live peer and the recording.
package struct ReplayDifference: Sendable {
  /// The kind of a difference.
  package enum Kind: Sendable {
    /// The recording has it, and it was not received.
    case missing
    /// It was received, and the recording does not have it.
    case extra
    /// It was received after something that the recording has later.
    case order
    /// A parameter of a control message.
    case parameter(ParameterDifference)
    /// Bytes of a message that are not a parameter.
    case messageBytes
    /// Identifiers that identified different things before.
    case identifier(IdentitySpace, recorded: ParameterNode.Value, live: ParameterNode.Value)
    /// The bytes of an EA session, with the number of recorded and live bytes.
    case data(DataStream.Difference, recorded: Int, live: Int)
    /// The announced size or type of a file.
    case fileSetup(recorded: FileTransferSetup?, live: FileTransferSetup)
    /// The bytes of a file, with the number of recorded and live bytes.
    case fileData(DataStream.Difference, recorded: Int, live: Int)
    /// The outcome of a file.
    case fileOutcome(recorded: SessionRecord.File.Outcome, live: SessionRecord.File.Outcome)
    /// The peer's certificate or signature was not accepted.
    case authentication(reason: String)
    /// The connection ended, or the peer accepted no more data, before everything was sent.
    case connection(unsentCount: Int)

    /// The name of the kind.
    package var name: Name {
      switch self {
      case .missing: .missing
      case .extra: .extra
      case .order: .order
      case .parameter, .messageBytes, .identifier: .parameter
      case .data: .data
      case .fileSetup, .fileData, .fileOutcome: .file
      case .authentication: .authentication
      case .connection: .connection
      }
    }
  }

  /// The name of a kind, for scripts and for ``ReplayTolerance``.
  package enum Name: String, Sendable, CaseIterable {
    case missing, extra, order, parameter, data, file, authentication, connection
  }

  /// The subject of a difference.
  package enum Subject: Sendable, Equatable {
    /// A message id.
    case message(UInt16)
    /// The index of an EA session in the script.
    case externalAccessory(Int)
    /// The id of a file.
    case file(UInt8)
    /// The connection.
    case connection
  }

  /// The kind.
  package let kind: Kind
  /// The subject.
  package let subject: Subject
  /// The number of the record in the recording; nil for something that the recording lacks.
  package let record: Int?
  /// The script index, for sorting. Something that the recording lacks has the index of the next own step.
  package let step: Int
  /// The tolerance that covers the difference; nil if it is a failure.
  package internal(set) var tolerance: ReplayTolerance?
}

/// A set of differences that the user does not treat as a failure.
package enum ReplayTolerance: Sendable, Hashable {
  /// An optional rule of comparisons. A message that contains nothing but parameters of the rule may also be received
  /// more or less often.
  case rule(ComparisonRule)
  /// The differences of a kind, of all messages or of one.
  case kind(ReplayDifference.Name, message: UInt16?)
  /// The differences of a message, or of one of its parameters and its content.
  case message(UInt16, path: [UInt16])

  /// The reason why a text is not a tolerance.
  package enum Problem: Error, Equatable, Sendable {
    /// The text is neither a rule, nor a kind, nor a message.
    case unknown(String)
    /// The message is not known.
    case unknownMessage(String)
    /// The message has no such parameter.
    case unknownParameter(String, message: UInt16)
    /// The differences of this kind do not belong to single messages.
    case notOfMessages(ReplayDifference.Name)
  }

  /// Parses `RULE`, `KIND`, `KIND:MESSAGE`, `MESSAGE` or `MESSAGE.PARAMETER…`. Messages and parameters are given by
  /// name or number.
  package init(parsing text: String) throws(Problem) {
    if let rule = ComparisonRule(rawValue: text), rule.isOptional {
      self = .rule(rule)
      return
    }
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    if let kind = ReplayDifference.Name(rawValue: parts[0]) {
      guard parts.count == 2 else {
        self = .kind(kind, message: nil)
        return
      }
      guard kind.isOfMessages else { throw .notOfMessages(kind) }
      guard let message = Self.message(parts[1]) else { throw .unknownMessage(parts[1]) }
      self = .kind(kind, message: message)
      return
    }
    let places = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard let message = Self.message(places[0]) else {
      throw places.count > 1 ? .unknownMessage(places[0]) : .unknown(text)
    }
    var rows = MessageCatalog[message]?.rows ?? []
    var path: [UInt16] = []
    for place in places.dropFirst() {
      let row = rows.first { "\($0.name)".lowercased() == place.lowercased() || String($0.id) == place }
      guard let id = row?.id ?? UInt16(place) else { throw .unknownParameter(place, message: message) }
      path.append(id)
      rows = if case .group(let inside)? = row?.shape { inside } else { [] }
    }
    self = .message(message, path: path)
  }

  private static func message(_ text: String) -> UInt16? { MessageCatalog.id(named: text, needsPrefix: true) }

  /// Returns whether a tolerance covers a difference. Rules apply earlier, when values are compared.
  func covers(_ kind: ReplayDifference.Kind, _ subject: ReplayDifference.Subject) -> Bool {
    switch self {
    case .rule: return false
    case .kind(let name, nil): return kind.name == name
    case .kind(let name, let message?): return kind.name == name && subject == .message(message)
    case .message(let message, let path):
      guard subject == .message(message) else { return false }
      if path.isEmpty { return true }
      guard case .parameter(let difference) = kind else { return false }
      return difference.path.map(\.id).starts(with: path)
    }
  }

  /// The tolerance as text, in the form that ``init(parsing:)`` reads.
  package var text: String {
    switch self {
    case .rule(let rule): return rule.rawValue
    case .kind(let kind, nil): return kind.rawValue
    case .kind(let kind, let message?): return "\(kind.rawValue):\(Self.name(message))"
    case .message(let message, let path):
      return ([Self.name(message)] + path.map(String.init)).joined(separator: ".")
    }
  }

  private static func name(_ message: UInt16) -> String {
    MessageCatalog[message]?.name ?? MessageCatalog.text(message)
  }
}

extension ReplayDifference.Name {
  /// Whether differences of this kind belong to single messages.
  var isOfMessages: Bool {
    switch self {
    case .missing, .extra, .order, .parameter: true
    case .data, .file, .authentication, .connection: false
    }
  }
}

/// The effect of tolerances on a replay.
struct ReplayRules {
  let comparison: ComparisonRules
  private let tolerances: [ReplayTolerance]
  private let optional: Set<ComparisonRule>

  init(_ tolerances: [ReplayTolerance]) {
    self.tolerances = tolerances
    optional = Set(tolerances.compactMap { if case .rule(let rule) = $0 { rule } else { nil } })
    comparison = ComparisonRules(ignoring: optional)
  }

  func tolerance(of kind: ReplayDifference.Kind, _ subject: ReplayDifference.Subject) -> ReplayTolerance? {
    tolerances.first { $0.covers(kind, subject) }
  }

  /// Returns the optional rule that covers all parameters of a message. How often such a message is received is a
  /// matter of chance.
  func ruleOfWhole(_ message: [UInt8]) -> ComparisonRule? {
    guard !optional.isEmpty else { return nil }
    let id = ControlHeader.id(of: message)
    let lines = comparison.parameters(of: id).filter { optional.contains($0.rule) }
    guard !lines.isEmpty else { return nil }
    let nodes = ParameterNode.nodes(of: message.rawBytes, rows: MessageCatalog[id]?.rows ?? []).nodes
    return Self.rule(of: nodes, VolatileScope(lines))
  }

  private static func rule(of nodes: [ParameterNode], _ scope: VolatileScope) -> ComparisonRule? {
    var found: ComparisonRule?
    for node in nodes {
      let inner = scope.inside(node.id)
      if let line = inner.whole {
        found = line.rule
      } else if case .group(let inside) = node.value, !inner.isEmpty, let rule = rule(of: inside, inner) {
        found = rule
      } else {
        return nil
      }
    }
    return found
  }
}
