// swift-iap2 · Apache-2.0

/// The USB device controller on which this machine is a phone in device mode, as whom, and whether it stays one:
/// `usb-gadget-phone[:UDC][@VID:PID][+fixed]`.
public struct PhoneGadgetAddress: Sendable, Equatable {
  /// As Linux names it under /sys/class/udc; nil: the first that is free.
  public var controller: String?
  /// Nil: ids under which Linux gadgets go that are no product. A head unit that looks for Apple's finds no other.
  public var kind: USBAddress.Kind?
  /// Refuses to become host.
  public var staysDevice = false

  public static let scheme = "usb-gadget-phone"
  public static let form = "usb-gadget-phone[:UDC][@VID:PID][+fixed]"
  private static let fixed = "+fixed"

  public struct Problem: Error, Equatable, Sendable {
    public var text: String
  }

  /// Nil when the text names another scheme.
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
    guard rest.hasPrefix(":"), USBGadgetAddress.isName(String(rest.dropFirst())) else { throw Problem(text: text) }
    controller = String(rest.dropFirst())
  }
}

extension PhoneGadgetAddress: CustomStringConvertible {
  public var description: String {
    Self.scheme + (controller.map { ":\($0)" } ?? "")
      + (kind.map { "@\(hex4($0.vendor)):\(hex4($0.product))" } ?? "") + (staysDevice ? Self.fixed : "")
  }
}
