// swift-iap2 · Apache-2.0

/// The names that expectations of the laboratory's own events may have.
package enum EventWords {
  private static let events = ScenarioVocabulary.none.eventNames
  private static let values = ScenarioVocabulary.none.valueNames

  package static func isEvent(_ name: String) -> Bool { events.contains(name) }
  package static func isValue(_ name: String) -> Bool { values.contains(name) }
}
