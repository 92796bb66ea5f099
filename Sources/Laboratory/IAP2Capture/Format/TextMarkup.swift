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

  /// Returns whether every line of a text is a quotation, as in a mail or in Markdown. The mark then is no arrow.
  static func isQuoted(_ lines: [Substring]) -> Bool {
    let filled = lines.filter { $0.contains { !$0.isWhitespace } }
    return filled.count > 1 && filled.allSatisfy { $0.hasPrefix(">") }
  }

  /// Returns a line without its marks of a quotation.
  static func unquoted(_ line: Substring) -> Substring { line.drop { $0 == ">" || $0 == " " } }
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
