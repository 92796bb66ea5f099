// swift-iap2 · Apache-2.0

import IAP2

/// The secrets of CarPlay sessions in a pcapng file: a Decryption Secrets Block whose data is the text of a key log.
/// Source: CaptureFormats.md#decryption-secrets.
package enum DecryptionSecrets {
  /// The type of the block.
  static let block: UInt32 = 0x0000_000A
  /// The type of the secrets, the letters `CPKL`. Ours: no type is registered for them.
  static let type: UInt32 = 0x4350_4B4C
  /// The most bytes of a block's secrets, which bounds what a hostile file makes a reader keep.
  static let maximumByteCount = 1 << 20

  /// Returns the key log in a block; nil for another block.
  static func sessions(in block: CaptureBlock, _ bytes: RawSpan) -> [UInt8]? {
    guard block.type == Self.block, bytes.byteCount >= 8,
      bytes.integer(0, isLittleEndian: block.isLittleEndian) as UInt32 == type
    else { return nil }
    let count = Int(bytes.integer(4, isLittleEndian: block.isLittleEndian) as UInt32)
    guard count <= min(bytes.byteCount - 8, maximumByteCount) else { return nil }
    return [UInt8](copying: bytes.extracting(8..<(8 + count)))
  }
}
