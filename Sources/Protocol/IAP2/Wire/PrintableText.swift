// swift-iap2 · Apache-2.0

extension String {
  /// The text with U+FFFD for control characters and bidirectional marks, which could move a terminal's cursor or
  /// reverse the text around them. For every text of a peer or a file that is printed.
  package var printable: String {
    String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          let turns = (0x202A...0x202E).contains(scalar.value) || (0x2066...0x2069).contains(scalar.value)
          return turns || scalar.properties.generalCategory == .control ? "\u{FFFD}" : scalar
        }))
  }
}
