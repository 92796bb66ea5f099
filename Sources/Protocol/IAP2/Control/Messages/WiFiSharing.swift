// swift-iap2 · Apache-2.0

/// A message of the accessory that asks for the credentials of the device's Wi-Fi network: 0x5700
/// (Features.md#wifi-of-device; high).
public struct RequestWiFiInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5700, "RequestWiFiInformation", from: .accessory, "Wi-Fi Sharing", .high,
    ["Features.md#wifi-of-device", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// The result of a request for Wi-Fi credentials.
public struct WiFiRequestStatus: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let success = Self(rawValue: 0)
  /// Value 1.
  public static let userDeclined = Self(rawValue: 1)
  /// Value 2.
  public static let networkInformationUnavailable = Self(rawValue: 2)

  public static var names: [(UInt8, StaticString)] {
    [(0, "Success"), (1, "UserDeclined"), (2, "NetworkInformationUnavailable")]
  }
}

/// A message of the device that answers with the credentials of the device's Wi-Fi network: 0x5701
/// (Features.md#wifi-of-device; high).
///
/// Two forms are known. One has the security, the name and the passphrase under 1, 2 and 3 (CAT and one weak
/// source); this form is written. The other has the name and the passphrase under 1 and 2 (WIO, LIVI). Both are
/// read; ``network`` gives the content of either (Features.md#wifi-device-parameters; medium).
public struct WiFiInformation: ControlMessage {
  /// The name and the passphrase of a Wi-Fi network, read from either form of the message.
  public struct Network: Sendable, Equatable {
    /// The SSID of the network; nil if the message has none.
    public var name: String?
    /// The passphrase of the network; nil if the message has none.
    public var passphrase: String?
    /// The security of the network; nil if the message has none or is of the form without it.
    public var securityType: WiFiSecurityType?

    /// Creates the description of a network.
    public init(name: String?, passphrase: String?, securityType: WiFiSecurityType? = nil) {
      self.name = name
      self.passphrase = passphrase
      self.securityType = securityType
    }
  }

  /// Parameter 0: enumeration ``WiFiRequestStatus``. Required.
  public var requestStatus: WiFiRequestStatus = WiFiRequestStatus(rawValue: 0)
  /// Parameter 1: enumeration ``WiFiSecurityType``, or UTF-8 text with a final NUL. Confidence: low.
  public var securityType: WiFiSecurityTypeOrName?
  /// Parameter 2: UTF-8 text with a final NUL. Confidence: medium.
  public var wiFiSSID: String?
  /// Parameter 3: UTF-8 text with a final NUL. Confidence: medium.
  public var wiFiPassphrase: String?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5701, "WiFiInformation", from: .device, "Wi-Fi Sharing", .high,
    ["Features.md#wifi-of-device", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "RequestStatus", &requestStatus)
    try pass(1, "SecurityType", &securityType, ParameterNote(.low))
    try pass(2, "WiFiSSID", &wiFiSSID, ParameterNote(.medium, limit: .networkName))
    try pass(3, "WiFiPassphrase", &wiFiPassphrase, ParameterNote(.medium))
  }

  /// The network that the message describes, from either form of the message.
  public var network: Network {
    switch securityType {
    case .name(let name): Network(name: name, passphrase: wiFiSSID)
    case .securityType(let type): Network(name: wiFiSSID, passphrase: wiFiPassphrase, securityType: type)
    case nil: Network(name: wiFiSSID, passphrase: wiFiPassphrase)
    }
  }
}

/// Parameter 1 of ``WiFiInformation``: a value of one byte is the security, a longer one the network's name.
public enum WiFiSecurityTypeOrName: WireValue {
  /// The security of the network.
  case securityType(WiFiSecurityType)
  /// The SSID of the network.
  case name(String)

  /// An enumeration or a text.
  public static var shape: ParameterShape { .alternative(WiFiSecurityType.shape, .utf8) }

  /// Reads one byte as the security and a longer value as the network's name.
  public static func value(_ bytes: RawSpan, _ range: Range<Int>) throws(WireError) -> Self {
    range.count == 1
      ? .securityType(try WiFiSecurityType.value(bytes, range)) : .name(try String.value(bytes, range))
  }

  /// Writes the security or the name without the parameter's header.
  public func put(_ writer: inout ParameterWriter) {
    switch self {
    case .securityType(let type): type.put(&writer)
    case .name(let name): name.put(&writer)
    }
  }

  /// The four bytes of the header and the value.
  public var wireByteCount: Int {
    switch self {
    case .securityType(let type): type.wireByteCount
    case .name(let name): name.wireByteCount
    }
  }
}

/// A message of the device that asks for the credentials of the accessory's Wi-Fi network: 0x5702
/// (Features.md#wifi-of-accessory; high).
public struct RequestAccessoryWiFiConfigurationInformation: ControlMessage {
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5702, "RequestAccessoryWiFiConfigurationInformation", from: .device, "Wi-Fi Sharing", .high,
    ["Features.md#wifi-of-accessory", "NOTES", "LIVI", "CAT", "WIO", "UNMARKED"])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {}
}

/// A message of the accessory that carries the credentials of the accessory's Wi-Fi network: 0x5703
/// (Features.md#wifi-of-accessory; high).
public struct AccessoryWiFiConfigurationInformation: ControlMessage {
  /// Parameter 0: raw bytes. Confidence: low.
  public var bssid: Blob?
  /// Parameter 1: UTF-8 text with a final NUL. Required.
  public var wiFiSSID: String = ""
  /// Parameter 2: UTF-8 text with a final NUL.
  public var wiFiPassphrase: String?
  /// Parameter 3: enumeration ``WiFiSecurityType``. Required.
  /// Only LIVI has the values 3 and 4 (Features.md#wifi-security).
  public var securityType: WiFiSecurityType = WiFiSecurityType(rawValue: 0)
  /// Parameter 4: unsigned 8-bit integer.
  public var channel: UInt8?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0x5703, "AccessoryWiFiConfigurationInformation", from: .accessory, "Wi-Fi Sharing", .high,
    [
      "Features.md#wifi-of-accessory", "NOTES", "LIVI", "CAT", "WIO", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "BSSID", &bssid, ParameterNote(.low, limit: .hardwareAddress))
    try pass(1, "WiFiSSID", &wiFiSSID, ParameterNote(limit: .networkName))
    try pass(2, "WiFiPassphrase", &wiFiPassphrase)
    try pass(3, "SecurityType", &securityType)
    try pass(4, "Channel", &channel, ParameterNote(limit: .channel))
  }
}
