// swift-iap2 · Apache-2.0

internal import Basics

/// The space for a text on the screen. Fonts are not measured: a letter has the average width of its size.
struct TextRoom {
  /// The number of columns; East Asian letters take two.
  var columns: Int

  /// The width of a column in points: half of the size of the body font. Ours: no picture of CarPlay was measured.
  private static let columnWidth = 8.5

  /// Creates the space for a width in points, at least for one letter.
  init(points: Double, lines: Int = 1) {
    let width = min(points / Self.columnWidth, Double(FittedText.maximumCharacters))
    columns = max(1, Int(max(width, 0))) * max(1, lines)
  }
}

extension TextRoom {
  /// The largest space for a text in any screen, event or report.
  static let largest = TextRoom(points: .infinity)
}

/// A text as the car shows it.
struct FittedText {
  /// The app's texts, of which one is shown.
  var given: [String]
  /// The shown text.
  var text: String
  /// Whether the text was shortened.
  var isCut: Bool
  /// Whether the text had characters that the car does not draw, or more characters than any screen has room for.
  var isHostile: Bool

  /// The number of characters that are read. No screen of a car has room for more.
  static let maximumCharacters = 1000

  /// Fits a text into a space. Characters that change the display of other text become U+FFFD, and a cut end becomes an
  /// ellipsis.
  init(_ source: String, in room: TextRoom) {
    var isCut = false
    var isHostile = false
    var used = 0
    var shown = String.UnicodeScalarView()
    for (index, scalar) in source.unicodeScalars.enumerated() {
      used += scalar.isEastAsianWide ? 2 : 1
      if used > room.columns || index >= Self.maximumCharacters {
        isCut = true
        break
      }
      if scalar == "\n", room.columns > 1 {
        shown.append(" ")
        continue
      }
      if scalar.isUnsafeInText { isHostile = true }
      shown.append(scalar.isUnsafeInText ? "\u{FFFD}" : scalar)
    }
    if isCut {
      if !shown.isEmpty { shown.removeLast() }
      shown.append("…")
      if source.utf8.count > Self.maximumBytes { isHostile = true }
    }
    given = [source]
    text = String(shown)
    self.isCut = isCut
    self.isHostile = isHostile
  }

  /// Returns a text of the app for an event, a report or a part of the screen. It is safe to print and has a limited
  /// length.
  static func plain(_ source: String) -> String {
    let isPlain =
      source.utf8.count <= maximumCharacters && source.utf8.allSatisfy { (0x20..<0x7F).contains($0) }
    return isPlain ? source : FittedText(source, in: .largest).text
  }

  /// The size in bytes above which a text is itself reported, not only as too long for its place.
  private static let maximumBytes = 16 * 1024

  /// Returns the first variant that fits, or the last one shortened. The variants are ordered from the longest to the
  /// shortest.
  static func choose(_ variants: [String], in room: TextRoom) -> FittedText? {
    var last: FittedText?
    for variant in variants where !variant.isEmpty {
      last = FittedText(variant, in: room)
      if last?.isCut == false { break }
    }
    last?.given = variants
    return last
  }
}
