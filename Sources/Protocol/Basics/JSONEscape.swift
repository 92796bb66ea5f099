// swift-iap2 · Apache-2.0

/// Escapes in JSON texts.
package enum JSONEscape {
  private static let digits = Array("0123456789abcdef".utf8)

  /// Returns `\u` and the four digits of a character.
  package static func digits(of scalar: Unicode.Scalar) -> [UInt8] {
    [UInt8(ascii: "\\"), UInt8(ascii: "u")]
      + [12, 8, 4, 0].map { digits[Int(scalar.value >> UInt32($0) & 15)] }
  }

  /// Escapes the characters of a JSON text that a terminal or a reader of lines acts on, so that one object is one line
  /// for every reader. A JSON text has such characters only inside its strings.
  package static func oneLine(_ json: [UInt8]) -> [UInt8] {
    guard json.contains(where: { $0 >= 0x7F }) else { return json }
    let text = String(decoding: json, as: UTF8.self)
    guard text.unicodeScalars.contains(where: \.isUnsafeInText) else { return json }
    return text.unicodeScalars.flatMap { $0.isUnsafeInText ? digits(of: $0) : Array($0.utf8) }
  }
}
