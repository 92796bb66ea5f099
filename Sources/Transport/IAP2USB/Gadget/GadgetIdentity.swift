// swift-iap2 · Apache-2.0

/// The identity of one of this program's gadgets on the bus.
struct GadgetIdentity: Sendable {
  /// The ids of the Linux Foundation that Linux gadgets use if they are not products.
  static let linux = USBAddress.Kind(vendor: 0x1D6B, product: 0x0104)

  /// The scheme of the gadget's transport string.
  var scheme: String
  var ids = linux
  var productName: String
  /// The number of the only configuration.
  var configuration: UInt8

  func address(_ controller: String) -> String { "\(scheme):\(controller)" }
}
