// swift-iap2 · Apache-2.0

package import IAP2

/// What our own captures say of events, written and read in one place.
package enum CaptureNote {
  package static func disconnected(_ cause: DisconnectCause) -> String { "disconnected: \(cause.rawValue)" }

  /// The transport ended, without a word on the link.
  static func isTransportEnd(_ text: String) -> Bool { text == disconnected(.transportClosed) }
}
