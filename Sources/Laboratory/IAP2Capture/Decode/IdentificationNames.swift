// swift-iap2 · Apache-2.0

import IAP2

/// The names in an IdentificationInformation, from its parameters. They are found even if other parameters violate the
/// schema.
package struct IdentificationNames: Sendable, Equatable {
  /// The name of the accessory.
  package private(set) var accessory: String?
  /// The names of the EA protocols, by the accessory's protocol identifier.
  package private(set) var protocols: [UInt8: String] = [:]

  /// - Parameter message: a whole IdentificationInformation message.
  package init(_ message: RawSpan) {
    for node in ParameterNode.nodes(of: message, rows: IdentificationInformation.rows).nodes {
      switch (node.id, node.value) {
      case (0, .text(let name)): accessory = name
      case (10, .group(let fields)): addProtocol(fields)
      default: break
      }
    }
  }

  private mutating func addProtocol(_ fields: [ParameterNode]) {
    var id: UInt8?
    var name: String?
    for field in fields {
      if field.id == 0, case .unsigned(let number) = field.value { id = UInt8(exactly: number) }
      if field.id == 1, case .text(let text) = field.value { name = text }
    }
    if let id, let name { protocols[id] = name }
  }
}
