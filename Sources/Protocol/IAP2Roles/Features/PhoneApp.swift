// swift-iap2 · Apache-2.0

/// An app on the phone that communicates with accessories.
public struct PhoneApp: Sendable, Hashable {
  /// The name of the app.
  package var name: String
  /// The bundle identifier, with which an accessory requests the launch of the app.
  package var bundleIdentifier: String
  /// The EA protocols that the app supports.
  public var protocols: [String]
  /// The protocols of the app's CarPlay entitlement; empty for an app that is not an automaker's.
  package var carPlayProtocols: [String]
  /// Whether the app runs. A running app opens its sessions as soon as an accessory has one of its protocols.
  public var isRunning = false

  /// Creates an app, which by default is not an automaker's and does not run.
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

  /// Returns those of the car's protocols that make CarPlay show this app. CarPlay shows it exactly if there is one
  /// (ExternalAccessory.md#protocol-match; medium).
  package func shownProtocols(in car: [String]) -> [String] { car.filter(carPlayProtocols.contains) }

  /// Returns those of the accessory's protocols for which this app can open a session.
  package func usableProtocols(of accessory: [String]) -> [String] { accessory.filter(protocols.contains) }
}
