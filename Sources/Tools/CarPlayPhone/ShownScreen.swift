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
  /// The text in the search field of the app. It may have a letter more than the last picture shows.
  package var typedText: String

  package init(_ screen: ScreenNode, _ film: ScreenFilm?, scale: Int, typedText: String = "") {
    (self.screen, self.film, self.scale, self.typedText) = (screen, film, scale, typedText)
  }

  /// Returns the target at a pixel.
  func target(x: Int, y: Int) -> ScreenTarget? { film?.targets.first { $0.box.contains(x: x, y: y) } }

  /// Returns the line of a target's part; nil for a key of the keyboard.
  func line(of target: ScreenTarget) -> String? {
    let parts = screen.all
    return target.part.flatMap { parts.indices.contains($0) ? parts[$0].line : nil }
  }

  /// Whether a finger beside the targets touches a map.
  var isMap: Bool { screen.kind == .map }
}
