// swift-iap2 · Apache-2.0

/// A size and weight of text. Ours: two weights, and sizes that can be read at arm's length on a screen of 7 inches.
package enum TextStyle: Sendable, Hashable, CaseIterable {
  /// The distance to the next turn.
  case large
  /// The title of a screen, a card or an alert.
  case title
  /// A row or a button.
  case body
  /// A second line.
  case detail
  /// A word below a symbol.
  case label

  /// The size in points.
  package var size: Double {
    switch self {
    case .large: 26
    case .title: 18
    case .body: 16
    case .detail: 13
    case .label: 12
    }
  }

  package var isStrong: Bool { self == .large || self == .title }

  /// The height of a line in points, with room for marks above and below letters.
  package var lineHeight: Double { (size * 1.36).rounded(.up) }
}

/// The estimated width of a text before drawing. The drawing program measures with the real font, and its tests compare
/// both.
enum TextEstimate {
  /// Returns a width in points, from the widths of the letters of a common sans serif font as fractions of the size.
  static func width(_ text: String, _ style: TextStyle) -> Double {
    let units = text.unicodeScalars.reduce(0.0) { $0 + width(of: $1) }
    return units * style.size * (style.isStrong ? 1.06 : 1)
  }

  private static func width(of scalar: Unicode.Scalar) -> Double {
    switch scalar {
    case " ", ".", ",", ":", ";", "!", "'", "|", "i", "j", "l", "I": 0.28
    case "m", "w", "M", "W", "%", "@": 0.9
    case "A"..."Z": 0.66
    case "a"..."z", "0"..."9": 0.57
    case _ where scalar.properties.generalCategory == .nonspacingMark: 0
    case _ where scalar.value >= 0x2E80: 1
    default: 0.62
    }
  }
}
