// swift-iap2 · Apache-2.0

import Foundation

/// Pictures in the graphics protocol of kitty (https://sw.kovidgoyal.net/kitty/graphics-protocol/).
enum KittyImage {
  /// The identifier of the shown picture: the bytes of `iAP2`, which other programs are unlikely to use.
  private static let id = 0x6941_5032
  /// The maximum number of Base64 bytes in one sequence. In all but the last sequence it is a multiple of four.
  static let chunkByteCount = 4096

  /// Returns the sequences that show a PNG at the cursor and replace the previous picture.
  ///
  /// The terminal keeps the picture's proportions, leaves the cursor in place (C=1), and sends no answer (q=2), which
  /// the program would read as keys.
  static func showing(_ png: [UInt8], columns: Int) -> [UInt8] {
    let text = Array(Data(png).base64EncodedData())
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: max(text.count, 1), by: chunkByteCount) {
      let end = min(start + chunkByteCount, text.count)
      let keys = start == 0 ? "a=T,f=100,t=d,i=\(id),q=2,C=1,c=\(columns)," : ""
      bytes += sequence("\(keys)m=\(end < text.count ? 1 : 0)", text[start..<end])
    }
    return bytes
  }

  /// The sequence that removes the picture from the screen. Erasing text does not remove it.
  static let hiding = sequence("a=d,d=i,i=\(id),q=2")
  /// The sequence that removes the picture and frees its memory.
  static let deleting = sequence("a=d,d=I,i=\(id),q=2")

  private static func sequence(_ keys: String, _ payload: ArraySlice<UInt8> = []) -> [UInt8] {
    Array("\u{1B}_G\(keys)".utf8) + (payload.isEmpty ? [] : [0x3B] + payload) + [0x1B, 0x5C]
  }
}
