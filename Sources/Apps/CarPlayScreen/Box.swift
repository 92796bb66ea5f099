// swift-iap2 · Apache-2.0

/// A rectangle of the screen in points, from the top left corner.
package struct Box: Sendable, Hashable {
  package var x, y, width, height: Double

  package init(_ x: Double, _ y: Double, _ width: Double, _ height: Double) {
    self.x = x
    self.y = y
    self.width = max(0, width)
    self.height = max(0, height)
  }

  package var right: Double { x + width }
  package var bottom: Double { y + height }
  package var isEmpty: Bool { width <= 0 || height <= 0 }

  /// An edge of a box. The layout runs from left to right. For right-to-left languages it is mirrored as a whole.
  enum Edge { case top, bottom, leading, trailing }

  /// Cuts a strip off an edge and returns it. The box keeps the rest.
  mutating func take(_ edge: Edge, _ length: Double) -> Box {
    switch edge {
    case .top:
      let strip = Box(x, y, width, min(length, height))
      (y, height) = (y + strip.height, height - strip.height)
      return strip
    case .bottom:
      let strip = Box(x, bottom - min(length, height), width, min(length, height))
      height -= strip.height
      return strip
    case .leading:
      let strip = Box(x, y, min(length, width), height)
      (x, width) = (x + strip.width, width - strip.width)
      return strip
    case .trailing:
      let strip = Box(right - min(length, width), y, min(length, width), height)
      width -= strip.width
      return strip
    }
  }

  package func inset(_ horizontal: Double, _ vertical: Double) -> Box {
    Box(x + horizontal, y + vertical, width - 2 * horizontal, height - 2 * vertical)
  }

  /// Returns a box of a size in the middle of this one.
  func centered(_ width: Double, _ height: Double) -> Box {
    let (width, height) = (min(width, self.width), min(height, self.height))
    return Box(x + (self.width - width) / 2, y + (self.height - height) / 2, width, height)
  }

  /// Returns equal columns with a gap between them.
  func columns(_ count: Int, gap: Double) -> [Box] {
    guard count > 0 else { return [] }
    let width = (width - gap * Double(count - 1)) / Double(count)
    return (0..<count).map { Box(x + Double($0) * (width + gap), y, width, height) }
  }

  package func overlaps(_ other: Box) -> Bool {
    // The tolerance covers the rounding of columns, which is not an overlap.
    let hair = 0.01
    return x + hair < other.right && other.x + hair < right && y + hair < other.bottom && other.y + hair < bottom
  }

  package func contains(_ other: Box) -> Bool {
    let hair = 0.01
    return other.x >= x - hair && other.y >= y - hair && other.right <= right + hair && other.bottom <= bottom + hair
  }

  /// Returns the box mirrored at the vertical center line of another one.
  func mirrored(in whole: Box) -> Box { Box(whole.x + whole.right - right, y, width, height) }
}
