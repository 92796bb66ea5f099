// swift-iap2 · Apache-2.0

package import YAMLForms

/// The JSON Schema (draft 2020-12) of scenarios and profiles, for editors that complete and check YAML.
public enum ScenarioSchema {
  /// The schema of scenarios and profiles.
  ///
  /// - Parameter vocabulary: the steps and events of a higher layer; none by default.
  public static func schema(_ vocabulary: ScenarioVocabulary = .none) -> String {
    document(scenario(vocabulary))
  }

  /// The form of a scenario.
  package static func scenario(_ vocabulary: ScenarioVocabulary = .none) -> Schema {
    ScenarioForms.scenario(vocabulary).named("scenario").schema
  }

  /// The schema of files that are a scenario or a profile.
  ///
  /// - Parameter scenario: the form of a scenario.
  package static func document(_ scenario: Schema) -> String {
    Schema.document(
      "swift-iap2 scenario or profile",
      [
        // A scenario has steps; a file without them is a profile.
        "if": .object(["required": .list([.text("steps")])]), "then": scenario,
        "else": ProfileForms.profile.named("profile").schema,
      ])
  }
}

/// The steps of scenarios as lists show them.
package enum ScenarioWords {
  /// A part of the list: its kind for programs, and its title for people.
  package typealias Section = (
    kind: String, title: String, entries: [(name: String, summary: String, values: [String])]
  )

  /// The steps with their arguments: those of a session, of both sides, and of their CarPlay sessions.
  package static var sections: [Section] {
    [
      ("step", "Steps of a session, each `- NAME: ARGUMENT`:", StepForms(vocabulary: .none).verbs.map(\.words)),
      ("phoneStep", "Steps of the phone, each `- phone: {NAME: ARGUMENT}`:", PhoneForms.steps.map(\.words)),
      (
        "headUnitStep", "Steps of the head unit, each `- headUnit: {NAME: ARGUMENT}`:",
        HeadUnitForms.steps.map(\.words)
      ),
      (
        "phoneSessionStep", "Steps of the phone in a CarPlay session, each `- phone: {session: {NAME: ARGUMENT}}`:",
        SessionForms.phone.map(\.words)
      ),
      (
        "headUnitSessionStep",
        "Steps of the head unit in a CarPlay session, each `- headUnit: {session: {NAME: ARGUMENT}}`:",
        SessionForms.headUnit.map(\.words)
      ),
    ]
  }
}
