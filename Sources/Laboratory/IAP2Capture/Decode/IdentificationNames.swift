// swift-iap2 · Apache-2.0

import IAP2

/// The names in an identification, from the parameters as they lie: one that breaks its schema elsewhere names its
/// accessory and protocols all the same.
package struct IdentificationNames: Sendable, Equatable {
  package private(set) var accessory: String?
  /// By the accessory's number of the protocol.
  package private(set) var protocols: [UInt8: String] = [:]

  /// - Parameter message: a whole IdentificationInformation.
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
