// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Formats

/// A phone in device mode on this machine's USB, and the requests to it:
/// `usb-phone[:VID:PID[:SERIAL|@BUS-PORT]][+carplay[@UDC]|+plain[@UDC]][+NUMBERmA]`.
///
/// Without a role switch, iAP2 runs in HID reports. With one, the phone becomes the host, and this machine becomes the
/// device on the named controller or on the first free one. NUMBERmA is the current that the port supplies beyond 500
/// mA. Without it no request is sent, because only the port's designer knows the current.
public struct USBPhoneAddress: Sendable, Equatable {
  /// A role switch.
  public struct Switch: Sendable, Equatable {
    /// The kind of role switch that the phone is asked for.
    public var role: USBRoleSwitch
    /// The name of the controller under /sys/class/udc; nil selects the first free one.
    public var controller: String?

    /// Creates a role switch to a controller; nil selects the first free one.
    public init(_ role: USBRoleSwitch, controller: String? = nil) {
      self.role = role
      self.controller = controller
    }
  }

  /// The ids of the phone; nil selects any phone.
  public var kind: USBAddress.Kind? { device.kind }
  var device: USBAddress
  /// The role switch; nil for none.
  public var roleSwitch: Switch?
  /// The current that the port supplies beyond 500 mA, in milliamperes; nil sends no request.
  public var extraMilliamperes: UInt16?

  /// The scheme of the transport string.
  public static let scheme = "usb-phone"
  /// The form of the transport string.
  public static let form = "usb-phone[:VID:PID[:SERIAL|@BUS-PORT]][+carplay[@UDC]|+plain[@UDC]][+NUMBERmA]"

  /// Returns the name of a role switch in a transport string.
  private static func name(_ role: USBRoleSwitch) -> String {
    switch role {
    case .carPlay: "carplay"
    case .plain: "plain"
    }
  }

  /// Creates an address.
  ///
  /// - Parameters:
  ///   - device: The ids and the place of the phone; without ids, any phone is selected.
  ///   - roleSwitch: The role switch; nil for none.
  ///   - extraMilliamperes: The current that the port supplies beyond 500 mA; nil sends no request.
  public init(device: USBAddress = USBAddress(), roleSwitch: Switch? = nil, extraMilliamperes: UInt16? = nil) {
    self.device = device
    self.roleSwitch = roleSwitch
    self.extraMilliamperes = extraMilliamperes
  }

  /// Parses a transport string. Returns nil if the text has another scheme.
  public init?(parsing text: String) throws(USBAddress.Problem) {
    guard text == Self.scheme || text.hasPrefix(Self.scheme + ":") || text.hasPrefix(Self.scheme + "+") else {
      return nil
    }
    var rest = text[...]
    device = USBAddress()
    // The suffixes are parsed from the end, because a serial number may contain a plus sign.
    while let plus = rest.lastIndex(of: "+") {
      guard take(rest[rest.index(after: plus)...]) else { break }
      rest = rest[..<plus]
    }
    let address = USBAddress.scheme + rest.dropFirst(Self.scheme.count)
    do throws(USBAddress.Problem) {
      guard let device = try USBAddress(parsing: address) else { throw USBAddress.Problem(text: text) }
      self.device = device
    } catch { throw USBAddress.Problem(text: text) }
  }

  /// Parses one suffix. Returns false if it is unknown or was already given.
  private mutating func take(_ word: Substring) -> Bool {
    if word.hasSuffix("mA"), let number = UInt16(word.dropLast(2)), extraMilliamperes == nil {
      extraMilliamperes = number
      return true
    }
    let parts = word.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false)
    guard roleSwitch == nil, let role = USBRoleSwitch.allCases.first(where: { Self.name($0) == parts[0] }) else {
      return false
    }
    let controller = parts.dropFirst().first.map { String($0) }
    guard controller.map(USBControllerName.isName) ?? true else { return false }
    roleSwitch = Switch(role, controller: controller)
    return true
  }

  /// Returns whether a device is selected: any phone, or the device with the given ids.
  func matches(_ device: AttachedDevice) -> Bool {
    self.device.matches(device) && (kind != nil || device.role == .phone)
  }
}

extension USBPhoneAddress: CustomStringConvertible {
  /// The transport string.
  public var description: String {
    let wanted = roleSwitch.map { "+\(Self.name($0.role))" + ($0.controller.map { "@\($0)" } ?? "") } ?? ""
    return device.description(scheme: Self.scheme) + wanted + (extraMilliamperes.map { "+\($0)mA" } ?? "")
  }
}
