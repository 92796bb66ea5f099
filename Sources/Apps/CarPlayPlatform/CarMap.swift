// swift-iap2 · Apache-2.0

public import Foundation

/// A color of the sRGB space with its opacity. Each component is from 0 to 1.
public struct CarColor: Sendable, Hashable, Codable {
  /// The components.
  public var red, green, blue, alpha: Double

  /// Creates a color.
  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    (self.red, self.green, self.blue, self.alpha) = (red, green, blue, alpha)
  }
}

/// The map below a map template: the distance by which the driver moved it, and the views of the app's window.
public struct CarMap: Sendable, Hashable, Codable {
  /// A view with visible content.
  public struct Part: Sendable, Hashable, Codable {
    /// The frame in points from the corner of the app's part of the screen.
    public var frame: CGRect
    /// The color behind the content; nil without one.
    public var ground: CarColor?
    /// The text of a label; nil for another view.
    public var text: String?
    /// The color and the size in points of the text.
    public var ink: CarColor?
    public var size: Double?
    /// The image by ``CarImage/id``.
    public var image: String?

    /// Creates a part.
    public init(
      frame: CGRect, ground: CarColor? = nil, text: String? = nil, ink: CarColor? = nil, size: Double? = nil,
      image: String? = nil
    ) {
      (self.frame, self.ground, self.text, self.ink, self.size, self.image) = (frame, ground, text, ink, size, image)
    }
  }

  /// The distance in points by which the driver moved the map's content.
  public var moved: CGPoint
  /// The views, from back to front.
  public var parts: [Part]

  /// The furthest coordinate on a map from its corner in points. The limit keeps the precision of the numbers.
  public static let furthest = 1e6

  /// Returns a distance or a coordinate that is limited to the map, or 0 for NaN.
  public static func bounded(_ way: Double) -> Double { way.isNaN ? 0 : max(-furthest, min(way, furthest)) }

  /// Creates a map.
  public init(moved: CGPoint = .zero, parts: [Part] = []) { (self.moved, self.parts) = (moved, parts) }
}

/// The content of a picture of a screen, without the bytes of its images.
public struct ScreenContent: Sendable, Hashable, Codable {
  /// The tree of the screen.
  public var screen: ScreenNode
  /// The look of the car.
  public var look: CarLook
  /// The map below a map template; nil for the plain map.
  public var map: CarMap?
  /// The number of rows of a list above the first one that is shown; nil for none. The layout limits it.
  public var scroll: Int?

  /// Creates the content of a picture.
  public init(_ screen: ScreenNode, _ look: CarLook, map: CarMap? = nil, scroll: Int? = nil) {
    (self.screen, self.look, self.map, self.scroll) = (screen, look, map, scroll)
  }

  /// The identifiers of the images in the picture.
  public var images: Set<String> {
    Set(screen.all.flatMap { [$0.image, $0.accessory] }.compactMap(\.self)).union(map?.parts.compactMap(\.image) ?? [])
  }
}
