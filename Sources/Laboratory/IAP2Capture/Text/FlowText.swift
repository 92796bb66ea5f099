// swift-iap2 · Apache-2.0

/// Names of flows.
package enum FlowText {
  /// Returns the transport of a flow in words.
  package static func text(_ key: FlowKey) -> String {
    switch key {
    case .usb(let bus, let device): "USB bus \(bus) device \(device), bulk transfers"
    case .usbReports(let bus, let device): "USB bus \(bus) device \(device), HID reports"
    case .rfcomm(let adapter, let connection, let channel):
      "Bluetooth adapter \(adapter) connection \(connection), RFCOMM channel \(channel)"
    case .tcp(let endpoints): "TCP \(endpoints.description)"
    case .own(let connection): "transport \(connection + 1) of the program that captured"
    case .text(let connection): "bytes of a text" + (connection > 0 ? ", connection \(connection + 1)" : "")
    case .session(let number): "iAP2 inside CarPlay session \(number + 1)"
    }
  }

  /// Returns one end of a flow in words, 0 or 1.
  static func end(_ end: Int, of key: FlowKey) -> String {
    switch key {
    case .usb, .usbReports: end == 0 ? "the USB host" : "the USB device"
    case .rfcomm: end == 0 ? "the Bluetooth host of the log" : "the Bluetooth peer of the log's host"
    case .tcp(let endpoints): endpoints.text(end)
    case .session: end == 0 ? "the phone" : "the head unit"
    case .own, .text: end == 0 ? "the side that wrote the log" : "the peer of the side that wrote the log"
    }
  }
}
