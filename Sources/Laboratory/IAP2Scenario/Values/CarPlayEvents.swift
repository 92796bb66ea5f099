// swift-iap2 · Apache-2.0

import CarPlaySession

/// The events of a CarPlay session as expectations see them.
enum CarPlayEvents {
  static let names = Set(SessionEvent.declarations.map(\.name))
  static let valueNames = Set(SessionEvent.declarations.flatMap(\.fields).map(\.name))
}

extension EventSummary {
  /// Creates the summary of an event of a side; nil for `/info`.
  ///
  /// - Parameter linkCause: The cause for which the iAP2 link ended.
  init?(_ event: SessionEvent, of side: SessionSide, linkCause: String?) {
    guard let record = event.record(of: side, linkCause: linkCause) else { return nil }
    self.init(name: record.declaration.name, values: record.words)
  }
}
