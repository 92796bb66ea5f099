// swift-iap2 · Apache-2.0

import Cryptography

/// A reader for PEM texts of keys and certificates.
enum PEMText {
  /// Returns every block with one of these names, in order.
  ///
  /// - Parameter failure: The error to throw if the text is malformed.
  static func blocks(
    named names: Set<String>, in text: [UInt8], else failure: AuthenticationError
  ) throws(AuthenticationError) -> [PEMBlock] {
    let blocks: [PEMBlock]
    do { blocks = try PEMBlock.blocks(in: text.span) } catch { throw failure }
    return blocks.filter { names.contains($0.name) }
  }
}
