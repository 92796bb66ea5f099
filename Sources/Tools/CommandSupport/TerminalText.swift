// swift-iap2 · Apache-2.0

import IAP2

/// Text that is safe to print: it can neither move a terminal's cursor nor begin another line nor reverse its
/// direction, whatever a peer, a file or a user put into it. Only this program's own colors pass.
package enum TerminalText {
  /// Returns the UTF-8 of a text, with U+FFFD in the place of every unsafe character except tabs and `keptLineEnds`.
  package static func safe(_ text: String, keepsLineEnds: Bool) -> [UInt8] {
    // The first bytes of the unsafe characters above U+007F are 0xC2, 0xD8 and 0xE2.
    let isSuspicious = text.utf8.contains { byte in
      byte < 0x20 && byte != 0x09 && !(keepsLineEnds && byte == 0x0A) || byte == 0x7F || byte == 0xC2 || byte == 0xD8
        || byte == 0xE2
    }
    return isSuspicious ? replacing(text, keepsLineEnds) : Array(text.utf8)
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
