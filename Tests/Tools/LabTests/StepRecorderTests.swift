// swift-iap2 · Apache-2.0

import IAP2Runtime
import IAP2Scenario
import IAP2Transport
import Testing

@testable import Lab

/// Steps of a user beside a scenario, written as a scenario.
@Suite struct StepRecorderTests {
  private static let yaml = """
    name: base
    headUnit: {features: all}
    phone:
      queue:
        - {title: A Song, seconds: 200}
    steps:
      # The connection.
      - expect: {headUnit: identified}
      - wait: 10

      - phone: {play: true}
      - expect:
          headUnit: nowPlaying
          values: {PlaybackStatus: Playing}
      - wait: 5
    silence: 15
    """

  private static func base(_ yaml: String = yaml) throws -> LabScenario {
    LabScenario(try Scenario(yaml: yaml, file: "base.yaml"), name: "base.yaml", yaml: yaml)
  }

  /// Steps of the user in the first wait, in the second one, and behind the last step.
  private static func recorder() throws -> StepRecorder {
    var recorder = StepRecorder()
    for time in [0, 0.5, 10.5, 10.5, 10.6] { recorder.begin(at: time) }
    let steps: [(String, Double)] = [
      ("faults: {loss: 0.05}", 2.5), ("phone: {call: {number: \"1\", name: \"# \\\"\\\"\\\" \\\\\"}}", 4.5),
      ("wait: 1", 12),
      ("halfOpen: true", 20),
    ]
    for (line, time) in steps {
      for step in try Scenario(yaml: "steps:\n  - \(line)\n", file: "step").steps {
        recorder.add(line, step.action, at: time)
        recorder.endLast(.complete, at: line.hasPrefix("wait") ? time + 1 : time)
      }
    }
    recorder.expect("expect: {phone: identified, earlier: true}", at: 0.3)
    return recorder
  }

  @Test("The steps of both stand in the order of their times, with the waits between them")
  func order() throws {
    let text = try #require(StepText.scenario(try Self.recorder(), beside: try Self.base(), play: "iap2 run FILE"))
    let scenario = try Scenario(yaml: text, file: "recorded.yaml")
    #expect(
      scenario.steps.map(\.text) == [
        "wait", "expect phone identified", "expect headUnit identified", "wait", "faults loss 0.05", "wait",
        "phone call",
        "wait", "phone play", "expect headUnit nowPlaying", "wait", "wait", "wait", "wait", "halfOpen",
      ])
    let waits = scenario.steps.compactMap { if case .wait(let milliseconds) = $0.action { milliseconds } else { nil } }
    #expect(waits == [300, 2000, 2000, 6000, 1400, 1000, 2600, 4400])
    #expect(scenario.life.silenceMilliseconds == 15_000)
    #expect(text.contains("# The connection."))
  }

  @Test("A session that stopped early has the steps that had begun, without an event that had not come")
  func early() throws {
    var recorder = StepRecorder()
    for time in [0, 0.5, 10.5, 10.5] { recorder.begin(at: time) }
    let text = try #require(StepText.scenario(recorder, beside: try Self.base(), play: "iap2 run FILE"))
    #expect(
      try Scenario(yaml: text, file: "recorded.yaml").steps.map(\.text)
        == ["expect headUnit identified", "wait", "phone play"])
  }

  @Test("Steps that share a line are refused")
  func flow() throws {
    let base = try Self.base("steps: [{wait: 1}, {wait: 2}]\n")
    var recorder = StepRecorder()
    recorder.begin(at: 0)
    #expect(StepText.scenario(recorder, beside: base, play: "") == nil)
  }

  @Test("A session without a scenario has the steps of the user alone, from the first one on")
  func alone() throws {
    let text = try #require(StepText.scenario(try Self.recorder(), beside: nil, play: "iap2 phone"))
    let scenario = try Scenario(yaml: text, file: "recorded.yaml")
    #expect(scenario.steps.first?.text == "expect phone identified" && scenario.steps.last?.text == "halfOpen")
  }

  @Test("A test in Swift has the scenario as a literal that nothing in it ends")
  func swift() throws {
    let yaml = "steps:\n  - wait: 1 # \"\"\"# \\# \\##(x)\n"
    let test = StepTestText.test(yaml)
    #expect(test.contains("let yaml = ###\"\"\"\n    steps:\n      - wait: 1 # \"\"\"# \\# \\##(x)\n    \"\"\"###\n"))
  }

  @Test("An event has an expectation that scenarios read, with the values that they know")
  func expectation() throws {
    let line = try #require(
      StepText.expectation(
        of: "nowPlaying", [("MediaItemTitle", "A: \"Song\""), ("ours", "1")], at: .headUnit))
    #expect(line == #"expect: {headUnit: nowPlaying, values: {MediaItemTitle: "A: \"Song\""}, earlier: true}"#)
    _ = try Scenario(yaml: "steps:\n  - \(line)\n", file: "step")
    #expect(StepText.expectation(of: "noEvent", [], at: .phone) == nil)
  }

  @Test("A recorded session waits for the session of the one who plays it")
  func session() throws {
    let text = try #require(
      StepText.scenario(try Self.recorder(), beside: nil, hasSession: true, of: .phone, play: "iap2 phone"))
    #expect(
      text.contains(
        "steps:\n  - expect: {phone: carPlaySession, values: {state: live}, earlier: true}\n"))
    _ = try Scenario(yaml: text, file: "recorded.yaml")
  }

  @Test("A file without a step is not written")
  func nothing() throws {
    #expect(StepText.scenario(StepRecorder(), beside: nil, hasSession: true, play: "iap2 phone") == nil)
    #expect(StepText.scenario(StepRecorder(), beside: try Self.base(), play: "iap2 run") == nil)
  }

  @Test("A finger is a tap or a drag when it leaves")
  func finger() throws {
    var finger = PictureFinger()
    #expect(finger.take(.up, 1, 1, at: 0) == nil)
    #expect(finger.take(.down, 10, 20, at: 1) == nil)
    #expect(finger.take(.move, 500, 20, at: 2) == nil)
    #expect(finger.take(.up, 15, 20, at: 3)?.line == "headUnit: {session: {touch: [15, 20]}}")
    _ = finger.take(.down, 10, 20, at: 4)
    let drag = finger.take(.up, -5, 90, at: 5)
    #expect(drag?.line == "headUnit: {session: {drag: [10, 20, 0, 90]}}" && drag?.start == 4)
  }
}
