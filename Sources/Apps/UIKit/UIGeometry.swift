// swift-iap2 · Apache-2.0

@_exported public import Foundation

/// Distances from the four edges of a rectangle, inwards and in points.
public struct UIEdgeInsets: Hashable, Sendable {
  /// The distance from the top edge.
  public var top: CGFloat
  /// The distance from the left edge.
  public var left: CGFloat
  /// The distance from the bottom edge.
  public var bottom: CGFloat
  /// The distance from the right edge.
  public var right: CGFloat

  /// No distance from any edge.
  public static let zero = UIEdgeInsets()

  /// Creates insets without a distance.
  public init() { self.init(top: 0, left: 0, bottom: 0, right: 0) }

  /// Creates insets with a distance from each edge.
  public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {
    self.top = top
    self.left = left
    self.bottom = bottom
    self.right = right
  }
}

/// A distance between two points, in points.
public struct UIOffset: Hashable, Sendable {
  /// The horizontal distance.
  public var horizontal: CGFloat
  /// The vertical distance.
  public var vertical: CGFloat

  /// No distance.
  public static let zero = UIOffset()

  /// Creates an offset without a distance.
  public init() { self.init(horizontal: 0, vertical: 0) }

  /// Creates an offset with two distances.
  public init(horizontal: CGFloat, vertical: CGFloat) {
    self.horizontal = horizontal
    self.vertical = vertical
  }
}

extension CGRect {
  /// Returns the rectangle that insets leave. Its width and height are not negative.
  public func inset(by insets: UIEdgeInsets) -> CGRect {
    CGRect(
      x: origin.x + insets.left, y: origin.y + insets.top,
      width: max(0, width - insets.left - insets.right), height: max(0, height - insets.top - insets.bottom))
  }
}
