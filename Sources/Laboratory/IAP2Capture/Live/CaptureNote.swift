// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Roles

/// What our own captures say of events, written and read in one place.
package enum CaptureNote {
  package static func disconnected(_ cause: DisconnectCause) -> String { "disconnected: \(cause.rawValue)" }

  /// The transport ended, without a word on the link.
  package static func isTransportEnd(_ text: String) -> Bool { text == disconnected(.transportClosed) }
}
