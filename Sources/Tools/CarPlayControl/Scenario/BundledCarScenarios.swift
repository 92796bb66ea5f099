// swift-iap2 · Apache-2.0

public import IAP2Scenario

/// The scenarios in the package. They fit any app, because they expect only behavior that every app must have.
public enum BundledCarScenarios {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("first-connect", PackageResources.first_connect_yaml),
    ("cable-pulled", PackageResources.cable_pulled_yaml),
    ("lost-notice", PackageResources.lost_notice_yaml),
    (
      "cable-pulled-with-alert-and-lost-notice",
      PackageResources.cable_pulled_with_alert_and_lost_notice_yaml
    ),
    ("late-notice-with-alert", PackageResources.late_notice_with_alert_yaml),
    ("drive-limits", PackageResources.drive_limits_yaml),
    ("reconnect", PackageResources.reconnect_yaml),
    ("locked-cold-start", PackageResources.locked_cold_start_yaml),
  ]

  /// The names.
  public static var names: [String] { files.map(\.name) }

  /// The names with the summaries.
  public static var summaries: [(name: String, summary: String)] {
    names.map { name in
      do throws(ScenarioProblem) { return (name, try scenario(name)?.summary ?? "") } catch {
        return (name, error.description)
      }
    }
  }

  /// Returns the YAML of a scenario; nil for an unknown name.
  public static func text(_ name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Returns a scenario; nil for an unknown name.
  public static func scenario(_ name: String) throws(ScenarioProblem) -> CarScenario? {
    guard let text = text(name) else { return nil }
    return try CarScenario(yaml: text, file: "\(name).yaml")
  }
}
