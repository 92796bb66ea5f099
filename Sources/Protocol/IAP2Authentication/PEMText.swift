// swift-iap2 · Apache-2.0
import SwiftASN1

/// Calls a library and replaces each of its errors by one error of this module.
func reading<Value>(
  _ failure: AuthenticationError, _ body: () throws -> Value
) throws(AuthenticationError) -> Value {
  do { return try body() } catch { throw failure }
}

/// A reader for PEM texts of keys and certificates.
enum PEMText {
  /// Returns every block with one of these names, in order.
  ///
  /// - Parameter failure: The error to throw if the text is malformed.
  static func blocks(
    named names: Set<String>, in text: String, else failure: AuthenticationError
  ) throws(AuthenticationError) -> [PEMDocument] {
    try reading(failure) { try PEMDocument.parseMultiple(pemString: text) }.filter { names.contains($0.discriminator) }
  }
}
