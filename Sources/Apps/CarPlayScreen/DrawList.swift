// swift-iap2 · Apache-2.0

package import CarPlayPlatform

/// A text in its place.
package struct DrawnText: Sendable, Hashable {
  /// The side of the box at which a text begins.
  package enum Alignment: Sendable, Hashable { case leading, center, trailing }

  package var text: String
  package var box: Box
  package var style: TextStyle
  package var ink: Ink
  /// What the text stands on, for its contrast.
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

/// A part of a picture. The later ones cover the earlier ones.
package enum DrawItem: Sendable, Hashable {
  case fill(Box, corner: Double, Ink)
  case ring(Box, corner: Double, width: Double, Ink)
  case text(DrawnText)
  case symbol(Symbol, Box, Ink)
  /// An image of the app by its name, or a placeholder with the name's first letter.
  case image(String, Box, corner: Double)
  /// The app's map, or a plain one.
  case map(Box)
  /// A ground for modal parts over the rest.
  case dim(Box)
}

/// A place where the driver can tap, or that the knob reaches.
package struct DrawTarget: Sendable, Hashable {
  package var box: Box
  package var name: String
  package var isFocused = false
}

/// A picture of a car's screen as a value.
package struct DrawList: Sendable, Hashable {
  /// The size in points, and the pixels of a point.
  package var width, height: Double
  package var scale: Int
  package var style: CarStyle
  package var mapStyle: CarStyle
  package var items: [DrawItem] = []
  package var targets: [DrawTarget] = []
  /// The shown texts that were cut by the car or do not fit into their boxes.
  package var cutTexts: [String] = []
  /// The number of parts below the last shown row, which a driver sees by scrolling.
  package var hiddenCount = 0

  package var texts: [DrawnText] { items.compactMap { if case .text(let text) = $0 { text } else { nil } } }
}

extension DrawItem {
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
    case .image(let name, let box, let corner): return .image(name, box.mirrored(in: whole), corner: corner)
    case .map(let box): return .map(box.mirrored(in: whole))
    case .dim(let box): return .dim(box.mirrored(in: whole))
    }
  }
}
