// swift-iap2 · Apache-2.0

// The values of the system colors are those of the table in Apple's public Human Interface Guidelines, "Color".
// Unverified: iOS 26 has changed some of them.

extension UIColor {
  /// A color of a hexadecimal number, `0xRRGGBB`.
  private static func fixed(_ rgb: Int, alpha: CGFloat = 1) -> UIColor {
    UIColor(
      red: CGFloat(rgb >> 16 & 0xff) / 255, green: CGFloat(rgb >> 8 & 0xff) / 255, blue: CGFloat(rgb & 0xff) / 255,
      alpha: alpha)
  }

  /// A color with a light and a dark form.
  private static func pair(_ light: UIColor, _ dark: UIColor) -> UIColor {
    UIColor { $0.userInterfaceStyle == .dark ? dark : light }
  }

  private static func pair(_ light: Int, _ dark: Int) -> UIColor { pair(fixed(light), fixed(dark)) }

  /// Black.
  public static let black = fixed(0x000000)
  /// White.
  public static let white = fixed(0xFFFFFF)
  /// No color.
  public static let clear = fixed(0x000000, alpha: 0)
  /// A dark gray, one third of white.
  public static let darkGray = UIColor(white: 1 / 3, alpha: 1)
  /// A light gray, two thirds of white.
  public static let lightGray = UIColor(white: 2 / 3, alpha: 1)
  /// A gray, half of white.
  public static let gray = UIColor(white: 0.5, alpha: 1)
  /// Red.
  public static let red = fixed(0xFF0000)
  /// Green.
  public static let green = fixed(0x00FF00)
  /// Blue.
  public static let blue = fixed(0x0000FF)
  /// Cyan.
  public static let cyan = fixed(0x00FFFF)
  /// Yellow.
  public static let yellow = fixed(0xFFFF00)
  /// Magenta.
  public static let magenta = fixed(0xFF00FF)
  /// Orange.
  public static let orange = UIColor(red: 1, green: 0.5, blue: 0, alpha: 1)
  /// Purple.
  public static let purple = UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1)
  /// Brown.
  public static let brown = UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1)

  /// The red of the system.
  public static let systemRed = pair(0xFF3B30, 0xFF453A)
  /// The orange of the system.
  public static let systemOrange = pair(0xFF9500, 0xFF9F0A)
  /// The yellow of the system.
  public static let systemYellow = pair(0xFFCC00, 0xFFD60A)
  /// The green of the system.
  public static let systemGreen = pair(0x34C759, 0x30D158)
  /// The mint of the system.
  public static let systemMint = pair(0x00C7BE, 0x63E6E2)
  /// The teal of the system.
  public static let systemTeal = pair(0x30B0C7, 0x40C8E0)
  /// The cyan of the system.
  public static let systemCyan = pair(0x32ADE6, 0x64D2FF)
  /// The blue of the system.
  public static let systemBlue = pair(0x007AFF, 0x0A84FF)
  /// The indigo of the system.
  public static let systemIndigo = pair(0x5856D6, 0x5E5CE6)
  /// The purple of the system.
  public static let systemPurple = pair(0xAF52DE, 0xBF5AF2)
  /// The pink of the system.
  public static let systemPink = pair(0xFF2D55, 0xFF375F)
  /// The brown of the system.
  public static let systemBrown = pair(0xA2845E, 0xAC8E68)
  /// The gray of the system.
  public static let systemGray = pair(0x8E8E93, 0x8E8E93)
  /// The second gray of the system.
  public static let systemGray2 = pair(0xAEAEB2, 0x636366)
  /// The third gray of the system.
  public static let systemGray3 = pair(0xC7C7CC, 0x48484A)
  /// The fourth gray of the system.
  public static let systemGray4 = pair(0xD1D1D6, 0x3A3A3C)
  /// The fifth gray of the system.
  public static let systemGray5 = pair(0xE5E5EA, 0x2C2C2E)
  /// The sixth gray of the system.
  public static let systemGray6 = pair(0xF2F2F7, 0x1C1C1E)
  /// The color of text.
  public static let label = pair(0x000000, 0xFFFFFF)
  /// The color of less important text.
  public static let secondaryLabel = pair(fixed(0x3C3C43, alpha: 0.6), fixed(0xEBEBF5, alpha: 0.6))
  /// The color of the background.
  public static let systemBackground = pair(0xFFFFFF, 0x000000)
}
