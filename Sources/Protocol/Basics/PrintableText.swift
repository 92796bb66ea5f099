// swift-iap2 · Apache-2.0

extension Unicode.Scalar {
  /// Whether a terminal or a reader of lines acts on the character: control characters, line and paragraph separators
  /// (U+2028, U+2029), and bidirectional marks, which reverse the text around them (Unicode UAX 9, section 2).
  package var isUnsafeInText: Bool {
    switch value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x206F: true
    default: false
    }
  }

  /// Whether the character takes two columns, as the East Asian wide and fullwidth ones do (Unicode UAX 11). Pictures
  /// are not among them.
  package var isEastAsianWide: Bool {
    switch value {
    case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
      0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6, 0x20000...0x3FFFD:
      true
    default: false
    }
  }
}

extension String {
  /// The text with U+FFFD for characters that could move a terminal's cursor, begin another line or reverse the text
  /// around them. For every text of a peer or a file that is printed.
  package var printable: String {
    guard !isPrintableASCII, unicodeScalars.contains(where: \.isUnsafeInText) else { return self }
    return String(String.UnicodeScalarView(unicodeScalars.map { $0.isUnsafeInText ? "\u{FFFD}" : $0 }))
  }

  /// The printable text in quotes. Tabs and line ends, which belong to NMEA sentences and log lines, are shown as `\t`,
  /// `\r` and `\n`.
  package var quoted: String {
    if isPrintableASCII { return "\"" + self + "\"" }
    var text = "\""
    for scalar in unicodeScalars {
      switch scalar {
      case "\t": text += "\\t"
      case "\r": text += "\\r"
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar.isUnsafeInText ? "\u{FFFD}" : scalar)
      }
    }
    return text + "\""
  }

  /// Whether all characters are of ASCII, and none is a control character. Most texts are like this.
  private var isPrintableASCII: Bool { utf8.allSatisfy { (0x20..<0x7F).contains($0) } }
}

extension Character {
  /// The columns of the character on a terminal: two for East Asian wide characters and pictures, none for marks that
  /// stand alone (Unicode UAX 11).
  package var terminalColumns: Int {
    guard let first = unicodeScalars.first else { return 0 }
    switch first.value {
    case 0..<0x300: return 1
    case 0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF: return 2
    default:
      if first.isEastAsianWide { return 2 }
      switch first.properties.generalCategory {
      case .nonspacingMark, .enclosingMark, .format: return 0
      default: return first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}") ? 2 : 1
      }
    }
  }
}
