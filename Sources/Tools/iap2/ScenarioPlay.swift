// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
import IAP2Roles
import IAP2Runtime
import IAP2Scenario
import Synchronization

/// The scenario of a live side. It begins with the first connection. It ends the connection if it failed or with
/// `--once`.
final class ScenarioPlay: Sendable {
  private let scenario: LiveScenario
  private let live: any LiveRole
  private let endsConnection: Bool
  private let play: @Sendable (LiveScenario) async -> ScenarioPlayer.Outcome
  private let task = Mutex<Task<ScenarioPlayer.Outcome, Never>?>(nil)

  init(
    _ scenario: LiveScenario, live: any LiveRole, endsConnection: Bool,
    play: @escaping @Sendable (LiveScenario) async -> ScenarioPlayer.Outcome
  ) {
    self.scenario = scenario
    self.live = live
    self.endsConnection = endsConnection
    self.play = play
  }

  func handle(_ event: RoleEvent) {
    scenario.handle(event)
    task.withLock { task in
      guard task == nil else { return }
      task = Task {
        let outcome = await play(scenario)
        if let failure = outcome.failure { Output.note(failure) }
        if outcome != .complete || endsConnection && scenario.hasLastWord { await live.disconnect() }
        return outcome
      }
    }
  }

  /// Returns whether the scenario succeeded. Called after the end.
  func isComplete() async -> Bool {
    scenario.end()
    guard let running = task.withLock({ $0 }) else {
      Output.note("the scenario did not begin: no peer was connected")
      return false
    }
    return await running.value == .complete
  }
}
