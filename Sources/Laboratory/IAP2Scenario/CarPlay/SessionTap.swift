// swift-iap2 · Apache-2.0

package import CarPlaySession
package import CarPlaySimulation

/// A receiver of everything that passes the network of a scenario's CarPlay sessions, and of their secrets.
package struct SessionTap: Sendable {
  /// Receives each record of a socket when it is sent.
  package var record: @Sendable (NetworkRecord) -> Void
  /// Receives each secret on which the two sides agreed, once.
  package var secret: @Sendable (AgreedSecret) -> Void

  package init(
    record: @escaping @Sendable (NetworkRecord) -> Void, secret: @escaping @Sendable (AgreedSecret) -> Void
  ) {
    (self.record, self.secret) = (record, secret)
  }
}
