// swift-iap2 · Apache-2.0

public import CarPlayPlatform
import CarPlayProfiles

extension CarSettings {
  /// The standard car: the simulator's screen, touch and keys, the newest emulated iOS.
  public static let standard = CarSettings()

  /// Returns the settings of a profile in the package, such as `knob` or `twelve-rows`.
  ///
  /// - Throws: `CarFileProblem` for an unknown name, with the known names.
  public static func profile(_ name: String) throws(CarFileProblem) -> CarSettings { try CarProfiles.settings(name) }
}
