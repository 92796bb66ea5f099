// swift-iap2 · Apache-2.0

import IAP2

/// A reader of the secrets in the blocks of a pcapng file, without its packets.
package struct SecretsReader {
  private var reader = CaptureReader()
  private var isFirst = true
  /// The secrets, as the text of key logs.
  package private(set) var text: [UInt8] = []

  /// Creates a reader.
  package init() {}

  /// Takes the next bytes of a file. Returns false for a file of another format, which has no such blocks.
  package mutating func append(_ bytes: [UInt8]) -> Bool {
    if isFirst, bytes.count >= 4, !bytes.starts(with: Pcapng.sectionHeader.littleEndianBytes) { return false }
    isFirst = false
    reader.append(bytes)
    while let item = reader.next() {
      guard case .block(let block) = item,
        let secrets = DecryptionSecrets.sessions(in: block, reader.bytes(of: block))
      else { continue }
      text += secrets + [0x0A]
    }
    return true
  }
}
