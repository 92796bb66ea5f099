// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// A difference between two sessions.
package struct SessionDifference: Sendable {
  /// The kind of a difference.
  package enum Kind: Sendable {
    /// A step that only the first session has.
    case onlyInA
    /// A step that only the second session has.
    case onlyInB
    /// A value of SYN or SYN+ACK.
    case link(SynchronizationField, a: SynchronizationField.Value, b: SynchronizationField.Value)
    /// A parameter of a control message.
    case parameter(ParameterDifference)
    /// Bytes of a message that are not a parameter.
    case messageBytes
    /// Identifiers that identified different things before.
    case identifier(IdentitySpace, a: ParameterNode.Value, b: ParameterNode.Value)
    /// The bytes that a side sent in an EA session.
    case externalAccessoryData(Side, DataStream.Difference)
    /// The announced size or type of a file.
    case fileSetup(a: FileTransferSetup?, b: FileTransferSetup?)
    /// The bytes of a file.
    case fileData(DataStream.Difference)
    /// The outcome of a file.
    case fileOutcome(a: SessionRecord.File.Outcome, b: SessionRecord.File.Outcome)
    /// The steps and data beyond a limit of the recorder.
    case remainder(Side, a: SessionRecord.Remainder, b: SessionRecord.Remainder)

    /// The name for scripts.
    package var name: String {
      switch self {
      case .onlyInA: "onlyInA"
      case .onlyInB: "onlyInB"
      case .link: "link"
      case .parameter: "parameter"
      case .messageBytes: "messageBytes"
      case .identifier: "identifier"
      case .externalAccessoryData: "externalAccessoryData"
      case .fileSetup: "fileSetup"
      case .fileData: "fileData"
      case .fileOutcome: "fileOutcome"
      case .remainder: "remainder"
      }
    }
  }

  /// The kind.
  package let kind: Kind
  /// The index of the row; for a remainder, the number of rows.
  package let row: Int
  /// The row at which the difference appears. It differs from ``row`` for data, which appears at the row before the
  /// differing byte.
  package let place: Int
}

/// A difference between two sessions that does not count.
package enum ComparisonNote: Sendable {
  /// The transports.
  case transport(a: FlowKey, b: FlowKey)
  /// The numbers of packets and errors of a side.
  case packets(Side, a: SessionRecord.Counts, b: SessionRecord.Counts)
  /// The ids of the link's sessions; their types are the same.
  case linkSessions(Side, a: [LinkSession], b: [LinkSession])
  /// The first row from which the order between lanes differs.
  case order(row: Int)
  /// The number of volatile parameters with other values, by rule.
  case volatile(ComparisonRule, count: Int)
  /// Two identifiers of the same thing.
  case identifier(IdentitySpace, a: ParameterNode.Value, b: ParameterNode.Value)

  /// The name for scripts.
  package var name: String {
    switch self {
    case .transport: "transport"
    case .packets: "packets"
    case .linkSessions: "linkSessions"
    case .order: "order"
    case .volatile: "volatile"
    case .identifier: "identifier"
    }
  }
}
