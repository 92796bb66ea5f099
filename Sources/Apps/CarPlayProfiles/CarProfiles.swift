// swift-iap2 · Apache-2.0

public import Basics
public import CarPlayPlatform

/// The car profiles in the package. Each value in their files names its public source, or is marked as ours.
public enum CarProfiles {
  /// The names of the profiles.
  public static var names: [String] { CarProfile.allCases.map(\.rawValue) }

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
    CarProfile(rawValue: name).map { String(decoding: $0.bytes, as: UTF8.self) }
  }
}

extension CarProfile {
  fileprivate var bytes: [UInt8] {
    switch self {
    case .standard: PackageResources.standard_yaml
    case .minimum: PackageResources.minimum_yaml
    case .wide960: PackageResources.wide_960_yaml
    case .hd: PackageResources.hd_yaml
    case .ultraWide: PackageResources.ultra_wide_yaml
    case .ultraWide2x: PackageResources.ultra_wide_2x_yaml
    case .portrait: PackageResources.portrait_yaml
    case .oddShape: PackageResources.odd_shape_yaml
    case .rightHand: PackageResources.right_hand_yaml
    case .knob: PackageResources.knob_yaml
    case .twelveRows: PackageResources.twelve_rows_yaml
    case .fieldHead: PackageResources.field_head_yaml
    case .simulator: PackageResources.simulator_yaml
    case .ios12: PackageResources.ios12_yaml
    case .wirelessNight: PackageResources.wireless_night_yaml
    }
  }
}
