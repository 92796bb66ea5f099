// swift-iap2 · Apache-2.0

import IAP2

/// A splitter of sent bytes into the units that the receiver finds in them.
package enum LinkPieces {
  /// Returns each link packet and each detect sequence as a piece of its own; other bytes stay together.
  package static func of(_ bytes: [UInt8]) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
      let rest = bytes.rawBytes.extracting(start..<bytes.count)
      let length = min(byteCount(ofFirstIn: rest), rest.byteCount)
      pieces.append(Array(bytes[start..<(start + length)]))
      start += length
    }
    return pieces
  }

  private static func byteCount(ofFirstIn rest: RawSpan) -> Int {
    if let header = LinkHeader(startOf: rest) {
      return header.byteCount < LinkHeader.byteCount ? rest.byteCount : header.byteCount
    }
    let detect = LinkScanner.detect
    let isDetect = rest.byteCount >= 2 && rest.byte(0) == detect[0] && rest.byte(1) == detect[1]
    return isDetect ? detect.count : rest.byteCount
  }
}
