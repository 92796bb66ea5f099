// swift-iap2 · Apache-2.0

import CarPlayControl
import CarPlayPlatform
import Foundation

/// Writes a recorded session as a scenario of `iap2 car` and `iap2 run`.
enum ScenarioText {
  /// Returns the scenario.
  ///
  /// - Parameters:
  ///   - app: The path of the app. It is written in full, because the file may lie anywhere.
  ///   - car: The name of the car's profile, or the path of its file.
  ///   - behavior: The settings of the car's behavior that are changed.
  static func scenario(
    _ recorder: ActionRecorder, app: String, arguments: [String], car: String, behavior: [String: CarValue] = [:]
  ) -> String {
    let path = URL(filePath: app).standardizedFileURL.path(percentEncoded: false)
    var lines = ["# Recorded by iap2 lab. Play it: iap2 run FILE", "name: recorded", "app: \(text(path))"]
    if !arguments.isEmpty { lines.append("arguments: [\(arguments.map(text).joined(separator: ", "))]") }
    lines.append("car: \(text(car))")
    if !behavior.isEmpty {
      let settings = behavior.sorted { $0.key < $1.key }.map { "\($0.key): \(value($0.value))" }
      lines.append("behavior: {\(settings.joined(separator: ", "))}")
    }
    lines.append("steps:")
    lines += recorder.steps.map { step in
      switch step {
      case .wait(let seconds): "  - wait: \(CarValue.number(seconds))"
      case .work(.action(let action)): "  \(self.step(action))"
      case .work(.expectation(let wanted)): "  \(expectation(wanted))"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Returns a step as a line of a list.
  static func step(_ action: CarAction) -> String {
    let form = CarVerbForm.form(of: action.verb)
    let values = form.arguments.compactMap { argument in
      action.arguments[argument.name].map { (argument.name, value($0)) }
    }
    let name = action.verb.rawValue
    if values.isEmpty { return "- \(name): true" }
    if values.count == 1, values[0].0 == form.main { return "- \(name): \(values[0].1)" }
    return "- \(name): {\(values.map { "\($0): \($1)" }.joined(separator: ", "))}"
  }

  static func expectation(_ wanted: ActionRecorder.Expectation) -> String {
    switch wanted {
    case .kind(let kind): "- expect: {screen: {kind: \(kind.rawValue)}}"
    case .shows(let shown): "- expect: {screen: {shows: \(text(shown))}}"
    case .line(let line, _): "- \(line)"
    }
  }

  private static func value(_ value: CarValue) -> String {
    switch value {
    case .flag, .number: "\(value)"
    case .text(let text): self.text(text)
    case .texts(let texts): "[\(texts.map(text).joined(separator: ", "))]"
    }
  }

  /// Returns a text with double quotes: JSON's form, which YAML reads.
  static func text(_ text: String) -> String {
    let isPlain =
      text.first?.isLetter == true
      && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_./".contains($0)) }
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
    if isPlain { return text }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .withoutEscapingSlashes
    do { return String(decoding: try encoder.encode(text), as: UTF8.self) } catch {
      preconditionFailure("a text has no JSON: \(error)")
    }
  }
}
