// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform

/// The steps of the user in an app's car, and the user's expectations.
struct ActionRecorder: Sendable {
  /// A line of the record.
  struct Item: Sendable {
    enum Work: Sendable, Hashable {
      case action(CarAction)
      case expectation(Expectation)
    }

    var work: Work
    /// The virtual time before and behind it in seconds.
    var start, end: Double
  }

  /// A part of the screen that is expected.
  enum Expectation: Sendable, Hashable {
    /// The screen is of this kind.
    case kind(ScreenNode.Kind)
    /// A part has this title or detail.
    case shows(String)
    /// A line of a scenario, and what it says.
    case line(String, CarExpectation)
  }

  private(set) var items: [Item] = []

  /// The most lines; a scenario has as many steps at most.
  private static let maximumCount = 10_000
  /// The shortest wait in seconds between two steps that is kept. A step itself takes a part of a second.
  private static let shortestWait = 0.2

  mutating func add(_ action: CarAction, start: Double, end: Double) {
    guard items.count < Self.maximumCount else { return }
    items.append(Item(work: .action(action), start: start, end: end))
  }

  mutating func expect(_ part: ScreenNode, isScreen: Bool, at time: Double) {
    guard items.count < Self.maximumCount else { return }
    let text = part.title.isEmpty ? part.detail : part.title
    let expectation: Expectation = isScreen || text.isEmpty ? .kind(part.kind) : .shows(text)
    items.append(Item(work: .expectation(expectation), start: time, end: time))
  }

  /// Adds an expectation in the words of scenarios.
  mutating func expect(_ line: String, _ wanted: CarExpectation, at time: Double) {
    guard items.count < Self.maximumCount else { return }
    items.append(Item(work: .expectation(.line(line, wanted)), start: time, end: time))
  }

  mutating func remove(_ index: Int) { if items.indices.contains(index) { items.remove(at: index) } }

  /// Removes all lines but the first ones.
  mutating func removeAll(keeping count: Int) { items = Array(items.prefix(count)) }

  /// The lines for the page.
  var lines: [LabState.Recorded] {
    items.map { item in
      switch item.work {
      case .action(let action): LabState.Recorded(text: ScenarioText.step(action), isExpectation: false)
      case .expectation(let wanted): LabState.Recorded(text: ScenarioText.expectation(wanted), isExpectation: true)
      }
    }
  }

  /// A step of the written scenario or test.
  enum Step: Sendable, Hashable {
    case work(Item.Work)
    /// Virtual time in seconds.
    case wait(Double)
  }

  /// The items with the waits between them.
  var steps: [Step] {
    var steps: [Step] = []
    var time = items.first?.start ?? 0
    for item in items {
      let pause = item.start - time
      if pause >= Self.shortestWait { steps.append(.wait((pause * 100).rounded() / 100)) }
      steps.append(.work(item.work))
      time = item.end
    }
    return steps
  }
}
