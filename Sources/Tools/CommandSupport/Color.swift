// swift-iap2 · Apache-2.0

import Foundation

/// Colors by layer. Each has a contrast of at least 4 with black and with white, and is one of the 240 colors that
/// terminals do not redefine (xterm's 256 colors, 16 to 255).
package enum Color: UInt8, CaseIterable {
  case dim = 243
  case red = 161
  case green = 28
  case yellow = 130
  case blue = 27
  case magenta = 129
  case cyan = 30

  /// The use of colors, as `--color` says.
  package enum Use: String, CaseIterable, Sendable { case always, never, auto }

  package static let reset = "\u{1B}[0m"

  package var code: String { "\u{1B}[38;5;\(rawValue)m" }

  package func callAsFunction(_ text: String) -> String { Output.hasColor ? code + text + Self.reset : text }

  /// Returns the code of a color, or the code that ends one, at the start of a text; nil if another text stands there.
  package static func prefix(of text: Substring.UnicodeScalarView) -> String? {
    codes.first { text.starts(with: $0.unicodeScalars) }
  }

  private static let codes = [reset] + allCases.map(\.code)

  /// Returns whether a terminal shows colors: it is one, and neither `NO_COLOR` (no-color.org) nor a terminal without
  /// them is set.
  package static func isWanted(_ use: Use, isTerminal: Bool, environment: [String: String]) -> Bool {
    switch use {
    case .always: true
    case .never: false
    case .auto: isTerminal && environment["NO_COLOR", default: ""].isEmpty && environment["TERM"] != "dumb"
    }
  }
}
