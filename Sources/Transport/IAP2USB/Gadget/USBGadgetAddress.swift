// swift-iap2 · Apache-2.0

/// The USB device controller on which this machine is a device: `usb-gadget[:UDC]`.
public struct USBGadgetAddress: Sendable, Equatable, CustomStringConvertible {
  /// As Linux names it under /sys/class/udc; nil: the first that is free.
  public var controller: String?

  public static let scheme = "usb-gadget"
  public static let form = "usb-gadget[:UDC]"

  /// What followed `usb-gadget:` is no name of a controller.
  public struct Problem: Error, Equatable, Sendable {
    public var text: String
  }

  /// Nil when the text names another scheme.
  public init?(parsing text: String) throws(Problem) {
    guard text == Self.scheme || text.hasPrefix(Self.scheme + ":") else { return nil }
    guard text != Self.scheme else { return }
    let name = String(text.dropFirst(Self.scheme.count + 1))
    guard Self.isName(name) else { throw Problem(text: text) }
    controller = name
  }

  init(controller: String?) { self.controller = controller }

  /// Of a controller: a name in /sys that leads nowhere else.
  static func isName(_ name: String) -> Bool { !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") }

  public var description: String { Self.scheme + (controller.map { ":\($0)" } ?? "") }
}
