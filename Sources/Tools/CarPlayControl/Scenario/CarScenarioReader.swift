// swift-iap2 · Apache-2.0

public import IAP2Scenario
import YAMLForms

extension CarScenario {
  /// Reads a scenario.
  ///
  /// - Parameters:
  ///   - text: The YAML, at most 1 MiB.
  ///   - file: The name of the file, for error messages.
  /// - Throws: The first fault with its file, line, key and the allowed values.
  public init(yaml text: String, file: String) throws(ScenarioProblem) {
    self = try CarScenarioForms.scenario.read(YAMLValue(text, file: file))
  }
}
