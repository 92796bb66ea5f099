// swift-iap2 · Apache-2.0

package import CarPlayPlatform
import Foundation

/// A text with its place.
package struct DrawnText: Sendable, Hashable {
  /// The alignment of a text in its box.
  package enum Alignment: Sendable, Hashable { case leading, center, trailing }

  package var text: String
  package var box: Box
  package var style: TextStyle
  package var ink: Ink
  /// The color below the text, for its contrast.
  package var ground: Ink
  package var alignment = Alignment.leading
  package var lines = 1

  package init(
    text: String, box: Box, style: TextStyle, ink: Ink, ground: Ink, alignment: Alignment = .leading, lines: Int = 1
  ) {
    self.text = text
    self.box = box
    self.style = style
    self.ink = ink
    self.ground = ground
    self.alignment = alignment
    self.lines = lines
  }
}

/// An image of the app with its place.
package struct DrawnImage: Sendable, Hashable {
  /// The name of the image in the tree. An image without bytes is drawn as the first letter of its name.
  package var name: String
  /// The identifier of the bytes; nil without them.
  package var id: String?
  package var box: Box
  package var corner: Double
  /// The color of an image that is a shape.
  package var ink: Ink
  /// Whether the image fills its box and is cut; otherwise it is shown whole.
  package var fills: Bool

  package init(
    _ name: String, id: String? = nil, in box: Box, corner: Double, ink: Ink = .text, fills: Bool = false
  ) {
    (self.name, self.id, self.box, self.corner, self.ink, self.fills) = (name, id, box, corner, ink, fills)
  }
}

/// A map with its place.
package struct DrawnMap: Sendable, Hashable {
  package var box: Box
  package var map: CarMap
  /// Whether the plain map has a route.
  package var hasRoute = false
  /// The position of the car on the plain map, as a fraction of the width.
  package var place = 0.5

  package init(box: Box, map: CarMap, hasRoute: Bool = false, place: Double = 0.5) {
    (self.box, self.map, self.hasRoute, self.place) = (box, map, hasRoute, place)
  }

  /// Whether a view of the app covers the plain map.
  package var isCovered: Bool {
    map.parts.contains {
      ($0.ground?.alpha ?? 0) == 1
        && Box($0.frame.minX + box.x, $0.frame.minY + box.y, $0.frame.width, $0.frame.height).contains(box)
    }
  }
}

/// A part of a picture. Later parts cover earlier ones.
package enum DrawItem: Sendable, Hashable {
  case fill(Box, corner: Double, Ink)
  case ring(Box, corner: Double, width: Double, Ink)
  case text(DrawnText)
  case symbol(Symbol, Box, Ink)
  case image(DrawnImage)
  /// The image of the current content, behind a screen. Its colors are so faint that texts keep their contrast.
  case backdrop(String, Box)
  /// A plain map and the views of the app's window. The window's origin is the corner of the box.
  case map(DrawnMap)
  /// A dim layer over the screen, below modal parts.
  case dim(Box)
}

/// A target for the driver's tap or the knob's focus.
package struct DrawTarget: Sendable, Hashable {
  package var box: Box
  package var name: String
  /// The index of the part in ``ScreenNode/all``; nil for a key of the keyboard and the home button.
  package var part: Int?
  package var isFocused = false
}

/// A picture of a car's screen as a value.
package struct DrawList: Sendable, Hashable {
  /// The size in points, and the number of pixels per point.
  package var width, height: Double
  package var scale: Double
  package var style: CarStyle
  package var mapStyle: CarStyle
  package var items: [DrawItem] = []
  package var targets: [DrawTarget] = []
  /// The shown texts that the car cut or that do not fit into their boxes.
  package var cutTexts: [String] = []
  /// The number of parts that did not fit. A driver sees those below the last shown row by scrolling.
  package var hiddenCount = 0
  /// The number of rows above the first one when the list of the screen is scrolled to its end.
  package var lastFirstRow = 0

  package var texts: [DrawnText] { items.compactMap { if case .text(let text) = $0 { text } else { nil } } }
}

extension DrawItem {
  /// The place that the part covers.
  package var box: Box {
    switch self {
    case .fill(let box, _, _), .symbol(_, let box, _), .backdrop(_, let box), .dim(let box): box
    // Half of the line is outside of the box.
    case .ring(let box, _, let width, _): box.inset(-width, -width)
    case .text(let text): text.box
    case .image(let image): image.box
    case .map(let map): map.box
    }
  }

  func mirrored(in whole: Box) -> DrawItem {
    switch self {
    case .fill(let box, let corner, let ink): return .fill(box.mirrored(in: whole), corner: corner, ink)
    case .ring(let box, let corner, let width, let ink):
      return .ring(box.mirrored(in: whole), corner: corner, width: width, ink)
    case .text(var text):
      text.box = text.box.mirrored(in: whole)
      switch text.alignment {
      case .leading: text.alignment = .trailing
      case .trailing: text.alignment = .leading
      case .center: break
      }
      return .text(text)
    case .symbol(let symbol, let box, let ink): return .symbol(symbol.mirrored, box.mirrored(in: whole), ink)
    case .image(var image):
      image.box = image.box.mirrored(in: whole)
      return .image(image)
    case .backdrop(let id, let box): return .backdrop(id, box.mirrored(in: whole))
    case .map(var map):
      map.box = map.box.mirrored(in: whole)
      map.place = 1 - map.place
      return .map(map)
    case .dim(let box): return .dim(box.mirrored(in: whole))
    }
  }
}
