// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Testing

@Suite struct BundledScenarioTests {
  static func play(_ scenario: Scenario) throws -> ScenarioPlayer.Outcome {
    try VirtualTime.run { time in await ScenarioPlayer(scenario, clock: time, show: { _, _ in }).play() }
  }

  @Test(arguments: BundledScenarios.names) func everyBundledScenarioRunsToItsEnd(name: String) throws {
    let scenario = try #require(try BundledScenarios.scenario(name))
    #expect(scenario.name == name && !scenario.summary.isEmpty)
    let outcome = try Self.play(scenario)
    #expect(outcome == .complete, "\(outcome)")
  }

  static func play(_ name: String, _ change: (inout LifecycleConditions) throws -> Void) throws
    -> ScenarioPlayer.Outcome
  {
    let scenario = try #require(try BundledScenarios.scenario(name))
    var life = scenario.life
    try change(&life)
    return try VirtualTime.run { [life] time in
      await ScenarioPlayer(scenario, clock: time, life: life, show: { _, _ in }).play()
    }
  }

  /// Bytes in transit when a side closes still arrive, also a reset.
  @Test(
    arguments: ["music", "engine-start", "power-port", "late-notice", "charging-pad", "wall-charger"],
    ["delay=1", "delay=30", "jitter=20", "rate=100000"])
  func aSlowCableDoesNotChangeTheEnd(name: String, fault: String) throws {
    let outcome = try Self.play(name) { $0.fault = try FaultPlan(parsing: fault, seed: 1, events: RoleEvent.names) }
    #expect(outcome == .complete, "\(outcome)")
  }

  /// A scenario whose side does not detect the pulled cable fails and ends.
  @Test(arguments: ["no-charge", "wireless-lost", "lost-notification"], LifecyclePolicy.allCases)
  func aScenarioEndsIfASideMissesThePulledCable(name: String, policy: LifecyclePolicy) throws {
    let outcome = try Self.play(name) {
      $0.policy = policy
      $0.silenceMilliseconds = nil
    }
    // Each scenario expects an end that only silence shows.
    #expect(outcome != .complete)
  }
}
