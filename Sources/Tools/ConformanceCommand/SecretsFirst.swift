// swift-iap2 · Apache-2.0

import Foundation

/// The order of the blocks of a capture with secrets: those of secrets in front of all packets.
///
/// A phone learns the secrets of pair-verify and auth-setup from the answers whose signatures they open, so they are
/// written behind these answers. A reader that takes the blocks in their order could not check the signatures.
package enum SecretsFirst {
  /// The most bytes of a file that is put in order. The largest capture of a check, ten seconds of pictures, has 20 MB.
  private static let maximumByteCount = 64 << 20

  /// Puts the blocks of a file in order. A larger file stays as it is.
  ///
  /// - Throws: An error of the file system.
  package static func apply(to path: String) throws {
    let file = try FileHandle(forUpdating: URL(filePath: path))
    defer { do { try file.close() } catch {} }
    let count = try file.seekToEnd()
    guard count <= maximumByteCount else { return }
    try file.seek(toOffset: 0)
    guard let bytes = try file.read(upToCount: Int(count)), let ordered = reordered([UInt8](bytes)) else { return }
    // The file keeps its size, so what a connection that ends writes behind these bytes stays in place.
    try file.seek(toOffset: 0)
    try file.write(contentsOf: Data(ordered))
  }

  /// Returns the bytes of a file of one section in order; nil for other bytes, and for those that are in order.
  package static func reordered(_ bytes: [UInt8]) -> [UInt8]? {
    var blocks: [(type: UInt32, bytes: ArraySlice<UInt8>)] = []
    var start = 0
    while start < bytes.count {
      guard bytes.count - start >= 12 else { return nil }
      let (type, count) = (number(bytes, at: start), Int(number(bytes, at: start + 4)))
      guard count >= 12, count.isMultiple(of: 4), count <= bytes.count - start else { return nil }
      blocks.append((type, bytes[start..<start + count]))
      start += count
    }
    guard blocks.first?.type == section, !blocks.dropFirst().contains(where: { $0.type == section }) else { return nil }
    let secrets = blocks.filter { $0.type == secretsBlock }
    guard !secrets.isEmpty else { return nil }
    let ordered = blocks.prefix(1) + secrets + blocks.dropFirst().filter { $0.type != secretsBlock }
    return ordered.flatMap(\.bytes)
  }

  /// The types of blocks of pcapng, which this program writes in little endian.
  private static let section: UInt32 = 0x0A0D_0D0A
  private static let secretsBlock: UInt32 = 0x0000_000A

  private static func number(_ bytes: [UInt8], at place: Int) -> UInt32 {
    bytes[place..<place + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }
}
