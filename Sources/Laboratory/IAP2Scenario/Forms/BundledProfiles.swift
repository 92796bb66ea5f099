// swift-iap2 · Apache-2.0

/// The profiles of accessories and phones in the package. Their `evidence` names public sources, or states that this
/// project chose the values.
public enum BundledProfiles {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("microphone", PackageResources.microphone_yaml), ("printer", PackageResources.printer_yaml),
    ("thermal-camera", PackageResources.thermal_camera_yaml),
    ("media-controller", PackageResources.media_controller_yaml),
    ("script-accessory", PackageResources.script_accessory_yaml),
    ("test-head-unit", PackageResources.test_head_unit_yaml), ("patient-car", PackageResources.patient_car_yaml),
    ("careful-accessory", PackageResources.careful_accessory_yaml),
    ("first-message-car", PackageResources.first_message_car_yaml),
    ("impatient-car", PackageResources.impatient_car_yaml), ("plain-phone", PackageResources.plain_phone_yaml),
    ("wide-phone", PackageResources.wide_phone_yaml),
    ("identification-first-phone", PackageResources.identification_first_phone_yaml),
    ("slow-phone", PackageResources.slow_phone_yaml),
  ]

  /// The names of the shipped profiles.
  public static var names: [String] { files.map(\.name) }

  /// Returns the shipped profile of this name, or nil for another name.
  public static func profile(_ name: String) throws(ScenarioProblem) -> Profile? {
    guard let text = text(name) else { return nil }
    return try Profile(yaml: text, file: "\(name).yaml")
  }

  /// Returns the YAML of the shipped profile of this name, or nil for another name.
  static func text(_ name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }

  /// The names of the shipped profiles with their summaries.
  package static var summaries: [(name: String, summary: String)] {
    names.map { name in
      do { return (name, try profile(name)?.summary ?? "") } catch { return (name, "\(error)") }
    }
  }
}
