// swift-iap2 · Apache-2.0

/// A message of the device that reports which ways to CarPlay are available: 0x4300 (CarPlayStart.md#availability;
/// high).
public struct CarPlayAvailability: ControlMessage {
  /// The availability of CarPlay over USB.
  public struct WiredAttributes: ParameterGroup {
    /// Parameter 0: Boolean. Required.
    public var wiredCarPlayAvailable: Bool = false
    /// Parameter 1: UTF-8 text with a final NUL.
    public var usbTransportIdentifier: String?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WiredCarPlayAvailable", &wiredCarPlayAvailable)
      try pass(1, "USBTransportIdentifier", &usbTransportIdentifier)
    }
  }

  /// The availability of wireless CarPlay.
  public struct WirelessAttributes: ParameterGroup {
    /// Parameter 0: Boolean. Required.
    public var wirelessCarPlayAvailable: Bool = false
    /// Parameter 1: UTF-8 text with a final NUL.
    public var bluetoothTransportIdentifier: String?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WirelessCarPlayAvailable", &wirelessCarPlayAvailable)
      try pass(1, "BluetoothTransportIdentifier", &bluetoothTransportIdentifier)
    }
  }

  /// The availability of theme assets.
  public struct ThemeAssetsAttributes: ParameterGroup {
    /// Parameter 0: unsigned 8-bit integer. Confidence: low.
    public var themeAssetsAvailable: UInt8?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "ThemeAssetsAvailable", &themeAssetsAvailable, ParameterNote(.low))
    }
  }

  /// Parameter 0: group ``WiredAttributes``.
  public var wiredAttributes: WiredAttributes?
  /// Parameter 1: group ``WirelessAttributes``.
  public var wirelessAttributes: WirelessAttributes?
  /// Parameter 2: group ``ThemeAssetsAttributes``. Confidence: low.
  public var themeAssetsAttributes: ThemeAssetsAttributes?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4300, "CarPlayAvailability", from: .device, "CarPlay", .high,
    ["CarPlayStart.md#availability", "NOTES", "LIVI", "PODBOX", "XCERT", "WIO", "UNMARKED"])

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

  /// Value 0.
  public static let none = Self(rawValue: 0)
  /// Value 1.
  public static let wep = Self(rawValue: 1)
  /// Value 2.
  public static let wpaOrWPA2 = Self(rawValue: 2)
  /// Value 3.
  public static let wPA3Transition = Self(rawValue: 3)
  /// Value 4.
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
    /// Parameter 0: UTF-8 text with a final NUL, repeated. Required.
    public var ipAddress: [String] = []
    /// Parameter 1: unsigned 32-bit integer. Confidence: low.
    public var reserved: UInt32?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "IPAddress", &ipAddress, ParameterNote(isRequired: true, limit: .internetAddress))
      try pass(1, "Reserved", &reserved, ParameterNote(.low))
    }
  }

  /// The Wi-Fi network and the network addresses of the accessory for wireless CarPlay.
  public struct WirelessAttributes: ParameterGroup {
    /// Parameter 0: UTF-8 text with a final NUL.
    public var wiFiSSID: String?
    /// Parameter 1: UTF-8 text with a final NUL.
    public var passphrase: String?
    /// Parameter 2: unsigned 8-bit integer.
    public var channel: UInt8?
    /// Parameter 3: UTF-8 text with a final NUL, repeated.
    public var ipAddress: [String] = []
    /// Parameter 4: enumeration ``WiFiSecurityType``.
    public var securityType: WiFiSecurityType?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "WiFiSSID", &wiFiSSID, ParameterNote(limit: .networkName))
      try pass(1, "Passphrase", &passphrase)
      try pass(2, "Channel", &channel, ParameterNote(limit: .channel))
      try pass(3, "IPAddress", &ipAddress, ParameterNote(limit: .internetAddress))
      try pass(4, "SecurityType", &securityType)
    }
  }

  /// A theme asset for the instrument cluster, with its version.
  public struct ClusterAsset: ParameterGroup {
    /// Parameter 0: UTF-8 text with a final NUL. Confidence: low.
    public var assetIdentifier: String?
    /// Parameter 1: unsigned 32-bit integer. Confidence: low.
    public var assetVersion: UInt32?
    public var unrepresented = UnrepresentedParameters()

    public init() {}

    public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
      try pass(0, "AssetIdentifier", &assetIdentifier, ParameterNote(.low))
      try pass(1, "AssetVersion", &assetVersion, ParameterNote(.low))
    }
  }

  /// Parameter 0: group ``WiredAttributes``.
  public var wiredAttributes: WiredAttributes?
  /// Parameter 1: group ``WirelessAttributes``.
  public var wirelessAttributes: WirelessAttributes?
  /// Parameter 2: unsigned 32-bit integer. Required.
  /// The value is the TCP port of AirPlay control on the accessory.
  public var port: UInt32 = 0
  /// Parameter 3: UTF-8 text with a final NUL.
  /// The text has the form of a MAC address and equals the one in the AirPlay advertisement.
  public var deviceIdentifier: String?
  /// Parameter 4: UTF-8 text with a final NUL.
  public var publicKey: String?
  /// Parameter 5: UTF-8 text with a final NUL.
  public var sourceVersion: String?
  /// Parameter 6: UTF-8 text with a final NUL. Confidence: medium.
  public var sdkVersion: String?
  /// Parameter 7: group ``ClusterAsset``, repeated. Confidence: low.
  public var clusterAsset: [ClusterAsset] = []
  /// Parameter 8: Boolean. Confidence: medium.
  public var supportsMutualAuthentication: Bool?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x4301, "CarPlayStartSession", from: .accessory, "CarPlay", .high,
    ["CarPlayStart.md#start-session", "NOTES", "LIVI", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "WiredAttributes", &wiredAttributes)
    try pass(1, "WirelessAttributes", &wirelessAttributes)
    try pass(2, "Port", &port, ParameterNote(limit: .port))
    try pass(3, "DeviceIdentifier", &deviceIdentifier)
    try pass(4, "PublicKey", &publicKey)
    try pass(5, "SourceVersion", &sourceVersion)
    try pass(6, "SDKVersion", &sdkVersion, ParameterNote(.medium))
    try pass(7, "ClusterAsset", &clusterAsset, ParameterNote(.low))
    try pass(8, "SupportsMutualAuthentication", &supportsMutualAuthentication, ParameterNote(.medium))
  }
}
