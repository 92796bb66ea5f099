// swift-iap2 · Apache-2.0

public import IAP2Authentication
public import IAP2Transports

/// A transport between the phone of an app and a head unit outside of the process.
public struct CarTransportChoice: Sendable {
  /// The address, which a device must be able to use.
  public var address: AnyTransportAddress
  /// The verifier of the head unit.
  public var verifier: AuthenticationVerifier

  /// Creates a choice.
  public init(_ address: AnyTransportAddress, verifier: AuthenticationVerifier = .test) {
    self.address = address
    self.verifier = verifier
  }
}
