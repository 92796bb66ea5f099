// swift-iap2 · Apache-2.0

/// The name of a USB device controller under /sys/class/udc.
enum USBControllerName {
  /// Returns whether a text can be a name: one path component that does not lead elsewhere.
  static func isName(_ name: String) -> Bool { !name.isEmpty && !name.contains("/") && !name.hasPrefix(".") }
}
