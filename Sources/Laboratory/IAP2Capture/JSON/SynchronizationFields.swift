// swift-iap2 · Apache-2.0

package import IAP2

/// The fields of a SYN in JSON, for captures and for live roles.
package struct SynchronizationFields: Encodable {
  private let parameters: LinkSynchronization

  /// Creates the fields of a SYN.
  package init(_ parameters: LinkSynchronization) { self.parameters = parameters }

  private enum Key: String, CodingKey { case sessions, id, type, version }

  private struct FieldKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ field: LinkField) { stringValue = field.rawValue }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Adds the fields to the object that the encoder is writing.
  package func encode(to encoder: any Encoder) throws {
    var numbers = encoder.container(keyedBy: FieldKey.self)
    for field in LinkField.allCases { try numbers.encode(parameters[field], forKey: FieldKey(field)) }
    var line = encoder.container(keyedBy: Key.self)
    var sessions = line.nestedUnkeyedContainer(forKey: .sessions)
    for session in parameters.sessions {
      var entry = sessions.nestedContainer(keyedBy: Key.self)
      try entry.encode(session.id, forKey: .id)
      try entry.encode(session.type.name ?? String(session.type.rawValue), forKey: .type)
      try entry.encode(session.version, forKey: .version)
    }
  }
}
