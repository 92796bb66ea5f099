// swift-iap2 · Apache-2.0

import IAP2

/// A regular expression that a user wrote.
///
/// It is a class so that values that hold one stay small and in registers. Invariant for `@unchecked`: `Regex` is not
/// declared `Sendable`, but this one is set once in `init` and only read afterwards.
final class UserPattern: @unchecked Sendable {
  private let regex: Regex<AnyRegexOutput>

  /// - Throws: the standard library's error if the text is not a regular expression.
  init(_ text: String, ignoresCase: Bool = false) throws {
    let regex = try Regex(text)
    self.regex = ignoresCase ? regex.ignoresCase() : regex
  }

  /// Creates a pattern that matches a text literally, in any case.
  init(literal text: String) { regex = Regex<AnyRegexOutput>(verbatim: text).ignoresCase() }

  func isFound(in text: String) -> Bool { text.firstMatch(of: regex) != nil }

  func match(_ text: Substring) -> Regex<AnyRegexOutput>.Match? { text.firstMatch(of: regex) }

  func hasGroup(_ name: String) -> Bool { regex.contains(captureNamed: name) }
}
