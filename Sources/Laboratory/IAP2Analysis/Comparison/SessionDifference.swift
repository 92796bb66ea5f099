// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// Something in which two sessions are not the same.
package struct SessionDifference: Sendable {
  package enum Kind: Sendable {
    /// A step that the other session does not have.
    case onlyInA
    case onlyInB
    case link(LinkField, a: LinkField.Value, b: LinkField.Value)
    case parameter(ParameterDifference)
    /// Bytes of a message that are no parameter.
    case messageBytes
    /// Values that stood for different things before.
    case identifier(IdentitySpace, a: ParameterNode.Value, b: ParameterNode.Value)
    /// Bytes of an EA session that a side sent.
    case externalAccessoryData(Side, DataStream.Difference)
    case fileSetup(a: FileTransferSetup?, b: FileTransferSetup?)
    case fileData(DataStream.Difference)
    case fileOutcome(a: SessionRecord.File.Outcome, b: SessionRecord.File.Outcome)
    /// What came when a limit was reached.
    case remainder(Side, a: SessionRecord.Remainder, b: SessionRecord.Remainder)

    /// A word for scripts.
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

  package let kind: Kind
  /// The row it belongs to; for a remainder the number of rows.
  package let row: Int
  /// Where it shows: the row, but for data the one before it.
  package let place: Int
}

/// Something in which two sessions are not the same, and need not be.
package enum ComparisonNote: Sendable {
  /// What carried them.
  case transport(a: FlowKey, b: FlowKey)
  case packets(Side, a: SessionRecord.Counts, b: SessionRecord.Counts)
  /// Ids of the link's sessions, whose types are the same.
  case linkSessions(Side, a: [LinkSession], b: [LinkSession])
  /// Steps of different sides, files and EA sessions were in another order from this row on.
  case order(row: Int)
  /// Parameters with other values, by rule.
  case volatile(ComparisonRule, count: Int)
  /// Values that stand for the same.
  case identifier(IdentitySpace, a: ParameterNode.Value, b: ParameterNode.Value)

  /// A word for scripts.
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
