// swift-iap2 · Apache-2.0

package import CarPlaySession
package import IAP2Conformance

/// The control port of a probe that is announced as a phone.
package struct ProbeControl: Sendable {
  /// Another phone that is announced beside the probe.
  package struct SecondPhone: Sendable {
    /// Returns its control requests so far, in their order.
    package var requests: @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>]
    /// Ends its announcement.
    package var withdraw: @Sendable () async -> Void

    /// Creates a phone that is announced.
    package init(
      requests: @escaping @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>],
      withdraw: @escaping @Sendable () async -> Void
    ) {
      (self.requests, self.withdraw) = (requests, withdraw)
    }
  }

  /// Returns the control requests so far, in their order.
  package var requests: @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>]
  /// Announces a second phone. A failure is the reason why it cannot be announced.
  package var announceSecond: @Sendable () async -> Result<SecondPhone, Stop>

  /// Creates a control port.
  package init(
    requests: @escaping @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>],
    announceSecond: @escaping @Sendable () async -> Result<SecondPhone, Stop>
  ) {
    (self.requests, self.announceSecond) = (requests, announceSecond)
  }

  /// The most requests that are kept. A head unit sends a few each minute.
  package static let maximumCount = 10_000
}
