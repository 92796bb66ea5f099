// swift-iap2 · Apache-2.0

public import Basics
import IAP2Roles
public import YAMLForms

/// A problem in a scenario or profile, with its place.
public typealias ScenarioProblem = FileProblem
/// A reader of the files that a scenario or profile names. The caller resolves the names.
public typealias ScenarioFiles = NamedFiles

extension Scenario {
  /// The maximum duration of a wait or an expectation, in seconds.
  static let maximumWait = 1e6

  /// Reads a scenario from YAML.
  ///
  /// - Parameters:
  ///   - text: the YAML, at most 1 MiB.
  ///   - file: the name of the file in errors, and the name of a scenario without one.
  ///   - files: the reader of the tracks, routes, libraries and profiles that the scenario names.
  ///   - vocabulary: the steps and events of a higher layer; none by default.
  /// - Throws: the first problem, with its file, line and key.
  public init(
    yaml text: String, file: String, files: ScenarioFiles = .none, vocabulary: ScenarioVocabulary = .none
  ) throws(ScenarioProblem) {
    let root = try YAMLValue(text, file: file, files: files)
    name = file
    summary = ""
    headUnit = .standard()
    services = [:]
    phone = PhoneProfile()
    steps = []
    for change in try ScenarioForms.scenario(vocabulary).read(root) { change(&self) }
    if carPlay == nil, let step = steps.first(where: { if case .session = $0.action { true } else { false } }) {
      throw ScenarioProblem(
        file: step.file, line: step.line, key: "session", text: "a step of a session needs carPlay in the scenario")
    }
  }
}
