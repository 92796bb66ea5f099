// swift-iap2 · Apache-2.0

import CarPlayHost
public import CarPlayPlatform

extension CarSettings {
  /// The standard car: the simulator's screen, touch and keys, the newest emulated iOS.
  public static let standard = CarSettings()
}
