// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// A screen that the head unit shows, with the places that react to a finger.
package struct ShownScreen: Sendable {
  /// The tree of the screen.
  package var screen: ScreenNode
  /// The values of its last picture; nil before the first one.
  package var film: ScreenFilm?
  /// The number of pixels per point.
  package var scale: Int

  package init(_ screen: ScreenNode, _ film: ScreenFilm?, scale: Int) {
    (self.screen, self.film, self.scale) = (screen, film, scale)
  }

  /// Returns the target at a pixel.
  func target(x: Int, y: Int) -> ScreenTarget? { film?.targets.first { $0.box.contains(x: x, y: y) } }

  /// Whether a finger beside the targets touches a map.
  var isMap: Bool { screen.kind == .map }

  /// The text in the search field.
  var typedText: String { screen.first(.field)?.title ?? "" }
}
