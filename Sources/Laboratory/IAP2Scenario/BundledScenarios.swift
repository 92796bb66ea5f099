// swift-iap2 · Apache-2.0

/// The scenarios in the package.
public enum BundledScenarios {
  /// The name of the scenario that `iap2 run` runs by default.
  public static let standard = "day"

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("day", PackageResources.day_yaml), ("music", PackageResources.music_yaml), ("calls", PackageResources.calls_yaml),
    ("route", PackageResources.route_yaml), ("library", PackageResources.library_yaml),
    ("location", PackageResources.location_yaml), ("wireless", PackageResources.wireless_yaml),
    ("charging", PackageResources.charging_yaml), ("accessory", PackageResources.accessory_yaml),
    ("apps", PackageResources.apps_yaml), ("devices", PackageResources.devices_yaml),
    ("launch", PackageResources.launch_yaml), ("replug", PackageResources.replug_yaml),
    ("rules", PackageResources.rules_yaml), ("noticed-pull", PackageResources.noticed_pull_yaml),
    ("lost-notification", PackageResources.lost_notification_yaml),
    ("full-battery", PackageResources.full_battery_yaml), ("no-charge", PackageResources.no_charge_yaml),
    ("engine-start", PackageResources.engine_start_yaml), ("wall-charger", PackageResources.wall_charger_yaml),
    ("late-notice", PackageResources.late_notice_yaml), ("both-signals", PackageResources.both_signals_yaml),
    ("wireless-lost", PackageResources.wireless_lost_yaml), ("charging-pad", PackageResources.charging_pad_yaml),
    ("power-port", PackageResources.power_port_yaml), ("alert-shown", PackageResources.alert_shown_yaml),
    ("lossy-platform", PackageResources.lossy_platform_yaml),
    ("wired-carplay", PackageResources.wired_carplay_yaml),
    ("wireless-carplay", PackageResources.wireless_carplay_yaml),
    ("carplay-radio", PackageResources.carplay_radio_yaml),
    ("carplay-reverse", PackageResources.carplay_reverse_yaml),
    ("carplay-siri", PackageResources.carplay_siri_yaml),
    ("carplay-app", PackageResources.carplay_app_yaml),
    ("carplay-drive", PackageResources.carplay_drive_yaml),
    ("carplay-song", PackageResources.carplay_song_yaml),
    ("carplay-call", PackageResources.carplay_call_yaml),
    ("carplay-guidance", PackageResources.carplay_guidance_yaml),
    ("carplay-night", PackageResources.carplay_night_yaml),
    ("carplay-icon", PackageResources.carplay_icon_yaml),
    ("carplay-knob", PackageResources.carplay_knob_yaml),
    ("carplay-two-phones", PackageResources.carplay_two_phones_yaml),
    ("carplay-charging", PackageResources.carplay_charging_yaml),
    ("carplay-last-mode", PackageResources.carplay_last_mode_yaml),
    ("wireless-second-phone", PackageResources.wireless_second_phone_yaml),
    ("wireless-end", PackageResources.wireless_end_yaml),
    ("wireless-reconnect", PackageResources.wireless_reconnect_yaml),
  ]

  /// The names of the shipped scenarios.
  public static var names: [String] { files.map(\.name) }

  /// Returns the YAML of the shipped scenario of this name, or nil for another name.
  public static func text(_ name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// Returns the shipped scenario of this name, or nil for another name.
  public static func scenario(_ name: String) throws(ScenarioProblem) -> Scenario? {
    guard let text = text(name) else { return nil }
    return try Scenario(yaml: text, file: "\(name).yaml")
  }

  /// The names of the shipped scenarios with their summaries.
  package static var summaries: [(name: String, summary: String)] {
    names.map { name in
      do { return (name, try scenario(name)?.summary ?? "") } catch { return (name, "\(error)") }
    }
  }
}
