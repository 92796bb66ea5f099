// swift-iap2 · Apache-2.0

import COpenSSL

/// A block of a PEM text (RFC 7468).
public struct PEMBlock: Sendable, Hashable {
  /// The name between the dashes, such as `CERTIFICATE`.
  public let name: String
  /// The bytes of the block.
  public let bytes: [UInt8]

  /// Reads all blocks of a text, in order. Text between the blocks does not matter.
  ///
  /// - Throws: ``CryptographyError/malformedPEM(blocksBefore:)`` for a damaged or encrypted block.
  public static func blocks(in text: Span<UInt8>) throws(CryptographyError) -> [PEMBlock] {
    guard let count = CInt(exactly: text.count) else { throw .malformedPEM(blocksBefore: 0) }
    var blocks: [PEMBlock] = []
    let isRead = Library.value {
      unsafe text.withAddress { address, _ in
        guard let source = unsafe BIO_new_mem_buf(address, count) else { return false }
        defer { unsafe BIO_free(source) }
        while true {
          switch unsafe next(in: source) {
          case .block(let block): blocks.append(block)
          case .end: return true
          case .damage: return false
          }
        }
      }
    }
    guard isRead else { throw .malformedPEM(blocksBefore: blocks.count) }
    return blocks
  }

  private enum Reading {
    case block(PEMBlock)
    case end, damage
  }

  private static func next(in source: OpaquePointer) -> Reading {
    var name: UnsafeMutablePointer<CChar>?
    var header: UnsafeMutablePointer<CChar>?
    var data: UnsafeMutablePointer<UInt8>?
    var count = 0
    guard unsafe PEM_read_bio(source, &name, &header, &data, &count) == 1 else {
      // libcrypto reports the end of the text as an absent start line.
      return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE ? .end : .damage
    }
    defer {
      unsafe CRYPTO_free(name, "", 0)
      unsafe CRYPTO_free(header, "", 0)
      unsafe CRYPTO_clear_free(data, count, "", 0)
    }
    // Only encrypted blocks have a header.
    guard let name = unsafe name, unsafe header?.pointee ?? 0 == 0 else { return .damage }
    return unsafe .block(
      PEMBlock(name: String(cString: name), bytes: Array(UnsafeBufferPointer(start: data, count: count))))
  }
}
