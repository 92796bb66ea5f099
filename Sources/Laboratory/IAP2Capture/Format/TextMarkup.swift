// swift-iap2 · Apache-2.0

/// The marks that terminals and documents add to the lines of a log.
enum TextMarkup {
  /// Returns a line without the escape sequences by which terminals colour it.
  static func plain(_ line: Substring) -> String {
    guard line.utf8.contains(0x1B) else { return String(line) }
    var plain = ""
    var rest = line.unicodeScalars
    while let start = rest.firstIndex(of: "\u{1B}") {
      plain.unicodeScalars.append(contentsOf: rest[..<start])
      rest = rest[rest.index(after: start)...]
      guard rest.first == "[" else { continue }
      // Parameters end with the first letter.
      let end = rest.firstIndex { $0.properties.isAlphabetic } ?? rest.endIndex
      rest = end == rest.endIndex ? rest[end...] : rest[rest.index(after: end)...]
    }
    plain.unicodeScalars.append(contentsOf: rest)
    return plain
  }

  /// Returns the number of marks `>` that begin every line of a text, as in a mail or in Markdown. These are no arrows;
  /// further ones may be.
  static func quotationDepth(_ lines: [Substring]) -> Int {
    let filled = lines.filter { $0.contains { !$0.isWhitespace } }
    guard filled.count > 1 else { return 0 }
    return filled.map { line in
      var rest = line
      var depth = 0
      while removeMark(&rest) { depth += 1 }
      return depth
    }.min() ?? 0
  }

  /// Returns a line without its first marks of a quotation.
  static func unquoted(_ line: Substring, depth: Int) -> Substring {
    var rest = line
    for _ in 0..<depth { _ = removeMark(&rest) }
    return rest
  }

  /// Removes a mark of a quotation with one space behind it. Returns false for a line that does not begin with one.
  private static func removeMark(_ line: inout Substring) -> Bool {
    guard line.first == ">" else { return false }
    line.removeFirst()
    if line.first == " " { line.removeFirst() }
    return true
  }

  /// Signs and words for directions that programs put beside bytes without a space.
  private static let directions: Set<Character> = [
    "←", "→", "⇐", "⇒", "◀", "▶", "◆", "◇", "●", "○", "■", "□", "▲", "△", "：", "发", "送", "收", "接",
  ]
  private static let quotes: [Character: Character] = ["“": "\"", "”": "\"", "„": "\"", "‘": "'", "’": "'"]

  /// Returns a line with straight quotes, with spaces around signs of directions, and with a space in place of the colon
  /// between a name and its value in JSON.
  static func spelled(_ line: String) -> String {
    var line = line
    // In a byte string, which has backslashes, a colon is a byte.
    let isByteString = line.utf8.contains(UInt8(ascii: "\\")) || line.contains("b'")
    if line.utf8.contains(UInt8(ascii: "\"")), !isByteString { line = line.replacing("\":", with: "\" ") }
    guard line.utf8.contains(where: { $0 >= 0x80 }) else { return line }
    var spelled = ""
    for character in line {
      if let quote = quotes[character] {
        spelled.append(quote)
      } else if directions.contains(character) {
        spelled += " \(character) "
      } else {
        spelled.append(character)
      }
    }
    return spelled
  }
}

/// The beginning of a line of ESP-IDF's log: level, time and tag, as in `I (10232) SPP: `
/// (CaptureFormats.md#device-logs).
struct DeviceLogPrefix {
  /// The time in seconds since the start of the device, or of the day.
  var time: Double?
  /// The name of the part of the program that wrote the line.
  var tag: Substring
  /// The text of the line.
  var rest: Substring

  /// Returns nil for a line of another form.
  init?(_ line: Substring) {
    guard let level = line.first, "EWIDV".contains(level), line.dropFirst().hasPrefix(" (") else { return nil }
    let inside = line.dropFirst(3)
    guard let end = inside.firstIndex(of: ")"), let colon = inside[end...].firstIndex(of: ":") else { return nil }
    let stamp = inside[..<end]
    if let milliseconds = UInt64(stamp) {
      time = Double(milliseconds) / 1000
    } else {
      guard let clock = HexDump.Line.time(stamp) else { return nil }
      time = clock
    }
    tag = inside[inside.index(after: end)..<colon]
    rest = inside[inside.index(after: colon)...]
  }
}
