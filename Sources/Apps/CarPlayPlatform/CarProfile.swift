// swift-iap2 · Apache-2.0

/// A car profile that comes with the host. The host's profile of the same name has its values and their sources.
public enum CarProfile: String, Sendable, Hashable, CaseIterable {
  /// The simulator's screen with touch and keys.
  case standard
  /// The smallest legal screen.
  case minimum
  /// A wide screen.
  case wide960 = "wide-960"
  /// A screen of 1280 x 720 pixels.
  case hd
  /// A very wide and low screen with 3 pixels per point.
  case ultraWide = "ultra-wide"
  /// The same pixels with 2 pixels per point.
  case ultraWide2x = "ultra-wide-2x"
  /// A portrait screen.
  case portrait
  /// A wide screen whose corners are covered.
  case oddShape = "odd-shape"
  /// A car with the driver on the right.
  case rightHand = "right-hand"
  /// A car without touch.
  case knob
  /// A car that limits every list.
  case twelveRows = "twelve-rows"
  /// An after-market head unit.
  case fieldHead = "field-head"
  /// Xcode's simulator.
  case simulator
  /// iOS 12, as field reports describe it.
  case ios12
  /// A wireless car at night.
  case wirelessNight = "wireless-night"

  /// The description of the car in one line.
  public var summary: String {
    switch self {
    case .standard: "The default: the simulator's screen, 800 x 480 pixels, with touch and keys."
    case .minimum: "The smallest screen that is legal, 748 x 456 pixels."
    case .wide960: "A wide screen of 960 x 540 pixels."
    case .hd: "A screen of 1280 x 720 pixels."
    case .ultraWide: "A very wide and low screen, 1920 x 720 pixels, 3 a point."
    case .ultraWide2x: "The same pixels, 2 a point."
    case .portrait: "A portrait screen with the dock at the bottom."
    case .oddShape: "A wide screen whose corners are covered: content stays in a safe area."
    case .rightHand: "A car with the driver on the right."
    case .knob: "A car without touch: a knob and keys."
    case .twelveRows: "A car that limits every list to 12 rows."
    case .fieldHead: "An after-market head unit that reports taps only and shows three map buttons."
    case .simulator: "Xcode's simulator, which differs from a car."
    case .ios12: "iOS 12: the app delegate's form, three map buttons."
    case .wirelessNight: "A wireless car at night: the battery state does not follow the connection."
    }
  }
}
