// swift-iap2 · Apache-2.0

import IAP2

/// A reason why a parameter may differ between two sessions that count as equal.
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

  /// Whether the rule applies only if the user asks for it. A user who compares two accessories may want to see these
  /// differences.
  package var isOptional: Bool {
    switch self {
    case .challenge, .time, .externalAccessorySession, .fileTransfer, .call, .messageLists: false
    case .certificate, .playbackPosition, .location, .transports: true
    }
  }

  /// The reason in English, as the documentation's table of rules has it.
  package var reason: String {
    switch self {
    case .challenge: "random bytes, new in every session, and their signature"
    case .time: "the wall clock at the time of the session"
    case .externalAccessorySession: "chosen by the phone; compared by the session it identifies"
    case .fileTransfer: "the next free number; the file it identifies is compared"
    case .call: "created for each call; compared by the call it identifies"
    case .messageLists: "sets of message ids: their order has no meaning"
    case .certificate: "each chip has its own certificate, also in the same model of accessory"
    case .playbackPosition: "the position in the item when the update was sent"
    case .location: "the position of the car, and the satellites' time"
    case .transports: "the transports of a side, and their addresses"
    }
  }
}

/// A kind of identifier. Its values differ between sessions, but within a session each value identifies one thing.
package enum IdentitySpace: String, Sendable, Hashable, CaseIterable {
  /// The ids of EA sessions.
  case externalAccessorySession
  /// The ids of calls.
  case call
}

/// An entry of the table of volatile parameters.
package struct VolatileParameter: Sendable {
  /// The way in which a volatile parameter is compared.
  package enum Treatment: Sendable, Equatable {
    /// The presence of the parameter is compared, its value is not.
    case ignored
    /// Neither the presence nor the value is compared.
    case dropped
    /// The value is compared by the thing it identifies.
    ///
    /// - Parameter binds: whether the value may identify something new from here on.
    case identity(IdentitySpace, binds: Bool)
    /// A list is compared as a set.
    case unordered
  }

  /// The rule that the entry belongs to.
  package let rule: ComparisonRule
  /// The id of the message.
  package let message: UInt16
  /// The ids from the outermost group to the parameter; empty for all parameters of the message.
  package let path: [UInt16]
  /// The way in which the parameter is compared.
  package let treatment: Treatment

  private init(_ rule: ComparisonRule, _ message: UInt16, _ path: [UInt16], _ treatment: Treatment = .ignored) {
    self.rule = rule
    self.message = message
    self.path = path
    self.treatment = treatment
  }

  /// The only list of volatile parameters. The ids are those of ``MessageCatalog``, which has the evidence.
  package static let all: [VolatileParameter] = [
    VolatileParameter(.challenge, RequestAuthenticationChallengeResponse.id, [0]),
    VolatileParameter(.challenge, AuthenticationResponse.id, [0]),
    // Unverified: their parameters are not known. The names of the messages state what they carry.
    VolatileParameter(.challenge, 0xAA12, []),
    VolatileParameter(.challenge, 0xAA13, []),
    VolatileParameter(.certificate, AuthenticationCertificate.id, [0]),
    VolatileParameter(.certificate, 0xAA11, []),
    VolatileParameter(.time, DeviceTimeUpdate.id, [0]),
    VolatileParameter(.time, CallStateUpdate.id, [12]),
    VolatileParameter(.time, ListUpdate.id, [1, 7]),
    VolatileParameter(.time, RouteGuidanceUpdate.id, [5]),
    VolatileParameter(
      .externalAccessorySession, StartExternalAccessoryProtocolSession.id, [1],
      .identity(.externalAccessorySession, binds: true)),
    VolatileParameter(
      .externalAccessorySession, StopExternalAccessoryProtocolSession.id, [0],
      .identity(.externalAccessorySession, binds: false)),
    VolatileParameter(
      .externalAccessorySession, StatusExternalAccessoryProtocolSession.id, [0],
      .identity(.externalAccessorySession, binds: false)),
    VolatileParameter(.fileTransfer, MediaLibraryUpdate.id, [2, 26]),
    VolatileParameter(.fileTransfer, MediaLibraryUpdate.id, [3, 5]),
    VolatileParameter(.fileTransfer, NowPlayingUpdate.id, [0, 26]),
    VolatileParameter(.fileTransfer, NowPlayingUpdate.id, [1, 15]),
    VolatileParameter(.call, CallStateUpdate.id, [4], .identity(.call, binds: false)),
    VolatileParameter(.call, AcceptCall.id, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, EndCall.id, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, HoldStatusUpdate.id, [1], .identity(.call, binds: false)),
    VolatileParameter(.call, SendDTMF.id, [1], .identity(.call, binds: false)),
    VolatileParameter(.messageLists, IdentificationInformation.id, [6], .unordered),
    VolatileParameter(.messageLists, IdentificationInformation.id, [7], .unordered),
    VolatileParameter(.playbackPosition, NowPlayingUpdate.id, [1, 1]),
    VolatileParameter(.location, LocationInformation.id, [0]),
    VolatileParameter(.transports, IdentificationInformation.id, [14], .dropped),
    VolatileParameter(.transports, IdentificationInformation.id, [15], .dropped),
    VolatileParameter(.transports, IdentificationInformation.id, [16], .dropped),
    VolatileParameter(.transports, IdentificationInformation.id, [17], .dropped),
    VolatileParameter(.transports, IdentificationInformation.id, [24], .dropped),
    VolatileParameter(.transports, CarPlayAvailability.id, [0, 1], .dropped),
    VolatileParameter(.transports, CarPlayAvailability.id, [1, 1], .dropped),
    VolatileParameter(.transports, DeviceTransportIdentifierNotification.id, [0], .dropped),
    VolatileParameter(.transports, DeviceTransportIdentifierNotification.id, [1], .dropped),
  ]
}

/// The entries of the table that apply to one comparison.
package struct ComparisonRules: Sendable {
  private let table: [UInt16: [VolatileParameter]]

  /// - Parameter ignoring: the optional rules that apply too.
  package init(ignoring: Set<ComparisonRule> = []) {
    let active = VolatileParameter.all.filter { !$0.rule.isOptional || ignoring.contains($0.rule) }
    table = Dictionary(grouping: active, by: \.message)
  }

  /// Returns the entries about the parameters of a message.
  package func parameters(of message: UInt16) -> [VolatileParameter] { table[message] ?? [] }
}

/// The entries of the table that can apply within a group.
package struct VolatileScope {
  private var lines: [(path: ArraySlice<UInt16>, line: VolatileParameter)]

  /// Creates a scope of entries about one message.
  package init(_ lines: [VolatileParameter]) { self.lines = lines.map { ($0.path[...], $0) } }

  private init(lines: [(path: ArraySlice<UInt16>, line: VolatileParameter)]) { self.lines = lines }

  static let none = VolatileScope([])

  /// Whether no entry applies.
  package var isEmpty: Bool { lines.isEmpty }
  /// The entry about everything in this group or parameter.
  package var whole: VolatileParameter? { lines.first { $0.path.isEmpty }?.line }

  /// Returns the entries that apply to a parameter and to its content.
  package func inside(_ id: UInt16) -> VolatileScope {
    lines.isEmpty
      ? self : VolatileScope(lines: lines.filter { $0.path.first == id }.map { ($0.path.dropFirst(), $0.line) })
  }
}
