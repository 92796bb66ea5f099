// swift-iap2 · Apache-2.0

package import CarPlaySession

/// The control port of a probe that is announced as a phone.
package struct ProbeControl: Sendable {
  /// Returns the control requests so far, in their order.
  package var requests: @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>]

  /// Creates a control port.
  package init(requests: @escaping @Sendable () async -> [Result<ControlCall, ControlCall.Refusal>]) {
    self.requests = requests
  }

  /// The most requests that are kept. A head unit sends a few each minute.
  package static let maximumCount = 10_000
}
