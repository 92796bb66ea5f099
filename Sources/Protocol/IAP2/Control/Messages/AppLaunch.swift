// swift-iap2 · Apache-2.0

/// The way in which the device launches an app: with or without an alert.
public struct AppLaunchMethod: OpenEnumeration {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Value 0.
  public static let launchWithUserAlert = Self(rawValue: 0)
  /// Value 1.
  public static let launchWithoutUserAlert = Self(rawValue: 1)

  public static var names: [(UInt8, StaticString)] {
    [(0, "LaunchWithUserAlert"), (1, "LaunchWithoutUserAlert")]
  }
}

/// A message of the accessory that asks the device to launch an app: 0xEA02 (ExternalAccessory.md#app-launch; high).
public struct RequestAppLaunch: ControlMessage {
  /// Parameter 0: UTF-8 text with a final NUL. Required. Confidence: medium.
  public var appBundleID: String = ""
  /// Parameter 1: enumeration ``AppLaunchMethod``. Confidence: medium.
  public var launchMethod: AppLaunchMethod?
  public var unrepresented = UnrepresentedParameters()

  public static let info = MessageInfo(
    0xEA02, "RequestAppLaunch", from: .accessory, "App Launch", .high,
    [
      "ExternalAccessory.md#app-launch", "LITEEMF", "BRIDGE", "UNMARKED",
    ])

  public init() {}

  public mutating func parameters<P: Pass & ~Copyable & ~Escapable>(_ pass: inout P) throws(P.Failure) {
    try pass(0, "AppBundleID", &appBundleID, ParameterNote(.medium))
    try pass(1, "LaunchMethod", &launchMethod, ParameterNote(.medium))
  }
}
