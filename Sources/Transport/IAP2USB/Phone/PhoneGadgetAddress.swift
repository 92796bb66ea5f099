// swift-iap2 · Apache-2.0

/// The USB device controller on which this machine is a phone in device mode, the phone's ids, and whether it refuses a
/// role switch: `usb-gadget-phone[:UDC][@VID:PID][+fixed]`.
public struct PhoneGadgetAddress: Sendable, Equatable {
  /// The name of the controller under /sys/class/udc; nil selects the first free one.
  public var controller: String?
  /// The ids of the phone; nil selects the ids of Linux gadgets that are not products. A head unit that looks for
  /// Apple's ids does not find a phone with other ids.
  public var kind: USBAddress.Kind?
  /// Whether the phone refuses to become the host.
  public var staysDevice = false

  /// The scheme of the transport string.
  public static let scheme = "usb-gadget-phone"
  /// The form of the transport string.
  public static let form = "usb-gadget-phone[:UDC][@VID:PID][+fixed]"
  private static let fixed = "+fixed"

  /// A text with the scheme `usb-gadget-phone` that does not have the form.
  public struct Problem: Error, Equatable, Sendable {
    /// The whole text.
    public var text: String
  }

  /// Creates an address.
  ///
  /// - Parameters:
  ///   - controller: The name of the controller under /sys/class/udc; nil selects the first free one.
  ///   - kind: The ids of the phone; nil selects the ids of Linux gadgets that are not products.
  ///   - staysDevice: Whether the phone refuses to become the host.
  public init(controller: String? = nil, kind: USBAddress.Kind? = nil, staysDevice: Bool = false) {
    self.controller = controller
    self.kind = kind
    self.staysDevice = staysDevice
  }

  /// Parses a transport string. Returns nil if the text has another scheme.
  public init?(parsing text: String) throws(Problem) {
    guard text.hasPrefix(Self.scheme) else { return nil }
    var rest = text.dropFirst(Self.scheme.count)
    if rest.hasSuffix(Self.fixed) {
      staysDevice = true
      rest = rest.dropLast(Self.fixed.count)
    }
    if let at = rest.firstIndex(of: "@") {
      let ids = rest[rest.index(after: at)...]
      do throws(USBAddress.Problem) { kind = try USBAddress(parsing: "\(USBAddress.scheme):\(ids)")?.kind } catch {
        throw Problem(text: text)
      }
      guard let kind, ids.count == "\(hex4(kind.vendor)):\(hex4(kind.product))".count else { throw Problem(text: text) }
      rest = rest[..<at]
    }
    guard !rest.isEmpty else { return }
    guard rest.hasPrefix(":"), USBControllerName.isName(String(rest.dropFirst())) else { throw Problem(text: text) }
    controller = String(rest.dropFirst())
  }
}

extension PhoneGadgetAddress: CustomStringConvertible {
  /// The transport string.
  public var description: String {
    Self.scheme + (controller.map { ":\($0)" } ?? "")
      + (kind.map { "@\(hex4($0.vendor)):\(hex4($0.product))" } ?? "") + (staysDevice ? Self.fixed : "")
  }
}
