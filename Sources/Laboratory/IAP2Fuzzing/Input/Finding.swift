// swift-iap2 · Apache-2.0

/// An invariant of the library that an input violated.
package struct Finding: Error, CustomStringConvertible {
  /// The violation in English.
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding if an invariant does not hold.
func require(_ isKept: Bool, _ text: @autoclosure () -> String) throws(Finding) {
  guard isKept else { throw Finding(text()) }
}
