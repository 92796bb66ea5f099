// swift-iap2 · Apache-2.0

import IAP2

/// A regular expression that a user wrote.
///
/// A class, so that values that hold one stay small and in registers. Invariant for `@unchecked`: `Regex` says nothing of
/// other threads, but is set once here and only asked.
final class UserPattern: @unchecked Sendable {
  private let regex: Regex<AnyRegexOutput>

  /// - Throws: what the standard library says is wrong with it.
  init(_ text: String, ignoresCase: Bool = false) throws {
    let regex = try Regex(text)
    self.regex = ignoresCase ? regex.ignoresCase() : regex
  }

  /// Text as it is, whatever the case of its letters.
  init(literal text: String) { regex = Regex<AnyRegexOutput>(verbatim: text).ignoresCase() }

  func isFound(in text: String) -> Bool { text.firstMatch(of: regex) != nil }

  func match(_ text: Substring) -> Regex<AnyRegexOutput>.Match? { text.firstMatch(of: regex) }

  func hasGroup(_ name: String) -> Bool { regex.contains(captureNamed: name) }
}
