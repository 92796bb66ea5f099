// swift-iap2 · Apache-2.0

public import Foundation

/// A color. Colors never change, so any thread may use them.
///
/// Invariant for `@unchecked Sendable`: the content is constant.
open class UIColor: NSObject, @unchecked Sendable {
  private enum Content: Sendable {
    case fixed(ColorComponents)
    case dynamic(@Sendable (UITraitCollection) -> UIColor)
  }

  private let content: Content

  /// Creates a color of its parts, each from 0 to 1.
  public init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    content = .fixed(ColorComponents(red: red, green: green, blue: blue, alpha: alpha))
    super.init()
  }

  /// Creates a gray, from black at 0 to white at 1.
  public convenience init(white: CGFloat, alpha: CGFloat) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// Creates a color of a hue, a saturation and a brightness, each from 0 to 1.
  public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    let parts = ColorComponents(hue: hue, saturation: saturation, brightness: brightness, alpha: alpha)
    self.init(red: parts.red, green: parts.green, blue: parts.blue, alpha: parts.alpha)
  }

  /// Creates a color that depends on the traits of the place where it is shown.
  @preconcurrency
  public init(dynamicProvider: @escaping @Sendable (UITraitCollection) -> UIColor) {
    content = .dynamic(dynamicProvider)
    super.init()
  }

  /// Creates a color of the app's asset catalog; nil if there is none with the name.
  public convenience init?(named name: String) { self.init(named: name, in: nil, compatibleWith: nil) }

  /// Creates a color of a bundle's asset catalog; nil if there is none with the name.
  ///
  /// The color follows the appearance of the place where it is shown. The given traits count where that is not set.
  public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: UITraitCollection?) {
    guard let pair = AssetCatalog.color(named: name, in: bundle) else { return nil }
    let style = traitCollection?.userInterfaceStyle ?? .unspecified
    self.init { traits in
      let isDark = (traits.userInterfaceStyle == .unspecified ? style : traits.userInterfaceStyle) == .dark
      return UIColor(isDark ? pair.dark : pair.light)
    }
  }

  convenience init(_ parts: ColorComponents) {
    self.init(red: parts.red, green: parts.green, blue: parts.blue, alpha: parts.alpha)
  }

  /// Returns the color for traits.
  open func resolvedColor(with traitCollection: UITraitCollection) -> UIColor {
    var color = self
    // A provider may give another dynamic color. One that gives itself would never end.
    for _ in 0..<8 {
      guard case .dynamic(let provider) = color.content else { return color }
      color = provider(traitCollection)
    }
    return UIColor.clear
  }

  /// Returns the same color with another opacity.
  open func withAlphaComponent(_ alpha: CGFloat) -> UIColor {
    switch content {
    case .fixed(let parts):
      return UIColor(red: parts.red, green: parts.green, blue: parts.blue, alpha: alpha)
    case .dynamic:
      return UIColor { self.resolvedColor(with: $0).withAlphaComponent(alpha) }
    }
  }

  /// Writes the parts of the color for the current traits. The result is true.
  @discardableResult
  open func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let parts = components(for: .current)
    unsafe red?.pointee = parts.red
    unsafe green?.pointee = parts.green
    unsafe blue?.pointee = parts.blue
    unsafe alpha?.pointee = parts.alpha
    return true
  }

  /// Returns the parts of the color for traits.
  package func components(for traits: UITraitCollection) -> ColorComponents {
    guard case .fixed(let parts) = resolvedColor(with: traits).content else {
      return ColorComponents(red: 0, green: 0, blue: 0, alpha: 0)
    }
    return parts
  }

  /// Whether another color has the same parts. A color that depends on traits equals only itself.
  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? UIColor else { return false }
    guard case .fixed(let mine) = content, case .fixed(let theirs) = other.content else { return self === other }
    return mine == theirs
  }

  /// The hash of the parts.
  open override var hash: Int {
    guard case .fixed(let parts) = content else { return ObjectIdentifier(self).hashValue }
    return parts.hashValue
  }

  /// The parts of the color for the current traits, as `#RRGGBB` or `#RRGGBBAA`.
  open override var description: String { components(for: .current).text }
}

/// The parts of a color, each from 0 to 1.
package struct ColorComponents: Hashable, Sendable {
  package let red, green, blue, alpha: CGFloat

  package init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    /// The nearest part from 0 to 1; 0 for a part that is no number.
    func clamp(_ part: CGFloat) -> CGFloat { part.isNaN ? 0 : min(1, max(0, part)) }
    self.red = clamp(red)
    self.green = clamp(green)
    self.blue = clamp(blue)
    self.alpha = clamp(alpha)
  }

  init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    let parts = ColorComponents(red: hue, green: saturation, blue: brightness, alpha: alpha)
    let (hue, saturation, brightness) = (parts.red, parts.green, parts.blue)
    func part(_ n: CGFloat) -> CGFloat {
      let k = (n + hue * 6).truncatingRemainder(dividingBy: 6)
      return brightness * (1 - saturation * max(0, min(k, 4 - k, 1)))
    }
    self.init(red: part(5), green: part(3), blue: part(1), alpha: alpha)
  }

  /// The parts as `#RRGGBB`, or as `#RRGGBBAA` if the color is not opaque.
  package var text: String {
    let parts = alpha == 1 ? [red, green, blue] : [red, green, blue, alpha]
    return "#"
      + parts.map { part in
        let digits = String(Int((part * 255).rounded()), radix: 16, uppercase: true)
        return digits.count < 2 ? "0" + digits : digits
      }.joined()
  }

  /// The relative luminance from 0 to 1, by the Web Content Accessibility Guidelines 2.1.
  package var luminance: CGFloat {
    func linear(_ part: CGFloat) -> CGFloat { part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4) }
    return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
  }

  /// Returns the contrast of two colors from 1 to 21, by the Web Content Accessibility Guidelines 2.1. The opacity is
  /// ignored.
  package func contrast(with other: ColorComponents) -> CGFloat {
    (max(luminance, other.luminance) + 0.05) / (min(luminance, other.luminance) + 0.05)
  }
}
