// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles

/// The comments that this project's captures have for events: one place writes and reads them.
package enum CaptureNote {
  /// Returns the comment for a disconnection.
  package static func disconnected(_ cause: DisconnectCause) -> String { "disconnected: \(cause.rawValue)" }

  /// Returns whether a comment says that the transport ended without an RST on the link.
  package static func isTransportEnd(_ text: String) -> Bool { text == disconnected(.transportClosed) }
}
