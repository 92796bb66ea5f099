// swift-iap2 · Apache-2.0

import IAP2Roles
package import IAP2Scenario

/// A scenario with the text of its file, and the behavior that the user chose for its sides.
package struct LabScenario: Sendable {
  /// The scenario as the file has it.
  private let written: Scenario
  /// The name or the path under which the user named it.
  package let name: String
  package let yaml: String
  /// The profiles whose behavior the sides have in place of their own.
  private(set) var profiles: [Role: Profile] = [:]

  package init(_ scenario: Scenario, name: String, yaml: String) {
    (written, self.name, self.yaml) = (scenario, name, yaml)
  }

  /// The scenario with the behavior of its sides.
  package var scenario: Scenario {
    var scenario = written
    for profile in profiles.values { scenario.behave(as: profile) }
    return scenario
  }

  /// Lets a side behave like a profile, or takes that back.
  mutating func toggle(_ profile: Profile) {
    profiles[profile.role] = profiles[profile.role]?.name == profile.name ? nil : profile
  }

  /// The line of a scenario's file that has the chosen behavior; nil without one.
  var line: String? {
    let words = profiles.sorted { $0.key.rawValue < $1.key.rawValue }.map { "\($0.key.rawValue): \($0.value.name)" }
    return words.isEmpty ? nil : "behavior: {\(words.joined(separator: ", "))}"
  }
}
