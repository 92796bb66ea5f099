// swift-iap2 · Apache-2.0

/// A place of a picture that reacts to a finger.
package struct ScreenTarget: Sendable, Hashable, Codable {
  /// The words of the part, the letter of a key, or the name of a key's symbol.
  package var name: String
  /// The index of the part in ``ScreenNode/all``; nil for a key of the keyboard and the home button.
  package var part: Int?
  /// The place in pixels.
  package var box: ScreenPixels.Box

  /// Creates a target.
  package init(name: String, part: Int?, box: ScreenPixels.Box) {
    (self.name, self.part, self.box) = (name, part, box)
  }
}

extension ScreenPixels.Box {
  /// Returns whether a pixel is in the rectangle.
  package func contains(x: Int, y: Int) -> Bool {
    (self.x..<self.x + width).contains(x) && (self.y..<self.y + height).contains(y)
  }
}

/// The values of a picture of the film of a screen.
package struct ScreenFilm: Sendable, Hashable, Codable {
  /// Whether the picture stands alone.
  package var isKeyFrame: Bool
  /// The places that react to a finger. No two of them overlap.
  package var targets: [ScreenTarget]
  /// The number of rows above the first one when a list is scrolled to its end; 0 for a list that fits.
  package var lastFirstRow: Int
  /// The times of drawing and of encoding in milliseconds.
  package var drawingTime, encodingTime: Double

  /// Creates values.
  package init(
    isKeyFrame: Bool, targets: [ScreenTarget], lastFirstRow: Int, drawingTime: Double, encodingTime: Double
  ) {
    (self.isKeyFrame, self.targets, self.lastFirstRow) = (isKeyFrame, targets, lastFirstRow)
    (self.drawingTime, self.encodingTime) = (drawingTime, encodingTime)
  }
}
