// swift-iap2 · Apache-2.0

package import IAP2

/// The fields of a SYN in JSON, for captures and for live roles.
package struct SynchronizationFields: Encodable {
  private let parameters: LinkSynchronization

  /// Creates the fields of a SYN.
  package init(_ parameters: LinkSynchronization) { self.parameters = parameters }

  private enum Key: String, CodingKey {
    case version, maxOutstandingPackets, maxPacketLength, retransmissionTimeout, cumulativeAckTimeout
    case maxRetransmissions, maxCumulativeAcks, sessions, id, type
  }

  /// Adds the fields to the object that the encoder is writing.
  package func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(parameters.version, forKey: .version)
    try line.encode(parameters.maxOutstandingPackets, forKey: .maxOutstandingPackets)
    try line.encode(parameters.maxPacketLength, forKey: .maxPacketLength)
    try line.encode(parameters.retransmissionTimeout, forKey: .retransmissionTimeout)
    try line.encode(parameters.cumulativeAckTimeout, forKey: .cumulativeAckTimeout)
    try line.encode(parameters.maxRetransmissions, forKey: .maxRetransmissions)
    try line.encode(parameters.maxCumulativeAcks, forKey: .maxCumulativeAcks)
    var sessions = line.nestedUnkeyedContainer(forKey: .sessions)
    for session in parameters.sessions {
      var entry = sessions.nestedContainer(keyedBy: Key.self)
      try entry.encode(session.id, forKey: .id)
      try entry.encode(session.type.name ?? String(session.type.rawValue), forKey: .type)
      try entry.encode(session.version, forKey: .version)
    }
  }
}
