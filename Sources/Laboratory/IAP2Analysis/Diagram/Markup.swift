// swift-iap2 · Apache-2.0

import IAP2

/// Escaping of untrusted text for XML and HTML.
package enum Markup {
  /// Returns escaped text. Characters that XML forbids, characters that move other text (control, bidirectional and
  /// line characters) and stacked combining marks are replaced or removed. Tabs and line ends stay.
  package static func escape(_ text: String) -> String {
    var result = ""
    result.reserveCapacity(text.utf8.count)
    var marks = 0
    for scalar in text.unicodeScalars {
      // Most text is ASCII, which needs no look-up of Unicode properties.
      let isASCII = scalar.value >= 0x20 && scalar.value < 0x7F
      marks = !isASCII && isMark(scalar) ? marks + 1 : 0
      if marks > maximumMarks { continue }
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\n": result += "\n"
      default: result.unicodeScalars.append(!isASCII && isUnsafe(scalar) ? "\u{FFFD}" : scalar)
      }
    }
    return result
  }

  /// Shortens text to a number of columns of a monospaced font, with an ellipsis.
  ///
  /// - Returns: one line, not escaped yet.
  static func fit(_ text: String, columns: Int) -> String {
    var used = 0
    var end = text.unicodeScalars.startIndex
    var cut = end
    let scalars = text.unicodeScalars
    while end < scalars.endIndex {
      used += isWide(scalars[end]) ? 2 : 1
      guard used <= columns else { return line(String(scalars[..<cut]) + "…") }
      end = scalars.index(after: end)
      if used < columns { cut = end }
    }
    return line(text)
  }

  /// Divides text at spaces into lines of a number of columns of a monospaced font.
  static func lines(_ text: String, columns: Int) -> [String] {
    var lines: [String] = []
    for word in text.split(separator: " ") {
      let word = fit(String(word), columns: columns)
      let joined = lines.last.map { "\($0) \(word)" }
      if let joined, fit(joined, columns: columns) == joined {
        lines[lines.count - 1] = joined
      } else {
        lines.append(word)
      }
    }
    return lines
  }

  private static func line(_ text: String) -> String { text.replacing("\n", with: " ") }

  /// The limit of combining marks on a letter; scripts in use need no more.
  private static let maximumMarks = 3

  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }

  private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
    scalar.isUnsafeInText || scalar.value & 0xFFFE == 0xFFFE || (0xFDD0...0xFDEF).contains(scalar.value)
  }

  /// Returns whether a character takes two columns.
  private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    // Pictures; bold and picture-like letters of other planes, Arabic ligatures, cuneiform: broader than one.
    case 0x1F000...0x1FAFF, 0x1D400...0x1D7FF, 0xFB50...0xFDFF, 0x12000...0x1254F, 0xA9C5: true
    default: scalar.isEastAsianWide
    }
  }
}
