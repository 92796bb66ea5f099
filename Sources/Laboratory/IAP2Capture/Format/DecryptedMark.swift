// swift-iap2 · Apache-2.0

/// The marks of a pcapng file whose CarPlay sessions are in the clear. They are comments: one of the section header,
/// and those of packets whose bytes are as they were captured. Source: CaptureFormats.md#decrypted.
package enum DecryptedMark: Sendable, Hashable {
  /// The bytes are sealed.
  case sealed
  /// The bytes could not be opened, and nothing behind them, for a reason.
  case damaged(String)
  /// The bytes are the beginning of something that does not end in the capture, or those of a stream behind a loss.
  case incomplete
  /// The bytes are in the clear. Bytes before them could not be read, in words.
  case behindLoss(String)
  /// The bytes are in the clear. Behind them the connection is encrypted with an unknown key.
  case lastClear

  /// The application that section headers of this project's files name.
  static let application = Array("swift-iap2".utf8)
  /// The comment of the section header.
  package static let section = "swift-iap2: the CarPlay sessions are in the clear"
  private static let prefix = "swift-iap2: ", lossPrefix = "behind a loss: "

  /// Returns whether a comment of a section header states that the sessions are in the clear.
  static func isSection(_ comment: [UInt8]) -> Bool { comment == Array(section.utf8) }

  /// Reads the comment of a packet; nil for another comment.
  package init?(comment: String) {
    guard comment.hasPrefix(Self.prefix) else { return nil }
    let text = comment.dropFirst(Self.prefix.count)
    switch text {
    case "sealed": self = .sealed
    case "incomplete": self = .incomplete
    case "encrypted from here on": self = .lastClear
    default:
      if text.hasPrefix(Self.lossPrefix) {
        self = .behindLoss(String(text.dropFirst(Self.lossPrefix.count)))
      } else {
        guard text.hasPrefix("not opened: ") else { return nil }
        self = .damaged(String(text.dropFirst("not opened: ".count)))
      }
    }
  }

  /// Whether the bytes are not in the clear.
  package var isSealed: Bool {
    switch self {
    case .sealed, .damaged, .incomplete: true
    case .behindLoss, .lastClear: false
    }
  }

  /// The comment of a packet.
  package var comment: String {
    switch self {
    case .sealed: Self.prefix + "sealed"
    case .damaged(let reason): Self.prefix + "not opened: " + reason
    case .behindLoss(let text): Self.prefix + Self.lossPrefix + text
    case .incomplete: Self.prefix + "incomplete"
    case .lastClear: Self.prefix + "encrypted from here on"
    }
  }
}
