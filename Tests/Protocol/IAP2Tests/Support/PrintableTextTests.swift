// swift-iap2 · Apache-2.0

import IAP2
import Testing

@Suite struct PrintableTextTests {
  /// Control characters, line separators and every bidirectional mark of Unicode.
  static let unsafe: [ClosedRange<UInt32>] = [
    0...0x1F, 0x7F...0x9F, 0x61C...0x61C, 0x200E...0x200F, 0x2028...0x202E, 0x2066...0x206F,
  ]

  @Test func unsafeCharactersAreReplacedAndOthersStay() throws {
    for value in UInt32(0)...0x2FFF {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let text = "a" + String(scalar) + "b"
      let isUnsafe = Self.unsafe.contains { $0.contains(value) }
      #expect(text.printable == (isUnsafe ? "a\u{FFFD}b" : text), "U+\(String(value, radix: 16))")
      // Unicode's own property must agree for the marks.
      if scalar.properties.isBidiControl { #expect(isUnsafe, "U+\(String(value, radix: 16))") }
    }
    // Emoji with joiners are texts of many phones.
    let family = "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}"
    #expect(family.printable == family)
  }

  @Test func lineEndsOfSentencesAreNoDamage() {
    #expect("$GPGGA,1*47\r\n".quoted == #""$GPGGA,1*47\r\n""#)
    #expect("a\tb\u{1B}[2J\u{2028}".quoted == "\"a\\tb\u{FFFD}[2J\u{FFFD}\"")
  }
}
