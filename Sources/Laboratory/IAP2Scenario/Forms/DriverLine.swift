// swift-iap2 · Apache-2.0

import YAMLForms

extension CarPlayStep {
  /// Reads a step of a head unit's session from one line, such as `touch: [400, 300]`.
  ///
  /// - Parameters:
  ///   - line: The line, in the words of `session` in a scenario.
  ///   - source: The name of the source in errors.
  /// - Throws: The problem, with the allowed words.
  package init(driverLine line: String, source: String) throws(ScenarioProblem) {
    let value = try YAMLValue(line, file: source)
    self = try Form.one(of: SessionForms.headUnit, "verb of the head unit's session").read(value).outcome
  }
}
