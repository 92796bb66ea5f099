// swift-iap2 · Apache-2.0

import IAP2Scenario

/// The steps of the user in a session of a scenario, with the user's expectations, among the scenario's own steps.
struct StepRecorder: Sendable {
  /// A step of the user.
  struct Item: Sendable {
    /// The step in the words of scenarios.
    var line: String
    var isExpectation: Bool
    /// The time of the session before and behind it in seconds.
    var start, end: Double
  }

  /// The times at which the scenario's own steps have begun.
  private(set) var begun: [Double] = []
  /// Whether the scenario has ended: complete, or at a failed step.
  var isComplete = false
  /// The steps in the order of their times.
  private(set) var items: [Item] = []

  /// The most steps; a scenario has as many at most.
  private static let maximumCount = 10_000

  /// Notes that the next step of the scenario begins.
  mutating func begin(at time: Double) { begun.append(time) }

  /// Adds a step that the user makes.
  mutating func add(_ line: String, _ action: Scenario.Step.Action, at time: Double) {
    let isExpectation =
      switch action {
      case .expect, .expectData: true
      default: false
      }
    add(Item(line: line, isExpectation: isExpectation, start: time, end: time))
  }

  /// Notes that the last step of the user has ended. One that was refused is no part of the record, but an expectation
  /// that was not met is.
  mutating func endLast(_ outcome: ScenarioPlayer.Outcome, at time: Double) {
    guard let place = items.lastIndex(where: { $0.start <= time }) else { return }
    if outcome != .complete, !items[place].isExpectation {
      items.remove(at: place)
    } else {
      items[place].end = time
    }
  }

  /// Adds a step that the user has made with a finger.
  mutating func add(_ line: String, from start: Double, to end: Double) {
    add(Item(line: line, isExpectation: false, start: start, end: end))
  }

  /// Adds the expectation of an event that came at a time.
  mutating func expect(_ line: String, at time: Double) {
    add(Item(line: line, isExpectation: true, start: time, end: time))
  }

  private mutating func add(_ item: Item) {
    guard items.count < Self.maximumCount else { return }
    let place = items.lastIndex { $0.start <= item.start }.map { $0 + 1 } ?? 0
    items.insert(item, at: place)
  }

  mutating func remove(_ index: Int) { if items.indices.contains(index) { items.remove(at: index) } }

  mutating func removeAll() { items = [] }

  /// The lines for the page.
  var lines: [LabState.Recorded] {
    items.map { LabState.Recorded(text: "- \($0.line)", isExpectation: $0.isExpectation) }
  }
}
