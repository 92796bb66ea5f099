// swift-iap2 · Apache-2.0

import CarPlayControl
import CommandSupport

/// An entry of the list of scenarios, profiles, cars and steps.
private struct ListLine: Encodable {
  /// The kind of the entry, such as `profile`.
  var kind: String
  var name: String
  var summary: String?
  var values: [String]?
}

extension Output {
  /// Prints the list of `iap2 run --list` and `iap2 car --list`: as text, or as one JSON object an entry.
  static func list(_ sections: [ScenarioList.Section], json: Bool) throws {
    guard !json else {
      for section in sections {
        for entry in section.entries {
          try Output.json(
            ListLine(
              kind: section.kind, name: entry.name, summary: entry.summary.isEmpty ? nil : entry.summary,
              values: entry.values.isEmpty ? nil : entry.values))
        }
      }
      return
    }
    text(
      sections.map { section in
        let entries = section.entries.map { entry in
          let summary = entry.summary.isEmpty ? "" : "  \(entry.summary)"
          return "  \(Color.green(entry.name))\(summary)\n" + entry.values.map { "      \($0)\n" }.joined()
        }
        return "\(section.title)\n" + entries.joined()
      }.joined())
  }
}
