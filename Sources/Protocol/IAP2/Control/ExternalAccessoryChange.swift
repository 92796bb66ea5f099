// swift-iap2 · Apache-2.0

/// What a control message does to an EA session, whoever looks on.
package enum ExternalAccessoryChange: Sendable, Equatable {
  case started(session: UInt16, protocol: UInt8)
  /// The accessory has taken it.
  case opened(session: UInt16)
  /// By the device, or by an accessory that closes or refuses it.
  case closed(session: UInt16)

  /// Nil for any other message, and for one that cannot be read: that changes nothing.
  package init?(_ message: [UInt8]) {
    do {
      switch ControlHeader.id(of: message) {
      case StartExternalAccessoryProtocolSession.info.id:
        let start = try StartExternalAccessoryProtocolSession(decoding: message.rawBytes)
        self = .started(
          session: start.externalAccessoryProtocolSessionIdentifier,
          protocol: start.externalAccessoryProtocolIdentifier)
      case StopExternalAccessoryProtocolSession.info.id:
        let stop = try StopExternalAccessoryProtocolSession(decoding: message.rawBytes)
        self = .closed(session: stop.externalAccessoryProtocolSessionIdentifier)
      case StatusExternalAccessoryProtocolSession.info.id:
        let status = try StatusExternalAccessoryProtocolSession(decoding: message.rawBytes)
        let session = status.externalAccessoryProtocolSessionIdentifier
        self =
          status.externalAccessoryProtocolSessionStatus == .ok ? .opened(session: session) : .closed(session: session)
      default: return nil
      }
    } catch { return nil }
  }
}
