// swift-iap2 · Apache-2.0

import IAP2

/// Bytes as programs print them: string literals, lists of numbers, and hexadecimal without leading zeros
/// (CaptureFormats.md#printed-bytes).
enum PrintedBytes {
  // MARK: Literals

  /// Returns the bytes of the longest string literal of a line: `b'\xffU\x02'`, `"\xff" "U"`; nil without a literal
  /// that is marked as bytes or has an escaped byte.
  static func literal(_ line: Substring) -> [UInt8]? {
    let text = Array(line.utf8)
    guard text.contains(UInt8(ascii: "\\")) || line.contains("b'") || line.contains("b\"") else { return nil }
    var best: [UInt8] = []
    var current: [UInt8] = []
    var index = 0
    // The quotes that are not closed any more.
    var open: Set<UInt8> = []
    while index < text.count {
      let isQuote = text[index] == UInt8(ascii: "'") || text[index] == UInt8(ascii: "\"")
      let isMarked =
        index > 0 && text[index - 1] | 0x20 == UInt8(ascii: "b") && !(index > 1 && isLetter(text[index - 2]))
      let found = isQuote && !open.contains(text[index]) ? literal(text, from: index, hasOctal: !isMarked) : nil
      if isQuote, found == nil { open.insert(text[index]) }
      if let (bytes, hasByte, end) = found {
        index = end
        guard hasByte || isMarked || !current.isEmpty else { continue }
        current += bytes
        if current.count > best.count { best = current }
        continue
      }
      // Literals side by side are one.
      if ![0x20, 0x09, UInt8(ascii: "b")].contains(text[index]) { current = [] }
      index += text[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard best.count >= 2 else { return nil }
    // Digits in a literal are bytes if those begin as something that iAP2 sends.
    let inside = Hex.bytes(String(decoding: best, as: UTF8.self)[...])
    return inside.flatMap { starts.contains(Array($0.prefix(2))) ? $0 : nil } ?? best
  }

  /// The first bytes of detect, of a packet and of a control message.
  private static let starts: [[UInt8]] = [[0xFF, 0x55], [0xFF, 0x5A], [0x40, 0x40]]

  /// Whether a byte is a letter or a digit, so that a mark behind it belongs to a word.
  private static func isLetter(_ byte: UInt8) -> Bool {
    let character = Character(UnicodeScalar(byte))
    return character.isLetter || character.isNumber
  }

  /// Returns the bytes of the literal that begins at a quote, whether it has a byte by number, and the place behind it.
  private static func literal(
    _ text: [UInt8], from start: Int, hasOctal: Bool
  ) -> (bytes: [UInt8], hasByte: Bool, end: Int)? {
    var bytes: [UInt8] = []
    var hasByte = false
    var index = start + 1
    while index < text.count {
      if text[index] == text[start] { return (bytes, hasByte, index + 1) }
      guard text[index] == UInt8(ascii: "\\"), index + 1 < text.count else {
        bytes.append(text[index])
        index += 1
        continue
      }
      let (byte, end, isNumber) = escape(text, from: index + 1, hasOctal)
      bytes.append(byte)
      hasByte = hasByte || isNumber
      index = end
    }
    return nil
  }

  /// The escapes of one letter.
  private static let letters: [UInt8: UInt8] = [
    UInt8(ascii: "n"): 10, UInt8(ascii: "r"): 13, UInt8(ascii: "t"): 9, UInt8(ascii: "a"): 7, UInt8(ascii: "b"): 8,
    UInt8(ascii: "f"): 12, UInt8(ascii: "v"): 11, UInt8(ascii: "e"): 27,
  ]

  /// Returns the byte of an escape after its backslash, and the place behind it. Rust and Python print no octal numbers,
  /// and Rust prints `\0` before other digits.
  private static func escape(
    _ text: [UInt8], from start: Int, _ hasOctal: Bool
  ) -> (byte: UInt8, end: Int, isNumber: Bool) {
    if text[start] == UInt8(ascii: "x"), start + 2 < text.count, let high = Hex.digit(text[start + 1]),
      let low = Hex.digit(text[start + 2])
    {
      return (high << 4 | low, start + 3, true)
    }
    let octal = text[start...].prefix(hasOctal ? 3 : 1).prefix { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
    if !octal.isEmpty {
      let value = octal.reduce(0) { $0 << 3 | Int($1 & 7) }
      return (UInt8(truncatingIfNeeded: value), start + octal.count, true)
    }
    return (letters[text[start]] ?? text[start], start + 1, false)
  }

  // MARK: Numbers

  /// The fewest numbers that count as bytes. Shorter lists are coordinates, versions and the like.
  private static let minimumCount = 4

  /// Returns the bytes of the last list in brackets of a line; nil unless its numbers are decimal or lack zeros, since
  /// pairs of digits need no list.
  static func list(_ line: Substring) -> [UInt8]? {
    guard let start = line.lastIndex(where: { "[{(".contains($0) }) else { return nil }
    let inside = line[start...].dropFirst()
    guard let end = inside.firstIndex(where: { "]})".contains($0) }) else { return nil }
    let items = inside[..<end].split { $0 == "," || $0 == " " || $0 == ";" }
    guard items.count >= minimumCount, items.contains(where: { $0.utf8.count != 2 }) else { return nil }
    return numbers(items)
  }

  /// Returns the numbers behind the bracket of a list that ends on a later line; nil if a line begins no such list.
  static func openList(_ line: Substring) -> [String]? {
    let line = withoutRemark(line)
    guard let start = line.lastIndex(where: { "[{".contains($0) }),
      let (items, isLast) = listPart(line[start...].dropFirst()), !isLast
    else { return nil }
    return items
  }

  /// Returns the numbers of a line within a list, and whether the list ends with it; nil for a line with anything else.
  static func listPart(_ line: Substring) -> (items: [String], isLast: Bool)? {
    let line = withoutRemark(line)
    let end = line.firstIndex { "]})".contains($0) }
    let items = line[..<(end ?? line.endIndex)].split { ", \t\r;".contains($0) }
    guard items.allSatisfy(isNumber) else { return nil }
    return (items.map(String.init), end != nil)
  }

  private static func isNumber(_ text: Substring) -> Bool {
    if text.hasPrefix("0x") || text.hasPrefix("0X") {
      return text.utf8.count <= 4 && UInt8(text.dropFirst(2), radix: 16) != nil
    }
    // More digits are an offset.
    let digits = text.hasPrefix("-") ? text.dropFirst() : text
    return digits.utf8.count <= 3 && Int(text).map { (-128...255).contains($0) } ?? false
      || text.utf8.count <= 2 && UInt8(text, radix: 16) != nil
  }

  /// Returns a line of a program without a remark at its end.
  private static func withoutRemark(_ line: Substring) -> Substring {
    guard let slash = line.firstIndex(of: "/"), ["/", "*"].contains(line[slash...].dropFirst().first) else {
      return line
    }
    return line[..<slash]
  }

  /// Returns the bytes of numbers in one notation: hexadecimal if one has `0x` or a letter, or if all have two digits,
  /// else decimal, where negative ones are those of signed bytes.
  static func numbers(_ items: [Substring]) -> [UInt8]? {
    let isHexadecimal =
      items.contains { $0.contains(where: \.isLetter) } || items.allSatisfy { $0.utf8.count == 2 && $0.first != "-" }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(items.count)
    for item in items {
      let byte =
        isHexadecimal
        ? UInt8(item.hasPrefix("0x") || item.hasPrefix("0X") ? item.dropFirst(2) : item, radix: 16)
        : Int(item).flatMap { UInt8(exactly: $0) ?? Int8(exactly: $0).map { UInt8(bitPattern: $0) } }
      guard let byte else { return nil }
      bytes.append(byte)
    }
    return bytes
  }

  /// Returns the bytes of words of one or two hexadecimal digits, or of decimal numbers, that begin as a packet, a
  /// message or detect does; nil for any others, which could be numbers.
  static func unpadded(_ words: [Substring]) -> [UInt8]? { hexadecimal(words) ?? decimal(words) }

  /// Returns the decimal numbers that begin with 255 and 85 or 90.
  private static func decimal(_ words: [Substring]) -> [UInt8]? {
    let places = words.indices.dropLast()
    guard let start = places.first(where: { words[$0] == "255" && ["85", "90"].contains(words[$0 + 1]) }) else {
      return nil
    }
    let bytes = words[start...].map { UInt8($0) }.prefix { $0 != nil }.compactMap { $0 }
    return bytes.count >= minimumCount ? bytes : nil
  }

  private static func hexadecimal(_ words: [Substring]) -> [UInt8]? {
    // Without a single digit, the words are pairs.
    guard words.count >= minimumCount, words.contains(where: { $0.utf8.count == 1 }),
      let start = words.indices.first(where: { begins(words[$0...]) })
    else { return nil }
    let digits = words[start...].prefix { $0.utf8.count <= 2 }.map { UInt8($0, radix: 16) }
    let bytes = digits.prefix { $0 != nil }.compactMap { $0 }
    return bytes.count >= minimumCount ? bytes : nil
  }

  /// Returns whether pairs of digits begin as a packet, a message or detect does.
  static func begins(_ words: ArraySlice<Substring>) -> Bool {
    guard words.count >= minimumCount, words.prefix(2).allSatisfy({ $0.utf8.count == 2 }) else { return false }
    return starts.contains(words.prefix(2).compactMap { UInt8($0, radix: 16) })
  }
}
