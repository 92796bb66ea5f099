// swift-iap2 · Apache-2.0

/// A reason why a value may differ between two sessions that count as equal.
package enum SessionValueRule: String, Sendable, CaseIterable {
  case port
  case key
  case session
  case time
  case feedback
  case link
  case certificate

  /// Whether the rule applies only if it is asked for. A user who compares two head units may want to see these
  /// differences.
  package var isOptional: Bool { self == .certificate }

  /// The reason in English.
  package var reason: String {
    switch self {
    case .port: "a port, which each side chooses anew"
    case .key: "a key, a proof or random bytes, new in every session"
    case .session: "the name of a session, of a stream or of a message, new in every session"
    case .time: "a time of the clock of a side"
    case .feedback: "/feedback, which comes once a second; the number of requests depends on the length of the session"
    case .link: "bytes of the iAP2 link inside the session, which are compared as a link"
    case .certificate: "each coprocessor has its own certificate, also in the same model of head unit"
    }
  }

  /// The rules of keys in property lists, which are compared by their presence. Source: CarPlaySession.md#set-up-request,
  /// #set-up-today, #stream-set-up, #buffered-control, #generation-old-forms.
  private static let ofKeys: [String: SessionValueRule] = [
    "eventPort": .port, "timingPort": .port, "keepAlivePort": .port, "dataPort": .port, "controlPort": .port,
    "shk": .key, "ekey": .key, "eiv": .key,
    "sessionUUID": .session, "sessionCorrelationUUID": .session, "streamConnectionID": .session, "seed": .session,
    "rtpTime": .time, "networkTimeSecs": .time, "networkTimeFrac": .time,
  ]

  /// Returns the rule of a key in a property list; nil for a key whose value is compared.
  static func rule(ofKey name: String) -> SessionValueRule? { ofKeys[name] }

  /// Returns whether the value of a key in a property list is new in every session.
  package static func isVolatile(_ name: String) -> Bool { ofKeys[name] != nil }

  /// The rules of headers, by their names in lowercase. The numbers of messages follow from their order.
  private static let ofHeaders: [String: SessionValueRule] = [
    "cseq": .session, "date": .time,
  ]

  /// Returns the rule of a header; nil for one whose value is compared.
  static func rule(ofHeader name: String) -> SessionValueRule? { ofHeaders[name.lowercased()] }
}
