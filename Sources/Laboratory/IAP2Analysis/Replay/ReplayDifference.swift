// swift-iap2 · Apache-2.0

package import IAP2

/// Something in which the live peer was not what the recording has.
package struct ReplayDifference: Sendable {
  package enum Kind: Sendable {
    /// The recording has it, and it did not come.
    case missing
    /// It came, and the recording does not have it.
    case extra
    /// It came behind something that the recording has later.
    case order
    case parameter(ParameterDifference)
    /// Bytes of a message that are no parameter.
    case messageBytes
    /// Values that stood for different things before.
    case identifier(IdentitySpace, recorded: ParameterNode.Value, live: ParameterNode.Value)
    /// Bytes of an EA session, and how many there were.
    case data(DataStream.Difference, recorded: Int, live: Int)
    case fileSetup(recorded: FileTransferSetup?, live: FileTransferSetup)
    case fileData(DataStream.Difference, recorded: Int, live: Int)
    case fileOutcome(recorded: SessionRecord.File.Outcome, live: SessionRecord.File.Outcome)
    /// The peer's certificate or signature was not accepted.
    case authentication(reason: String)
    /// The connection ended, or the peer took nothing more, while there was more to send.
    case connection(unsentCount: Int)

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

  /// A kind's word, for scripts and for ``ReplayTolerance``.
  package enum Name: String, Sendable, CaseIterable {
    case missing, extra, order, parameter, data, file, authentication, connection
  }

  /// What differs.
  package enum Subject: Sendable, Equatable {
    case message(UInt16)
    /// An EA session, by its index in the script, and who sent.
    case externalAccessory(Int)
    case file(UInt8)
    case connection
  }

  package let kind: Kind
  package let subject: Subject
  /// The record of the recording it is about; nil for what the recording does not have.
  package let record: Int?
  /// The step of the script, for their order: what has none stands where it came.
  package let step: Int
  /// What makes it no failure.
  package internal(set) var tolerance: ReplayTolerance?
}

/// What a user takes for no failure.
package enum ReplayTolerance: Sendable, Hashable {
  /// An optional rule of comparisons. A message that says nothing but what the rule is about may also come more or
  /// less often.
  case rule(ComparisonRule)
  /// Differences of a kind, of any message or of one.
  case kind(ReplayDifference.Name, message: UInt16?)
  /// Differences in a message, or in its parameter and what is inside.
  case message(UInt16, path: [UInt16])

  /// Why a text is no tolerance.
  package enum Problem: Error, Equatable, Sendable {
    /// Neither a rule, nor a kind, nor a message.
    case unknown(String)
    case unknownMessage(String)
    case unknownParameter(String, message: UInt16)
    /// Its differences are of no single message.
    case notOfMessages(ReplayDifference.Name)
  }

  /// `RULE`, `KIND`, `KIND:MESSAGE`, `MESSAGE` or `MESSAGE.PARAMETER…`; messages and parameters by name or number.
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

  /// Whether a difference is one of these; rules work where values are compared.
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

  /// How it is written.
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
  /// Differences of this kind are of single messages.
  var isOfMessages: Bool {
    switch self {
    case .missing, .extra, .order, .parameter: true
    case .data, .file, .authentication, .connection: false
    }
  }
}

/// What tolerances mean for a replay.
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

  /// The rule that everything a message says is about: how often it comes is chance.
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
