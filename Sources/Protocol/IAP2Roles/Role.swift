// swift-iap2 · Apache-2.0

public import IAP2

/// A role that a program plays. The raw value is its name in JSON and YAML.
public enum Role: String, Sendable, Hashable, CaseIterable {
  /// The head unit, which is the accessory of iAP2.
  case headUnit
  /// The phone, which is the device of iAP2.
  case phone

  /// The side of iAP2 that the role plays.
  public var side: Side { self == .headUnit ? .accessory : .device }

  /// The other role.
  package var peer: Self { self == .headUnit ? .phone : .headUnit }
}
