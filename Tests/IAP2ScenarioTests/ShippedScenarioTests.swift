// swift-iap2 · Apache-2.0

import IAP2
import IAP2Runtime
import IAP2Scenario
import Testing

@Suite struct ShippedScenarioTests {
  static func play(_ scenario: Scenario) throws -> ScenarioPlayer.Outcome {
    try VirtualTime.run { time in await ScenarioPlayer(scenario, clock: time, show: { _, _ in }).play() }
  }

  @Test(arguments: ShippedScenarios.names) func everyShippedScenarioIsPlayedToItsEnd(name: String) throws {
    let scenario = try #require(try ShippedScenarios.scenario(name))
    #expect(scenario.name == name && !scenario.summary.isEmpty)
    let outcome = try Self.play(scenario)
    #expect(outcome == .complete, "\(outcome)")
  }
}
