// swift-iap2 · Apache-2.0

import IAP2

extension DecryptionSecrets {
  /// Returns the block of a key log.
  ///
  /// - Parameter text: At most ``maximumByteCount`` bytes.
  package static func bytes(_ text: [UInt8]) -> [UInt8] {
    PcapngBlocks.block(block, type.littleEndianBytes + UInt32(text.count).littleEndianBytes + text)
  }
}
