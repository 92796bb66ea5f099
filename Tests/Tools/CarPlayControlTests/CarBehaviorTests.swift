// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import CarPlayProfiles
import IAP2Scenario
import Testing

@Suite struct CarBehaviorTests {
  /// Returns a value that a setting takes, and one that it does not take.
  private static func values(_ allowed: CarVerbForm.Values) -> (right: String, wrong: String) {
    switch allowed {
    case .flag: ("false", "perhaps")
    case .whole(let range): ("\(range.lowerBound)", "\(range.upperBound + 1)")
    case .number(let range): ("\(range.lowerBound)", "\(range.upperBound + 1)")
    case .choice(let names): (names.last ?? "", "other")
    case .text, .choices, .bytes: ("", "")
    }
  }

  @Test(
    "A scenario takes each setting of the car's behavior as a profile does",
    arguments: CarBehavior.settings.map(\.name))
  func settings(name: String) throws {
    let setting = try #require(CarBehavior.settings.first { $0.name == name })
    let (right, wrong) = Self.values(setting.values)
    let scenario = try CarScenario(yaml: "behavior: {\(name): \(right)}\nsteps:\n  - plug: true\n", file: "s.yaml")
    #expect(scenario.behavior.keys.sorted() == [name])
    var changed = CarSettings()
    try changed.changeBehavior(yaml: "{\(name): \(right)}", file: "behavior")
    #expect(try CarSettings(yaml: "behavior: {\(name): \(right)}", file: "car.yaml").behavior == changed.behavior)
    #expect(throws: ScenarioProblem.self) {
      try CarScenario(yaml: "behavior: {\(name): \(wrong)}\nsteps:\n  - plug: true\n", file: "s.yaml")
    }
    #expect(throws: (any Error).self) { try changed.changeBehavior(yaml: "{\(name): \(wrong)}", file: "behavior") }
  }

  @Test("A scenario without the key changes nothing, and an unknown setting is a problem")
  func others() throws {
    #expect(try CarScenario(yaml: "steps:\n  - plug: true\n", file: "s.yaml").behavior.isEmpty)
    let problem = #expect(throws: ScenarioProblem.self) {
      try CarScenario(yaml: "behavior: {speed: 1}\nsteps:\n  - plug: true\n", file: "s.yaml")
    }
    #expect(problem?.description.contains("speed") == true)
  }
}
