// swift-iap2 · Apache-2.0

public import Foundation

/// A font. Text is not drawn, so a font is a name, a size and a weight.
///
/// Invariant for `@unchecked Sendable`: all properties are constant.
open class UIFont: NSObject, @unchecked Sendable {
  /// The weight of a font.
  public struct Weight: RawRepresentable, Hashable, Sendable {
    /// The number: negative for thin, 0 for regular, positive for bold.
    public let rawValue: CGFloat

    /// Creates a weight.
    public init(rawValue: CGFloat) { self.rawValue = rawValue }

    /// The regular weight.
    public static let regular = Weight(rawValue: 0)
    /// A weight between regular and bold.
    public static let medium = Weight(rawValue: 0.23)
    /// A weight between medium and bold.
    public static let semibold = Weight(rawValue: 0.3)
    /// The bold weight.
    public static let bold = Weight(rawValue: 0.4)
  }

  /// The name.
  public let fontName: String
  /// The size, in points.
  public let pointSize: CGFloat
  /// The weight.
  package let weight: UIFont.Weight

  /// Creates a font of a name. Linux has no list of the phone's fonts, so every name but an empty one is taken.
  public convenience init?(name fontName: String, size fontSize: CGFloat) {
    guard !fontName.isEmpty else { return nil }
    self.init(fontName, fontSize, .regular)
  }

  private init(_ name: String, _ size: CGFloat, _ weight: UIFont.Weight) {
    fontName = name
    pointSize = size
    self.weight = weight
    super.init()
  }

  /// Returns the font of the system.
  open class func systemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .regular) }

  /// Returns the font of the system with a weight.
  open class func systemFont(ofSize fontSize: CGFloat, weight: UIFont.Weight) -> UIFont {
    UIFont("system", fontSize, weight)
  }

  /// Returns the bold font of the system.
  open class func boldSystemFont(ofSize fontSize: CGFloat) -> UIFont { systemFont(ofSize: fontSize, weight: .bold) }
}
