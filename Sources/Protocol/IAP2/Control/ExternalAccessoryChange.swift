// swift-iap2 · Apache-2.0

/// The effect of a control message on an EA session, for both sides and for readers of captures.
package enum ExternalAccessoryChange: Sendable, Equatable {
  /// The device starts an EA session for a protocol (0xEA00).
  case started(session: UInt16, protocol: UInt8)
  /// The accessory confirms the EA session (0xEA03 with status ok).
  case opened(session: UInt16)
  /// The device stops the EA session (0xEA01), or the accessory refuses or closes it (0xEA03 with another status).
  case closed(session: UInt16)

  /// Reads the change from a message; nil for any other message and for one that cannot be read.
  package init?(_ message: [UInt8]) {
    do {
      switch ControlHeader.id(of: message) {
      case StartExternalAccessoryProtocolSession.id:
        let start = try StartExternalAccessoryProtocolSession(decoding: message.rawBytes)
        self = .started(
          session: start.externalAccessoryProtocolSessionIdentifier,
          protocol: start.externalAccessoryProtocolIdentifier)
      case StopExternalAccessoryProtocolSession.id:
        let stop = try StopExternalAccessoryProtocolSession(decoding: message.rawBytes)
        self = .closed(session: stop.externalAccessoryProtocolSessionIdentifier)
      case StatusExternalAccessoryProtocolSession.id:
        let status = try StatusExternalAccessoryProtocolSession(decoding: message.rawBytes)
        let session = status.externalAccessoryProtocolSessionIdentifier
        self =
          status.externalAccessoryProtocolSessionStatus == .ok ? .opened(session: session) : .closed(session: session)
      default: return nil
      }
    } catch { return nil }
  }
}
