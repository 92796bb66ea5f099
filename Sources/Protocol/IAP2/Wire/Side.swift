// swift-iap2 · Apache-2.0

/// One of the two ends of a connection, as the protocol names them.
public enum Side: String, Sendable, Hashable, CaseIterable {
  /// The head unit: it starts detection, and it is authenticated and identified.
  case accessory
  /// The phone: it answers detection and drives authentication and identification.
  case device

  /// The other end.
  public var peer: Side { self == .accessory ? .device : .accessory }

  /// The role on this end in text: `head unit` or `phone`.
  package var roleName: String { self == .accessory ? "head unit" : "phone" }
}
