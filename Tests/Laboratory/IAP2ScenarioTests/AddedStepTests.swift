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
  private static func play(
    _ yaml: String, adding lines: [String], _ life: LifecycleConditions? = nil
  ) throws -> [ScenarioPlayer.Outcome] {
    let scenario = try Scenario(yaml: yaml, file: "test.yaml")
    let steps = try lines.flatMap { try Scenario(yaml: "steps:\n  - \($0)\n", file: "added").steps }
    let outcomes = Mutex<[ScenarioPlayer.Outcome]>([])
    _ = try VirtualTime.run { time in
      var player = ScenarioPlayer(scenario, clock: time, life: life, show: { _, _ in })
      let (stream, added) = AsyncStream<Scenario.Step>.makeStream()
      for step in steps { added.yield(step) }
      added.finish()
      player.added = (stream, { _, outcome in outcomes.withLock { $0.append(outcome) } })
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

  @Test("An added loss of all packets ends the link of a scenario that has no faults, and 0 lets bytes pass again")
  func faults() throws {
    let lost = try Self.play(Self.song, adding: ["wait: 0.5", "faults: {loss: 1}"])
    #expect(lost.count == 3 && lost[2].failure?.contains("nowPlaying") == true)
    let oneWay = try Self.play(Self.song, adding: ["wait: 0.5", "faults: {toHeadUnit: {loss: 1}}"])
    #expect(oneWay.count == 3 && oneWay[2].failure?.contains("nowPlaying") == true)
    let restored = try Self.play(
      Self.song, adding: ["wait: 0.5", "faults: {loss: 1}", "wait: 0.3", "faults: {loss: 0}"])
    #expect(restored.allSatisfy { $0 == .complete })
  }

  @Test("A changed delay applies to the present cable and to the next one")
  func delayOfTheNextCable() throws {
    let steps = """
      headUnit: {features: all}
      steps:
        - expect: {headUnit: identified}
        - faults: {delay: 400}
        - cut: true
        - wait: 1
        - plug: true
        - expect: {headUnit: identified, within: LIMIT}
      """
    let early = try Self.play(steps.replacing("LIMIT", with: "1"), adding: [])
    #expect(early.first?.failure?.contains("identified") == true)
    #expect(try Self.play(steps.replacing("LIMIT", with: "60"), adding: []) == [.complete])
  }

  @Test("A step loses one notice of a disconnect, and a later one comes")
  func lostNotice() throws {
    var life = LifecycleConditions()
    // Without any other evidence.
    life.policy = .notification
    let steps = """
      headUnit: {features: [power]}
      steps:
        - expect: {phone: connected}
        - STEP
        - cut: true
        - expect: {phone: disconnected, within: 20}
      """
    #expect(try Self.play(steps.replacing("STEP", with: "wait: 0"), adding: [], life) == [.complete])
    let lost = try Self.play(steps.replacing("STEP", with: "loseNotice: phone"), adding: [], life)
    #expect(lost.first?.failure?.contains("expected disconnected") == true)
    let other = try Self.play(steps.replacing("STEP", with: "loseNotice: headUnit"), adding: [], life)
    #expect(other == [.complete])
    let later = steps.replacing("STEP", with: "loseNotice: phone").replacing(
      "- expect: {phone: disc", with: "- notice: phone\n  - expect: {phone: disc")
    #expect(try Self.play(later, adding: [], life) == [.complete])
  }

  @Test("An expectation of an earlier event finds it, and takes none from later expectations")
  func earlier() throws {
    let steps = """
      headUnit: {features: all}
      steps:
        - expect: {headUnit: identified}
        - expect: {headUnit: linkUp, KEY}
        - expect: {headUnit: identified, KEY}
      """
    #expect(try Self.play(steps.replacing("KEY", with: "earlier: true"), adding: []) == [.complete])
    let strict = try Self.play(steps.replacing("KEY", with: "within: 1"), adding: [])
    #expect(strict.first?.failure?.contains("it came earlier") == true)
  }
}
