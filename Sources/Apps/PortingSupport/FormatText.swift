// swift-iap2 · Apache-2.0

import Foundation

/// Texts with places for values as in C: `%d`, `%@`, `%2$@`, `%05.1f`, `%{public}@`.
///
/// Foundation's own function trusts that values and places fit, and crashes otherwise. Here a place takes any value, a
/// place without a value stays as it is, and a value without a place is left out.
package enum FormatText {
  /// Returns a text with its values.
  package static func text(_ format: String, _ values: [Any]) -> String {
    var (text, next, rest) = ("", 0, format[...])
    /// Returns the value of a number, or the next one.
    func value(_ number: Int? = nil) -> Any? {
      if number == nil { next += 1 }
      let index = number.map { $0 - 1 } ?? next - 1
      return values.indices.contains(index) ? values[index] : nil
    }
    /// Returns a width or a number of digits, which may be a value itself: `*`.
    func count(_ text: Substring?) -> Int? {
      guard text == "*" else { return text.flatMap { Int($0) } }
      return (value() as? any BinaryInteger).flatMap { Int(exactly: $0) }
    }
    while let start = rest.firstIndex(of: "%") {
      text += rest[..<start]
      rest = rest[start...]
      guard let match = unsafe rest.prefixMatch(of: place) else {
        text += "%"
        rest = rest.dropFirst()
        continue
      }
      rest = rest[match.range.upperBound...]
      let (whole, number, flags, width, digits, kind) = match.output
      guard kind != "%" else {
        text += "%"
        continue
      }
      let (least, precision) = (count(width), count(digits))
      guard let value = value(number.flatMap { Int($0) }) else {
        text += whole
        continue
      }
      text += padded(word(value, kind, precision), to: min(least ?? 0, maximumWidth), flags)
    }
    return text + rest
  }

  /// The largest width of a value. A screen of text is narrower.
  private static let maximumWidth = 200

  /// A number of a value, words in braces, flags, width, digits behind the point, the size of the value, its kind.
  nonisolated(unsafe) private static let place =
    #/%(?:([0-9]{1,2})\$)?(?:\{[^}]*\})?([-+ 0#]*)([0-9]{1,3}|\*)?(?:\.([0-9]{1,2}|\*))?(?:hh|h|ll|l|L|q|z|t|j)?([@a-zA-Z%])/#

  private static func word(_ value: Any, _ kind: Substring, _ precision: Int?) -> String {
    switch value {
    case let number as any BinaryFloatingPoint where "fFeEgG".contains(kind):
      String(format: "%.\(min(max(precision ?? 6, 0), 99))\(kind)", Double(number))
    case let number as any BinaryInteger where kind == "x" || kind == "X":
      String(number, radix: 16, uppercase: kind == "X")
    case let number as any BinaryInteger where kind == "o": String(number, radix: 8)
    default: String(describing: value)
    }
  }

  private static func padded(_ word: String, to width: Int, _ flags: Substring) -> String {
    let missing = width - word.count
    guard missing > 0 else { return word }
    if flags.contains("-") { return word + String(repeating: " ", count: missing) }
    guard flags.contains("0") else { return String(repeating: " ", count: missing) + word }
    let sign = word.hasPrefix("-") ? "-" : ""
    return sign + String(repeating: "0", count: missing) + word.dropFirst(sign.count)
  }
}
