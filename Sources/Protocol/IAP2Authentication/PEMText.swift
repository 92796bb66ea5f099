// swift-iap2 · Apache-2.0
import SwiftASN1

/// Reads with a library, whose many errors mean one thing here.
func reading<Value>(
  _ failure: AuthenticationError, _ body: () throws -> Value
) throws(AuthenticationError) -> Value {
  do { return try body() } catch { throw failure }
}

/// Reads the texts in which keys and certificates are kept.
enum PEMText {
  /// Every block with one of these names, in order.
  ///
  /// - Parameter failure: thrown if the text is malformed.
  static func blocks(
    named names: Set<String>, in text: String, else failure: AuthenticationError
  ) throws(AuthenticationError) -> [PEMDocument] {
    try reading(failure) { try PEMDocument.parseMultiple(pemString: text) }.filter { names.contains($0.discriminator) }
  }
}
