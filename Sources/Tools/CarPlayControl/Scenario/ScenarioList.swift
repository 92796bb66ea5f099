// swift-iap2 · Apache-2.0

import CarPlayPlatform
import IAP2Scenario
import YAMLForms

/// All scenarios, profiles, cars and steps, in words and as a JSON Schema.
public enum ScenarioList {
  /// A part of the list.
  public struct Section: Sendable {
    /// The kind of the entries for programs, such as `profile`.
    public let kind: String
    /// The kind of the entries for people, and the commands that use them.
    public let title: String
    /// The entries: a name, its meaning, and the allowed values of its arguments.
    public let entries: [(name: String, summary: String, values: [String])]
  }

  /// The names of the cars.
  public static var carNames: [String] { CarProfile.allCases.map(\.rawValue) }

  /// The list: scenarios, profiles and cars, then the steps with their arguments.
  public static var sections: [Section] {
    [
      plain(
        "scenario", "Scenarios of a session, for `iap2 run` and --scenario of `iap2 headunit` and `iap2 phone`:",
        BundledScenarios.summaries),
      plain("appScenario", "Scenarios of an app, for --scenario of `iap2 car`:", BundledCarScenarios.summaries),
      plain("profile", "Profiles, for --profile of `iap2 headunit` and `iap2 phone`:", BundledProfiles.summaries),
      plain("car", "Cars, for --car of `iap2 car`:", CarProfile.allCases.map { ($0.rawValue, $0.summary) }),
    ] + ScenarioWords.sections.map { Section(kind: $0.kind, title: $0.title, entries: $0.entries) } + [
      Section(
        kind: "appStep",
        title: "Steps of an app, each `- NAME: ARGUMENT`, `- NAME: {KEY: ARGUMENT, …}`, or `- NAME: true`:",
        entries: CarScenarioForms.verbs.map(\.words)),
      Section(kind: "value", title: "Values of several steps:", entries: definitions),
    ]
  }

  private static func plain(
    _ kind: String, _ title: String, _ entries: [(name: String, summary: String)]
  ) -> Section {
    Section(kind: kind, title: title, entries: entries.map { ($0.name, $0.summary, []) })
  }

  /// The JSON Schema of scenarios and profiles, for editors.
  public static var schema: String { ScenarioSchema.document(scenario) }

  /// The schema of a scenario. With an app it is a scenario of an app; without one it may be of either kind.
  private static var scenario: Schema {
    let session = ScenarioSchema.scenario()
    let app = CarScenarioForms.scenario.named("appScenario").schema
    return .object([
      "if": .object(["required": .list([.text("app")])]), "then": app, "else": .anyOf([session, app]),
    ])
  }

  /// The named forms, each with its allowed values. The steps are in the sections above.
  private static var definitions: [(name: String, summary: String, values: [String])] {
    Schema.definitions(of: [scenario]).sorted { $0.key < $1.key }
      .filter { !$0.key.hasSuffix("cenario") && !$0.key.hasSuffix("tep") }
      .map { name, schema in
        guard let keys = schema.keyWords else { return (name, schema.shortWords, []) }
        return (name, "", keys)
      }
  }
}
