// swift-iap2 · Apache-2.0

import CarPlayPlatform
import Foundation

extension CarRun {
  /// Creates the car.
  public func begin(_ choice: CarChoice, seed: Int = 1) throws(CarFailure) {
    var action = CarAction(.begin, ["seed": .number(Double(seed))])
    if pictures != nil || display != nil || takesImages { action.arguments["images"] = .flag(true) }
    if onLink != nil { action.arguments["tap"] = .flag(true) }
    if let yaml = choice.yaml {
      action.arguments["yaml"] = .text(yaml)
      action.arguments["file"] = .text(choice.name)
    } else {
      action.arguments["car"] = .text(choice.name)
    }
    if let changes = choice.behaviorText { action.arguments["behavior"] = .text(changes) }
    if let problem = action.problem { throw CarFailure(.badInput, problem) }
    if let problem = try perform(action) { throw CarFailure(.badInput, problem) }
  }

  /// Runs the steps of a scenario to the end, or to the first failure.
  public func play(_ scenario: CarScenario) throws(CarFailure) {
    for step in scenario.steps {
      switch step.work {
      case .action(let action):
        if let problem = try perform(action) {
          throw CarFailure(.expectation, "\(step.place): \(action): \(problem)", details: screenLines)
        }
      case .expect(let wanted):
        if let unmet = try wait(for: wanted) {
          throw CarFailure(.expectation, "\(step.place): expect: \(unmet)", details: screenLines)
        }
      }
    }
  }

  private var screenLines: [String] {
    ["The screen is:"] + car.state.screen.description.split(separator: "\n").map { "  \($0)" }
  }

  /// Waits in real time until an expectation holds. Returns the condition that still does not hold.
  private func wait(for wanted: CarExpectation) throws(CarFailure) -> String? {
    let deadline = ContinuousClock.now.advanced(by: .seconds(wanted.within))
    while let unmet = wanted.unmet(by: car) {
      let left = ContinuousClock.now.duration(to: deadline)
      // Past calls and reports remain, so waiting does not make their absence true.
      guard left > .zero, wanted.canBecomeTrue(for: car) else { return unmet }
      let seconds = Double(left.components.seconds) + Double(left.components.attoseconds) / 1e18
      _ = try perform(CarAction(.watch, ["seconds": .number(seconds)]))
    }
    return nil
  }
}

extension CarExpectation {
  /// Returns whether waiting can help. A call or a report that must be absent remains once it exists.
  func canBecomeTrue(for car: CarObservation) -> Bool {
    var fixed = CarExpectation()
    fixed.notCalled = notCalled
    fixed.noReports = noReports
    return fixed.unmet(by: car) == nil
  }
}
