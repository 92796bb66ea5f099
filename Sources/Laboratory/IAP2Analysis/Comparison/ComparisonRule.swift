// swift-iap2 · Apache-2.0

import IAP2

/// Why a parameter may differ between two sessions that are the same.
package enum ComparisonRule: String, Sendable, CaseIterable {
  case challenge
  case time
  case externalAccessorySession = "ea-session"
  case fileTransfer = "file-transfer"
  case call
  case messageLists = "message-lists"
  case certificate
  case playbackPosition = "playback-position"
  case location
  case transports

  /// Holds only when a user asks for it: who it is about may want to see it.
  package var isOptional: Bool {
    switch self {
    case .challenge, .time, .externalAccessorySession, .fileTransfer, .call, .messageLists: false
    case .certificate, .playbackPosition, .location, .transports: true
    }
  }

  package var reason: String {
    switch self {
    case .challenge: "random bytes, new in every session, and what signs them"
    case .time: "the wall clock at the time of the session"
    case .externalAccessorySession: "chosen by the phone; compared by which session it stands for"
    case .fileTransfer: "the next free number; the file behind it is compared"
    case .call: "made for each call; compared by which call it stands for"
    case .messageLists: "sets of message ids: their order means nothing"
    case .certificate: "another chip of the same accessory has another"
    case .playbackPosition: "how far an item had played when the update left"
    case .location: "where a car was, and the satellites' time"
    case .transports: "which transports a side has, and their addresses"
    }
  }
}

/// Values that stand for something else: not the same in two sessions, but each always for the same.
package enum IdentitySpace: String, Sendable, Hashable, CaseIterable {
  case externalAccessorySession
  case call
}

/// One line of the table of what is volatile.
package struct VolatileParameter: Sendable {
  package enum Treatment: Sendable, Equatable {
    /// That it is there is compared, its value is not.
    case ignored
    /// Not even that it is there is compared.
    case dropped
    /// - Parameter binds: the value begins to stand for something new here.
    case identity(IdentitySpace, binds: Bool)
    /// A list is compared as a set.
    case unordered
  }

  package let rule: ComparisonRule
  package let message: UInt16
  /// Ids from the outermost group to the parameter; empty for whatever the message has.
  package let path: [UInt16]
  package let treatment: Treatment

  private init(_ rule: ComparisonRule, _ message: UInt16, _ path: [UInt16], _ treatment: Treatment = .ignored) {
    self.rule = rule
    self.message = message
    self.path = path
    self.treatment = treatment
  }

  /// The only place that says which parameters are volatile. Ids are those of ``MessageCatalog``, which has the evidence.
  package static let all: [VolatileParameter] = [
    VolatileParameter(.challenge, 0xAA02, [0]),
    VolatileParameter(.challenge, 0xAA03, [0]),
    // Unverified: their parameters are not known, their names say what they carry.
    VolatileParameter(.challenge, 0xAA12, []),
    VolatileParameter(.challenge, 0xAA13, []),
    VolatileParameter(.certificate, 0xAA01, [0]),
    VolatileParameter(.certificate, 0xAA11, []),
    VolatileParameter(.time, 0x4E0B, [0]),
    VolatileParameter(.time, 0x4155, [12]),
    VolatileParameter(.time, 0x4171, [1, 7]),
    VolatileParameter(.time, 0x5201, [5]),
    VolatileParameter(.externalAccessorySession, 0xEA00, [1], .identity(.externalAccessorySession, binds: true)),
    VolatileParameter(.externalAccessorySession, 0xEA01, [0], .identity(.externalAccessorySession, binds: false)),
    VolatileParameter(.externalAccessorySession, 0xEA03, [0], .identity(.externalAccessorySession, binds: false)),
    VolatileParameter(.fileTransfer, 0x4C04, [2, 26]),
    VolatileParameter(.fileTransfer, 0x4C04, [3, 5]),
    VolatileParameter(.fileTransfer, 0x5001, [0, 26]),
    VolatileParameter(.fileTransfer, 0x5001, [1, 15]),
    VolatileParameter(.call, 0x4155, [4], .identity(.call, binds: false)),
    VolatileParameter(.call, 0x415B, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, 0x415C, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, 0x415F, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, 0x4161, [1], .identity(.call, binds: false)),
    VolatileParameter(.messageLists, 0x1D01, [6], .unordered),
    VolatileParameter(.messageLists, 0x1D01, [7], .unordered),
    VolatileParameter(.playbackPosition, 0x5001, [1, 1]),
    VolatileParameter(.location, 0xFFFB, [0]),
    VolatileParameter(.transports, 0x1D01, [14], .dropped),
    VolatileParameter(.transports, 0x1D01, [15], .dropped),
    VolatileParameter(.transports, 0x1D01, [16], .dropped),
    VolatileParameter(.transports, 0x1D01, [17], .dropped),
    VolatileParameter(.transports, 0x1D01, [24], .dropped),
    VolatileParameter(.transports, 0x4300, [0, 1], .dropped),
    VolatileParameter(.transports, 0x4300, [1, 1], .dropped),
    VolatileParameter(.transports, 0x4E0E, [0], .dropped),
    VolatileParameter(.transports, 0x4E0E, [1], .dropped),
  ]
}

/// The lines of the table that hold for one comparison.
package struct ComparisonRules: Sendable {
  private let table: [UInt16: [VolatileParameter]]

  /// - Parameter ignoring: optional rules that hold too.
  package init(ignoring: Set<ComparisonRule> = []) {
    let active = VolatileParameter.all.filter { !$0.rule.isOptional || ignoring.contains($0.rule) }
    table = Dictionary(grouping: active, by: \.message)
  }

  func parameters(of message: UInt16) -> [VolatileParameter] { table[message] ?? [] }
}

/// The lines that still may hold within a group.
struct VolatileScope {
  private var lines: [(path: ArraySlice<UInt16>, line: VolatileParameter)]

  init(_ lines: [VolatileParameter]) { self.lines = lines.map { ($0.path[...], $0) } }

  private init(lines: [(path: ArraySlice<UInt16>, line: VolatileParameter)]) { self.lines = lines }

  static let none = VolatileScope([])

  var isEmpty: Bool { lines.isEmpty }
  /// The line about everything in here.
  var whole: VolatileParameter? { lines.first { $0.path.isEmpty }?.line }

  /// What holds inside a parameter, and for itself.
  func inside(_ id: UInt16) -> VolatileScope {
    lines.isEmpty
      ? self : VolatileScope(lines: lines.filter { $0.path.first == id }.map { ($0.path.dropFirst(), $0.line) })
  }
}
