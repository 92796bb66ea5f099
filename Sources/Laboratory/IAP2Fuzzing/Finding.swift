// swift-iap2 · Apache-2.0

/// A promise of the library that an input broke.
package struct Finding: Error, CustomStringConvertible {
  package let description: String

  init(_ description: String) { self.description = description }
}

/// Throws a finding where a promise is not kept.
func promise(_ isKept: Bool, _ text: @autoclosure () -> String) throws(Finding) {
  guard isKept else { throw Finding(text()) }
}
