// swift-iap2 · Apache-2.0

import CarPlayControl
import CommandSupport

extension Output {
  /// Prints the list of `iap2 run --list` and `iap2 car --list`.
  static func list(_ sections: [ScenarioList.Section]) {
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
