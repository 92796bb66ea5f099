// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles

/// The comments that this project's captures have for events: one place writes and reads them.
package enum CaptureNote {
  /// Returns the comment for a disconnection.
  package static func disconnected(_ cause: DisconnectCause) -> String { prefix + cause.rawValue }

  /// Returns the cause of the end that a comment states; nil for any other comment.
  package static func cause(_ text: String) -> DisconnectCause? {
    guard text.hasPrefix(prefix) else { return nil }
    return DisconnectCause(rawValue: String(text.dropFirst(prefix.count)))
  }

  private static let prefix = "disconnected: "

  /// Returns whether a comment says that the transport ended without an RST on the link.
  package static func isTransportEnd(_ text: String) -> Bool { text == disconnected(.transportClosed) }
}
