// swift-iap2 · Apache-2.0

import IAP2Authentication
import IAP2Faults
import IAP2Transports

/// A transport of this machine over which accessories connect.
struct TransportDescription: Sendable {
  var address: AnyTransportAddress
  var faults: FaultPlan?
  /// The transport as the user named it, for messages.
  var place: String
  /// The time until the transport is opened, in milliseconds.
  var startMilliseconds = 0
  /// The accessories that the phone trusts on this transport; nil for the setting of the phone.
  var verifier: AuthenticationVerifier?
}
