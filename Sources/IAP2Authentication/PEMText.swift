// swift-iap2 · Apache-2.0
import SwiftASN1

/// Reads the texts in which keys and certificates are kept.
enum PEMText {
  /// Every block with one of these names, in order; nothing if the text is malformed.
  static func blocks(named names: Set<String>, in text: String) -> [PEMDocument]? {
    guard let documents = try? PEMDocument.parseMultiple(pemString: text) else { return nil }
    return documents.filter { names.contains($0.discriminator) }
  }
}
