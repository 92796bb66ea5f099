// swift-iap2 · Apache-2.0

import CommandSupport
import IAP2
package import IAP2Capture

/// The decoder's lines in order, with their bytes if they have any.
package struct LadderText {
  /// The bytes that are shown below the lines that have them.
  package enum Bytes { case none, data, all }

  /// Whether lines may come without the packet they belong to.
  package let showsHeads: Bool
  package let bytes: Bytes
  private var latest: Place?

  private struct Place: Equatable {
    var record: Int
    var from: Side
    var flow: Int
  }

  package init(showsHeads: Bool, bytes: Bytes) {
    self.showsHeads = showsHeads
    self.bytes = bytes
  }

  private func showsBytes(of line: DecodedLine) -> Bool {
    switch (bytes, line.content) {
    case (.all, _), (.data, .externalAccessory), (.data, .fileTransfer): true
    case (.none, _), (.data, _): false
    }
  }

  package mutating func lines(_ line: DecodedLine) -> [String] {
    let place = Place(record: line.record, from: line.from, flow: line.flow)
    let isNew = place != latest
    latest = place
    let needsHead =
      switch line.content {
      case .detect, .link, .comment, .session: false
      // A message of a log above the link layer has no packet.
      case .control: isNew
      case .synchronization, .externalAccessory, .fileTransfer, .error: isNew && showsHeads
      }
    var lines = needsHead ? [Color.dim(DecodedText.head(line))] : []
    lines += DecodedText.lines(line)
    if showsBytes(of: line) { lines += VerboseText.lines(line) }
    return lines
  }
}
