// swift-iap2 · Apache-2.0

/// The scenarios that come with the program.
public enum ShippedScenarios {
  /// What `iap2 run` plays when nothing is named.
  public static let standard = "day"

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("day", PackageResources.day_yaml), ("music", PackageResources.music_yaml), ("calls", PackageResources.calls_yaml),
    ("route", PackageResources.route_yaml), ("library", PackageResources.library_yaml),
    ("location", PackageResources.location_yaml), ("wireless", PackageResources.wireless_yaml),
    ("charging", PackageResources.charging_yaml), ("accessory", PackageResources.accessory_yaml),
    ("apps", PackageResources.apps_yaml), ("devices", PackageResources.devices_yaml),
    ("rules", PackageResources.rules_yaml),
  ]

  public static var names: [String] { files.map(\.name) }

  /// Nil for a name that is none of ours.
  public static func scenario(_ name: String) throws(ScenarioProblem) -> Scenario? {
    guard let file = files.first(where: { $0.name == name }) else { return nil }
    return try Scenario(yaml: String(decoding: file.bytes, as: UTF8.self), file: "\(name).yaml")
  }
}
