// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Roles
import IAP2Scenario
import Testing
import YAMLForms

/// Tests of steps and events that a library of a higher layer adds to scenarios.
@Suite struct VocabularyTests {
  /// A step that reports a touch on the head unit's screen, and its event.
  static let vocabulary = ScenarioVocabulary(
    steps: [
      ScenarioVocabulary.Step(
        role: .headUnit,
        Verb("touch", "Touches a place.", .integer(0...100)) { place in
          ScenarioVocabulary.Action { stage in
            guard stage.headUnit != nil, stage.phone != nil else { return "a role is missing" }
            if place == 100 { return "the screen ends at 99" }
            stage.report(.headUnit, "touched", ["place": "\(place)"])
            return nil
          }
        })
    ],
    events: ["touched": ["place"]])

  static func outcome(_ steps: String) throws -> ScenarioPlayer.Outcome {
    try BundledScenarioTests.play(
      try Scenario(yaml: "steps:\n" + steps, file: "mine.yaml", vocabulary: vocabulary))
  }

  static func problem(_ steps: String, _ vocabulary: ScenarioVocabulary = vocabulary) -> String? {
    do throws(ScenarioProblem) {
      _ = try Scenario(yaml: "steps:\n" + steps, file: "mine.yaml", vocabulary: vocabulary)
      return nil
    } catch { return error.description }
  }

  @Test func anAddedStepRunsAndItsEventIsExpected() throws {
    let steps = """
        - expect: {headUnit: connected}
        - touch: 7
        - expect: {headUnit: touched, values: {place: 7}}

      """
    #expect(try Self.outcome(steps) == .complete)
    let other = try Self.outcome(steps.replacingOccurrences(of: "place: 7", with: "place: 8"))
    #expect(other.failure?.contains("1 × touched, the last with place 7") == true, "\(other)")
  }

  @Test func theReasonOfAFailedStepIsReportedWithItsPlace() throws {
    #expect(
      try Self.outcome("  - touch: 100\n")
        == .failed(file: "mine.yaml", line: 2, step: "touch", reason: "the screen ends at 99"))
  }

  @Test func wordsThatNoModuleAddedAreRefused() throws {
    #expect(Self.problem("  - touch: 7\n", .none)?.contains("no step is called \"touch\"") == true)
    #expect(Self.problem("  - tuch: 7\n")?.contains("touch") == true)
    #expect(Self.problem("  - touch: 200\n")?.contains("mine.yaml:2: steps.0.touch: expected a whole number") == true)
    let expectation = "  - expect: {headUnit: touched, values: {place: 7}}\n"
    #expect(Self.problem(expectation) == nil)
    #expect(Self.problem(expectation, .none)?.contains("no event is called \"touched\"") == true)
  }

  @Test func theSchemaForEditorsHasTheWords() throws {
    func parts(_ vocabulary: ScenarioVocabulary) throws -> (step: [String: Any], text: String) {
      let text = ScenarioSchema.schema(vocabulary)
      let root = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
      let step = try #require((root["$defs"] as? [String: [String: Any]])?["step"])
      return (try #require(step["properties"] as? [String: Any]), text)
    }
    let added = try parts(Self.vocabulary)
    let plain = try parts(.none)
    #expect(Set(added.step.keys).subtracting(plain.step.keys) == ["touch"])
    #expect(added.text.contains("\"touched\"") && !plain.text.contains("\"touched\""))
  }

  /// A moment of the fault plan may be an event of the CarPlay session beside the link.
  @Test func aFaultBeginsAtAnEventOfTheCarPlaySession() throws {
    let steps = """
      carPlay: true
      fault: disconnect=carPlayStream
      steps:
        - expect: {headUnit: carPlaySession, values: {state: live}}
        - expect: {phone: carPlaySession, values: {state: live}}
        - phone: {session: {screen: main}}
        - expect: {phone: disconnected}
        - expect: {headUnit: disconnected}

      """
    #expect(try BundledScenarioTests.play(Scenario(yaml: steps, file: "mine.yaml")) == .complete)
  }
}
