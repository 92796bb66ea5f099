// swift-iap2 · Apache-2.0

/// An app on the phone that talks to accessories.
public struct PhoneApp: Sendable, Hashable {
  public var name: String
  public var bundleIdentifier: String
  /// EA protocols it can speak.
  public var protocols: [String]
  /// Protocols of its CarPlay entitlement; empty for an app that is not an automaker's.
  public var carPlayProtocols: [String]
  /// Whether it opens its sessions by itself as soon as an accessory has one of its protocols.
  public var isRunning = false

  public init(
    name: String, bundleIdentifier: String, protocols: [String], carPlayProtocols: [String] = [],
    isRunning: Bool = false
  ) {
    self.name = name
    self.bundleIdentifier = bundleIdentifier
    self.protocols = protocols
    self.carPlayProtocols = carPlayProtocols
    self.isRunning = isRunning
  }

  /// Of the car's protocols, those that make CarPlay show this app; it is shown exactly if there is one
  /// (ExternalAccessory.md#protocol-match; medium).
  public func shownProtocols(in car: [String]) -> [String] { car.filter(carPlayProtocols.contains) }

  /// Of the accessory's protocols, those this app can open a session of.
  public func usableProtocols(of accessory: [String]) -> [String] { accessory.filter(protocols.contains) }
}
