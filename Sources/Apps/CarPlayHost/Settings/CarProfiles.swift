// swift-iap2 · Apache-2.0

public import CarPlayPlatform

/// The profiles of cars in the package. Each value in their files names its public source, or says that it is ours.
public enum CarProfiles {
  private static let files: [(name: String, bytes: [UInt8])] = [
    ("standard", PackageResources.standard_yaml), ("minimum", PackageResources.minimum_yaml),
    ("wide-960", PackageResources.wide_960_yaml), ("hd", PackageResources.hd_yaml),
    ("ultra-wide", PackageResources.ultra_wide_yaml), ("ultra-wide-2x", PackageResources.ultra_wide_2x_yaml),
    ("portrait", PackageResources.portrait_yaml), ("odd-shape", PackageResources.odd_shape_yaml),
    ("right-hand", PackageResources.right_hand_yaml), ("knob", PackageResources.knob_yaml),
    ("twelve-rows", PackageResources.twelve_rows_yaml), ("field-head", PackageResources.field_head_yaml),
    ("simulator", PackageResources.simulator_yaml), ("ios12", PackageResources.ios12_yaml),
    ("wireless-night", PackageResources.wireless_night_yaml),
  ]

  /// The names of the profiles.
  public static var names: [String] { files.map(\.name) }

  /// Returns the settings of a profile.
  ///
  /// - Throws: ``CarFileProblem`` for an unknown name, with the known names.
  public static func settings(_ name: String) throws(CarFileProblem) -> CarSettings {
    guard let text = text(name) else {
      throw CarFileProblem(file: name, text: "no such car; the cars are \(names.joined(separator: ", "))")
    }
    return try CarSettings(yaml: text, file: "\(name).yaml")
  }

  /// Returns the YAML of a profile; nil for an unknown name.
  public static func text(_ name: String) -> String? {
    files.first { $0.name == name }.map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}
