// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
package import IAP2Roles

/// The name and the values of an event, which the expectations of a scenario match.
package struct EventSummary: Sendable, Equatable {
  package var name: String
  /// The values by their parameter names in ``MessageCatalog``. Values in nested groups are under their own names, and
  /// repeated values are joined by commas.
  package var values: [String: String]

  init(name: String, values: [String: String]) {
    self.name = name
    self.values = values
  }

  package init(_ event: RoleEvent) {
    self.init(name: event.name, values: event.record?.words ?? [:])
  }

  /// All names that the values of events can have.
  static let valueNames: Set<String> = {
    func names(_ rows: [ParameterRow]) -> [String] {
      rows.flatMap { row -> [String] in
        if case .group(let inner) = row.shape { [row.name] + names(inner) } else { [row.name] }
      }
    }
    return Set(MessageCatalog.all.flatMap { names($0.rows) } + RoleEvent.declarations.flatMap(\.fields).map(\.name))
  }()

  /// Creates the summary of the event that a message causes at its receiver.
  init(name: String, message: [UInt8], rows: [ParameterRow]) {
    let nodes = ParameterNode.nodes(of: unsafe message.span.bytes, rows: rows).nodes
    self.init(name: name, values: FeatureValues(nodes).eventValue.words)
  }
}
