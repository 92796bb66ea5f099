// swift-iap2 · Apache-2.0

import AccessoryPlatform
public import Foundation

/// The features of an accessory that waits for its Wi-Fi configuration.
public struct EAWiFiUnconfiguredAccessoryProperties: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt

  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// The accessory supports AirPlay.
  public static var propertySupportsAirPlay: EAWiFiUnconfiguredAccessoryProperties { .init(rawValue: 1) }
  /// The accessory supports AirPrint.
  public static var propertySupportsAirPrint: EAWiFiUnconfiguredAccessoryProperties { .init(rawValue: 2) }
  /// The accessory supports HomeKit.
  public static var propertySupportsHomeKit: EAWiFiUnconfiguredAccessoryProperties { .init(rawValue: 4) }
}

/// An accessory that waits for its Wi-Fi configuration. Two objects of the same accessory are equal.
public final class EAWiFiUnconfiguredAccessory: NSObject {
  let accessory: WirelessAccessory

  init(_ accessory: WirelessAccessory) {
    self.accessory = accessory
    super.init()
  }

  /// Accessories come from the browser only.
  @available(*, unavailable, message: "accessories come from EAWiFiUnconfiguredAccessoryBrowser")
  public override init() { preconditionFailure() }

  /// The name.
  public var name: String { accessory.name }
  /// The manufacturer.
  public var manufacturer: String { accessory.manufacturer }
  /// The model.
  public var model: String { accessory.model }
  /// The name of the accessory's own network.
  public var ssid: String { accessory.ssid }
  /// The MAC address, as text.
  public var macAddress: String { accessory.macAddress }
  /// The features.
  public var properties: EAWiFiUnconfiguredAccessoryProperties {
    EAWiFiUnconfiguredAccessoryProperties(rawValue: accessory.properties)
  }

  /// Returns whether another object stands for the same accessory.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? EAWiFiUnconfiguredAccessory)?.accessory == accessory
  }

  /// The hash of the accessory.
  public override var hash: Int { accessory.hashValue }
}

/// The state of a browser.
public enum EAWiFiUnconfiguredAccessoryBrowserState: Int, Sendable {
  /// Wi-Fi is off.
  case wiFiUnavailable = 0
  /// The browser does not search.
  case stopped = 1
  /// The browser searches.
  case searching = 2
  /// An accessory is being configured.
  case configuring = 3
}

/// The result of a configuration.
public enum EAWiFiUnconfiguredAccessoryConfigurationStatus: Int, Sendable {
  /// The accessory is configured.
  case success = 0
  /// The user cancelled.
  case userCancelledConfiguration = 1
  /// The configuration failed.
  case failed = 2
}

/// A receiver of what a browser finds.
public protocol EAWiFiUnconfiguredAccessoryBrowserDelegate: NSObjectProtocol {
  /// The state of the browser has changed.
  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser, didUpdate state: EAWiFiUnconfiguredAccessoryBrowserState)
  /// The browser has found accessories.
  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didFindUnconfiguredAccessories accessories: Set<EAWiFiUnconfiguredAccessory>)
  /// Accessories have left.
  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didRemoveUnconfiguredAccessories accessories: Set<EAWiFiUnconfiguredAccessory>)
  /// A configuration has ended.
  func accessoryBrowser(
    _ browser: EAWiFiUnconfiguredAccessoryBrowser,
    didFinishConfiguringAccessory accessory: EAWiFiUnconfiguredAccessory,
    with status: EAWiFiUnconfiguredAccessoryConfigurationStatus)
}
