// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Formats

/// A phone in device mode on this machine's USB, and what is wanted of it:
/// `usb-phone[:VID:PID[:SERIAL|@BUS-PORT]][+carplay[@UDC]|+plain[@UDC]][+NUMBERmA]`.
///
/// Without a role switch iAP2 runs in HID reports. With one the phone becomes the host, and this machine the device on the
/// controller that is named, or the first that is free. A current is what the port gives beyond 500 mA; nothing is said of
/// it unless it is named, for only who built the port knows.
public struct USBPhoneAddress: Sendable, Equatable {
  public struct Switch: Sendable, Equatable {
    public var role: USBRoleSwitch
    /// As Linux names it under /sys/class/udc; nil: the first that is free.
    public var controller: String?
  }

  /// Nil: any phone.
  public var kind: USBAddress.Kind? { device.kind }
  var device: USBAddress
  public var roleSwitch: Switch?
  public var extraMilliamperes: UInt16?

  public static let scheme = "usb-phone"
  public static let form = "usb-phone[:VID:PID[:SERIAL|@BUS-PORT]][+carplay[@UDC]|+plain[@UDC]][+NUMBERmA]"

  /// Names of the roles in a transport string.
  private static func name(_ role: USBRoleSwitch) -> String {
    switch role {
    case .carPlay: "carplay"
    case .plain: "plain"
    }
  }

  init(device: USBAddress) { self.device = device }

  /// Nil when the text names another scheme.
  public init?(parsing text: String) throws(USBAddress.Problem) {
    guard text == Self.scheme || text.hasPrefix(Self.scheme + ":") || text.hasPrefix(Self.scheme + "+") else {
      return nil
    }
    var rest = text[...]
    device = .any
    // From the end, for a serial may have such a sign in it.
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

  /// False for what is none of ours, or was there already.
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
    guard controller.map(USBGadgetAddress.isName) ?? true else { return false }
    roleSwitch = Switch(role: role, controller: controller)
    return true
  }

  /// Every phone, or whatever was named.
  func matches(_ device: AttachedDevice) -> Bool {
    self.device.matches(device) && (kind != nil || device.role == .phone)
  }
}

extension USBPhoneAddress: CustomStringConvertible {
  public var description: String {
    let wanted = roleSwitch.map { "+\(Self.name($0.role))" + ($0.controller.map { "@\($0)" } ?? "") } ?? ""
    return device.description(scheme: Self.scheme) + wanted + (extraMilliamperes.map { "+\($0)mA" } ?? "")
  }
}
