// swift-iap2 · Apache-2.0

/// The user's answer to the Bluetooth picker, given by a test.
public enum PickerAnswer: Sendable, Equatable {
  /// The first accessory that is attached, not plugged in and passes the filter. Without one, nothing is found.
  case automatic
  /// The accessory of this name, if it is attached, not plugged in and passes the filter. Otherwise nothing is found.
  case select(String)
  /// The user cancels.
  case cancel
  /// The accessory is connected already.
  case alreadyConnected
  /// No accessory is found.
  case notFound
  /// The accessory cannot be connected.
  case fail
}

/// An accessory that waits for its Wi-Fi configuration.
public struct WirelessAccessory: Sendable, Hashable {
  /// The name.
  public var name: String
  /// The manufacturer.
  public var manufacturer: String
  /// The model.
  public var model: String
  /// The name of the accessory's own network.
  public var ssid: String
  /// The MAC address, as text.
  public var macAddress: String
  /// The raw value of `EAWiFiUnconfiguredAccessoryProperties`.
  public var properties: UInt

  /// Creates an accessory.
  public init(
    name: String, manufacturer: String = "", model: String = "", ssid: String = "", macAddress: String = "",
    properties: UInt = 0
  ) {
    self.name = name
    self.manufacturer = manufacturer
    self.model = model
    self.ssid = ssid
    self.macAddress = macAddress
    self.properties = properties
  }
}

/// The unconfigured accessories around the phone, and the result of a configuration.
public struct WirelessAccessories: Sendable, Equatable {
  /// The accessories that a search finds.
  public var found: [WirelessAccessory] = []
  /// The raw value of `EAWiFiUnconfiguredAccessoryConfigurationStatus` with which a configuration ends.
  public var configurationStatus = 0
  /// Whether the phone's Wi-Fi is on.
  public var isAvailable = true

  /// Creates the surroundings of a phone without accessories.
  public init() {}
}
