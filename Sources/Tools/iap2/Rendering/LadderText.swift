// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture

/// The decoder's lines in order, with their bytes if they have any.
struct LadderText {
  /// Whether lines may come without the packet they belong to.
  let showsHeads: Bool
  private var latest: Place?

  private struct Place: Equatable {
    var record: Int
    var from: Side
    var flow: Int
  }

  init(showsHeads: Bool) { self.showsHeads = showsHeads }

  mutating func lines(_ line: DecodedLine) -> [String] {
    let place = Place(record: line.record, from: line.from, flow: line.flow)
    let isNew = place != latest
    latest = place
    let needsHead =
      switch line.content {
      case .detect, .link, .comment: false
      // A message of a log above the link layer has no packet.
      case .control: isNew
      case .synchronization, .externalAccessory, .fileTransfer, .error: isNew && showsHeads
      }
    let head = needsHead ? [Colour.dim(DecodedText.head(line))] : []
    return head + DecodedText.lines(line) + VerboseText.lines(line)
  }
}
