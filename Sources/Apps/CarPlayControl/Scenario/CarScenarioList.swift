// swift-iap2 · Apache-2.0

import CarPlayPlatform
import IAP2Scenario

/// The cars, the bundled scenarios and the steps of scenarios, in words.
public enum CarScenarioList {
  /// The lines: each car and each scenario with its summary, and each step with its arguments.
  public static var lines: [String] {
    ["Cars:"] + CarProfile.allCases.map { "  \($0.rawValue)  \($0.summary)" }
      + ["Scenarios:"] + BundledCarScenarios.names.map { "  \($0)  \(summary($0))" }
      + ["Steps, each `- NAME: ARGUMENT`, `- NAME: {KEY: ARGUMENT, …}`, or `- NAME: true` without arguments:"]
      + CarVerb.allCases.filter(\.isOfScenarios).flatMap(step)
      + ["  expect  Waits until conditions hold: \(CarStepReader.expectationKeys.sorted().joined(separator: ", "))."]
      + [
        "      screen, dashboard: a text that is shown, or \(CarStepReader.screenKeys.sorted().joined(separator: ", "))",
        "      headUnit: \(CarStepReader.headUnitKeys.sorted().joined(separator: ", "))",
      ] + ["Kinds of parts of the screen:", "  \(kinds.sorted().joined(separator: ", "))"]
  }

  private static func summary(_ name: String) -> String {
    do { return try BundledCarScenarios.scenario(name)?.summary ?? "" } catch { return error.description }
  }

  private static let kinds = ScreenNode.Kind.allCases.map(\.rawValue)

  private static func words(_ values: CarVerbForm.Values) -> String {
    values == .choice(kinds) ? "a kind of part, see below" : "\(values)"
  }

  private static func step(_ verb: CarVerb) -> [String] {
    let form = CarVerbForm.form(of: verb)
    return ["  \(verb.rawValue)  \(form.summary)"]
      + form.arguments.map { "      \($0.name): \(words($0.values))\($0.isRequired ? "" : " (optional)")" }
  }
}
