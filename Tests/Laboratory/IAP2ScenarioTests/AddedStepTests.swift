// swift-iap2 · Apache-2.0

import IAP2Roles
import IAP2Runtime
import IAP2Transport
import Synchronization
import Testing

@testable import IAP2Scenario

/// Steps that a user adds while a scenario plays.
@Suite struct AddedStepTests {
  /// Plays a scenario with added steps, and returns the outcomes in their order: of each step and of the scenario.
  private static func play(_ yaml: String, adding lines: [String]) throws -> [ScenarioPlayer.Outcome] {
    let scenario = try Scenario(yaml: yaml, file: "test.yaml")
    let steps = try lines.flatMap { try Scenario(yaml: "steps:\n  - \($0)\n", file: "added").steps }
    let outcomes = Mutex<[ScenarioPlayer.Outcome]>([])
    _ = try VirtualTime.run { time in
      var player = ScenarioPlayer(scenario, clock: time, show: { _, _ in })
      let (stream, added) = AsyncStream<Scenario.Step>.makeStream()
      for step in steps { added.yield(step) }
      added.finish()
      player.added = (stream, { outcome in outcomes.withLock { $0.append(outcome) } })
      return await player.play()
    }
    return outcomes.withLock { $0 }
  }

  /// The head unit gets a song that the phone plays after a second.
  private static let song = """
    headUnit: {features: all}
    phone:
      queue:
        - {title: A Song, seconds: 200}
    steps:
      - expect: {headUnit: identified}
      - wait: 1
      - phone: {play: true}
      - expect: {headUnit: nowPlaying, values: {PlaybackStatus: Playing}, within: 3}
    """

  @Test("An added half-open cable stops the bytes of a scenario that has none")
  func halfOpen() throws {
    #expect(try Self.play(Self.song, adding: []) == [.complete])
    let outcomes = try Self.play(Self.song, adding: ["wait: 0.5", "halfOpen: true"])
    #expect(outcomes.prefix(2) == [.complete, .complete])
    #expect(outcomes.count == 3 && outcomes[2].failure?.contains("nowPlaying") == true)
  }

  @Test("An added expectation is about later events, and takes none from the scenario")
  func expectation() throws {
    let outcomes = try Self.play(
      Self.song,
      adding: ["wait: 0.5", "expect: {headUnit: identified, within: 0.1}", "expect: {headUnit: nowPlaying, within: 3}"])
    #expect(outcomes.count == 4 && outcomes[0] == .complete)
    #expect(outcomes[1].failure?.contains("identified") == true)
    #expect(outcomes.suffix(2) == [.complete, .complete])
  }
}
