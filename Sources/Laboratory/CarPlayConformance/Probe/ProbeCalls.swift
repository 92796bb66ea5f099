// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The way to the control port of a phone that is checked.
package struct ProbeCalls: Sendable {
  /// Sends a request on a connection of its own, and returns the outcome; nil if the port accepts no connection.
  package var send: @Sendable (_ request: [UInt8]) async -> PhoneCaller.Outcome?
  /// Sends bytes on a connection of its own, which stays open for a while.
  package var hold: @Sendable (_ bytes: [UInt8]) async -> Void

  /// Creates a way.
  package init(
    send: @escaping @Sendable (_ request: [UInt8]) async -> PhoneCaller.Outcome?,
    hold: @escaping @Sendable (_ bytes: [UInt8]) async -> Void
  ) {
    (self.send, self.hold) = (send, hold)
  }
}
