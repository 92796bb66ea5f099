// swift-iap2 · Apache-2.0

/// What a gadget of ours says of itself on the bus.
struct GadgetIdentity: Sendable {
  /// Of the transport that it is for.
  var scheme: String
  /// Ids of the Linux Foundation, under which Linux gadgets that are no product go.
  var vendor: UInt16 = 0x1D6B
  var product: UInt16 = 0x0104
  var productName: String
  /// The number of its one configuration.
  var configuration: UInt8

  func address(_ controller: String) -> String { "\(scheme):\(controller)" }
}
