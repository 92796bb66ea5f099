// swift-iap2 · Apache-2.0

/// A message of the device that reports which ways to CarPlay are available: 0x4300 (CarPlayStart.md#availability;
/// high).
public struct CarPlayAvailability: ControlMessage {
  /// The availability of CarPlay over USB.
  public struct WiredAttributes: ParameterGroup {
    public var wiredCarPlayAvailable: Bool = false
    public var usbTransportIdentifier: String?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WiredCarPlayAvailable", &wiredCarPlayAvailable)
      try pass(1, "USBTransportIdentifier", &usbTransportIdentifier)
    }
  }

  /// The availability of wireless CarPlay.
  public struct WirelessAttributes: ParameterGroup {
    public var wirelessCarPlayAvailable: Bool = false
    public var bluetoothTransportIdentifier: String?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WirelessCarPlayAvailable", &wirelessCarPlayAvailable)
      try pass(1, "BluetoothTransportIdentifier", &bluetoothTransportIdentifier)
    }
  }

  /// The availability of theme assets.
  public struct ThemeAssetsAttributes: ParameterGroup {
    public var themeAssetsAvailable: UInt8?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "ThemeAssetsAvailable", &themeAssetsAvailable, ParameterNote(.low))
    }
  }

  public var wiredAttributes: WiredAttributes?
  public var wirelessAttributes: WirelessAttributes?
  public var themeAssetsAttributes: ThemeAssetsAttributes?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4300, "CarPlayAvailability", from: .device, "CarPlay", .high,
    ["CSDN articles", "LIVI", "PodBox (observed)", "opencarplay", "unmarked endpoint catalogue (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "WiredAttributes", &wiredAttributes)
    try pass(1, "WirelessAttributes", &wirelessAttributes)
    try pass(2, "ThemeAssetsAttributes", &themeAssetsAttributes, ParameterNote(.low))
  }
}

/// The security of a Wi-Fi network (Features.md#wifi-security; high).
public struct WiFiSecurityType: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let none = Self(rawValue: 0)
  public static let wep = Self(rawValue: 1)
  public static let wpaOrWPA2 = Self(rawValue: 2)
  public static let wPA3Transition = Self(rawValue: 3)
  public static let wPA3Only = Self(rawValue: 4)

  public static var names: [(UInt8, StaticString)] {
    [(0, "None"), (1, "WEP"), (2, "WPA/WPA2"), (3, "WPA3Transition"), (4, "WPA3Only")]
  }
}

/// A message of the accessory that asks the device to start a CarPlay session: 0x4301 (CarPlayStart.md#start-session;
/// high).
public struct CarPlayStartSession: ControlMessage {
  /// The network addresses of the accessory for CarPlay over USB.
  public struct WiredAttributes: ParameterGroup {
    public var ipAddress: [String] = []
    public var reserved: UInt32?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "IPAddress", &ipAddress, ParameterNote(isRequired: true))
      try pass(1, "Reserved", &reserved, ParameterNote(.low))
    }
  }

  /// The Wi-Fi network and the network addresses of the accessory for wireless CarPlay.
  public struct WirelessAttributes: ParameterGroup {
    public var wiFiSSID: String?
    public var passphrase: String?
    public var channel: UInt8?
    public var ipAddress: [String] = []
    public var securityType: WiFiSecurityType?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WiFiSSID", &wiFiSSID)
      try pass(1, "Passphrase", &passphrase)
      try pass(2, "Channel", &channel)
      try pass(3, "IPAddress", &ipAddress)
      try pass(4, "SecurityType", &securityType)
    }
  }

  /// A theme asset for the instrument cluster, with its version.
  public struct ClusterAsset: ParameterGroup {
    public var assetIdentifier: String?
    public var assetVersion: UInt32?
    public var residue = Residue()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "AssetIdentifier", &assetIdentifier, ParameterNote(.low))
      try pass(1, "AssetVersion", &assetVersion, ParameterNote(.low))
    }
  }

  public var wiredAttributes: WiredAttributes?
  public var wirelessAttributes: WirelessAttributes?
  /// AirPlay control TCP port of the accessory.
  public var port: UInt32 = 0
  /// MAC-style text, same as in the AirPlay advertisement.
  public var deviceIdentifier: String?
  public var publicKey: String?
  public var sourceVersion: String?
  public var sdkVersion: String?
  public var clusterAsset: [ClusterAsset] = []
  public var supportsMutualAuthentication: Bool?
  public var residue = Residue()

  public static let info = MessageInfo(
    0x4301, "CarPlayStartSession", from: .accessory, "CarPlay", .high,
    ["CSDN articles", "LIVI", "catplay", "unmarked endpoint catalogue (weak)", "wiomoc/iap2"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "WiredAttributes", &wiredAttributes)
    try pass(1, "WirelessAttributes", &wirelessAttributes)
    try pass(2, "Port", &port)
    try pass(3, "DeviceIdentifier", &deviceIdentifier)
    try pass(4, "PublicKey", &publicKey)
    try pass(5, "SourceVersion", &sourceVersion)
    try pass(6, "SDKVersion", &sdkVersion, ParameterNote(.medium))
    try pass(7, "ClusterAsset", &clusterAsset, ParameterNote(.low))
    try pass(8, "SupportsMutualAuthentication", &supportsMutualAuthentication, ParameterNote(.medium))
  }
}
