// swift-iap2 · Apache-2.0

/// The identity of one of this program's gadgets on the bus.
struct GadgetIdentity: Sendable {
  /// The scheme of the gadget's transport string.
  var scheme: String
  /// The ids of the Linux Foundation that Linux gadgets use if they are not products.
  var vendor: UInt16 = 0x1D6B
  var product: UInt16 = 0x0104
  var productName: String
  /// The number of the only configuration.
  var configuration: UInt8

  func address(_ controller: String) -> String { "\(scheme):\(controller)" }
}
