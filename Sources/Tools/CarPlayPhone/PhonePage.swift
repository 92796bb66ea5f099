// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// A screen of the phone itself, which an icon of the home screen opens.
package enum PhonePage: Sendable, Hashable, CaseIterable {
  /// The screen for silence. An app that plays has a screen of its own.
  case nowPlaying
  /// The car as the phone uses it.
  case settings

  /// The title, which is also that of the icon.
  package var title: String {
    switch self {
    case .nowPlaying: "Now Playing"
    case .settings: "Settings"
    }
  }

  /// Returns the screen.
  ///
  /// - Parameters:
  ///   - car: The head unit's screen, as the phone uses it now.
  ///   - isLimited: Whether the head unit limits the apps while the car drives.
  package func screen(_ car: HeadUnitScreen, isLimited: Bool) -> ScreenNode {
    let back = ScreenNode(.back, "Home", isFocused: car.settings.inputs.contains(where: \.movesFocus))
    switch self {
    case .nowPlaying:
      return ScreenNode(.nowPlaying, children: [back, ScreenNode(.title, "Not Playing")])
    case .settings:
      let screen = car.settings.screen
      let inputs = CarInput.allCases.filter(car.settings.inputs.contains).map(\.rawValue)
      let facts = [
        ("Car", car.settings.name),
        ("Screen", "\(screen.pixelWidth) × \(screen.pixelHeight) pixels, \(car.rate) pictures a second"),
        ("Driver", screen.drivingSide == .left ? "on the left" : "on the right"),
        ("Input", inputs.joined(separator: ", ")),
        ("Night mode", car.settings.appearance == .dark ? "on" : "off"), ("Limits", isLimited ? "on" : "off"),
      ]
      return ScreenNode(
        .list, title, children: [back] + facts.map { ScreenNode(.row, $0.0, detail: $0.1) })
    }
  }
}
