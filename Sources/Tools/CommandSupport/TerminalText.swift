// swift-iap2 · Apache-2.0

import IAP2

/// Text that is safe to print: it can neither move a terminal's cursor nor begin another line nor reverse its
/// direction, whatever a peer, a file or a user put into it. Only this program's own colors pass.
package enum TerminalText {
  /// Returns the UTF-8 of a text, with U+FFFD in the place of every unsafe character except tabs and `keptLineEnds`.
  package static func safe(_ text: String, keepsLineEnds: Bool) -> [UInt8] {
    hasUnsafe(text, keepsLineEnds) ? replacing(text, keepsLineEnds) : Array(text.utf8)
  }

  /// Looks for an unsafe character in the bytes, because most texts have none. An escape of the program's own colors
  /// counts too.
  private static func hasUnsafe(_ text: String, _ keepsLineEnds: Bool) -> Bool {
    var (first, second) = (UInt8(0), UInt8(0))
    for byte in text.utf8 {
      if byte < 0x20 {
        if byte != 0x09, !(keepsLineEnds && byte == 0x0A) { return true }
      } else if byte >= 0x7F {
        switch (first, second, byte) {
        case (_, _, 0x7F), (_, 0xC2, 0x80...0x9F), (_, 0xD8, 0x9C): return true
        case (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE), (0xE2, 0x81, 0xA6...0xAF): return true
        default: break
        }
      }
      (first, second) = (second, byte)
    }
    return false
  }

  private static func replacing(_ text: String, _ keepsLineEnds: Bool) -> [UInt8] {
    var safe: [UInt8] = []
    var rest = text.unicodeScalars[...]
    while let scalar = rest.first {
      if scalar == "\u{1B}", let color = Color.prefix(of: rest) {
        safe += color.utf8
        rest = rest.dropFirst(color.unicodeScalars.count)
        continue
      }
      let isKept = scalar == "\t" || keepsLineEnds && scalar == "\n" || !scalar.isUnsafeInText
      safe += isKept ? Array(scalar.utf8) : Array("\u{FFFD}".utf8)
      rest = rest.dropFirst()
    }
    return safe
  }

  /// Returns a line that fits into a terminal, with an ellipsis if it was cut. Colors take no room.
  package static func cut(_ line: String, columns: Int) -> String {
    // Most lines are short. A character takes at least as many bytes as columns, except that none is wider than two.
    guard line.utf8.count > columns else { return line }
    var shown = ""
    var used = 0
    var isColored = false
    var end: (text: String, isColored: Bool)?
    var rest = line[...]
    while let character = rest.first {
      if character == "\u{1B}", let color = Color.prefix(of: rest.unicodeScalars) {
        isColored = color != Color.reset
        shown += color
        rest = Substring(rest.unicodeScalars.dropFirst(color.unicodeScalars.count))
        continue
      }
      used += character.terminalColumns
      if used >= columns, end == nil { end = (shown, isColored) }
      guard used <= columns else {
        guard let end else { return line }
        return end.text + "…" + (end.isColored ? Color.reset : "")
      }
      shown.append(character)
      rest = rest.dropFirst()
    }
    return line
  }
}
