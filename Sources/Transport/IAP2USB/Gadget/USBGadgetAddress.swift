// swift-iap2 · Apache-2.0

/// The USB device controller on which this machine is a device: `usb-gadget[:UDC]`.
public struct USBGadgetAddress: Sendable, Equatable, CustomStringConvertible {
  /// The name of the controller under /sys/class/udc; nil selects the first free one.
  public var controller: String?

  /// The scheme of the transport string.
  public static let scheme = "usb-gadget"
  /// The form of the transport string.
  public static let form = "usb-gadget[:UDC]"

  /// A text with the scheme `usb-gadget` whose rest is not a controller's name.
  public struct Problem: Error, Equatable, Sendable {
    /// The whole text.
    public var text: String
  }

  /// Parses a transport string. Returns nil if the text has another scheme.
  public init?(parsing text: String) throws(Problem) {
    guard text == Self.scheme || text.hasPrefix(Self.scheme + ":") else { return nil }
    guard text != Self.scheme else { return }
    let name = String(text.dropFirst(Self.scheme.count + 1))
    guard USBControllerName.isName(name) else { throw Problem(text: text) }
    controller = name
  }

  /// Creates an address.
  ///
  /// - Parameter controller: The name of the controller under /sys/class/udc; nil selects the first free one.
  public init(controller: String? = nil) { self.controller = controller }

  /// The transport string.
  public var description: String { Self.scheme + (controller.map { ":\($0)" } ?? "") }
}
