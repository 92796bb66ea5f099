// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2Analysis

extension CheckLine {
  /// The finding: its message and parameters, what is wrong, how to repair it, and the rule with its evidence.
  var rendered: String {
    let head = isRejection ? Color.red("reject") : Color.yellow("warn  ")
    return "\(head)  \(rule): \(place): \(text)\(context)" + (evidence.map { Color.dim(" — \($0)") } ?? "")
      + (repair.map { "\n        repair: \($0)" } ?? "")
  }

  func show(json: Bool) throws { if json { try Output.json(self) } else { Output.line(rendered) } }
}
