// swift-iap2 · Apache-2.0

import IAP2
package import IAP2Formats
public import IAP2Transport

/// This machine as a USB device with a head unit's function: a connection for each time that a host enables it.
public final class USBGadgetSource: TransportSource {
  private let gadget: Gadget

  public var address: String { gadget.address }

  let controller: String

  private init(_ gadget: Gadget, controller: String) {
    self.gadget = gadget
    self.controller = controller
  }

  /// Every USB device controller of this machine.
  public static var controllers: [String] { GadgetTree.allControllers() }

  /// The gadget that has a controller now, ours or somebody's; nil where none has it.
  package static func user(of controller: String) -> String? { GadgetTree.user(of: controller) }

  /// Makes the gadget and shows it to the host.
  ///
  /// - Parameters:
  ///   - productName: how the device names itself on the bus.
  ///   - functions: what it shows beside the link.
  ///   - onEvent: told what the bus does, on a thread of the gadget's.
  package static func open(
    _ address: USBGadgetAddress, productName: String, functions: AccessoryFunctions = AccessoryFunctions(),
    onEvent: @escaping @Sendable (GadgetEvent) -> Void
  ) async throws(TransportError) -> USBGadgetSource {
    let identity = GadgetIdentity(scheme: USBGadgetAddress.scheme, productName: productName, configuration: 1)
    return try await GadgetTree.onController(
      address.controller, address: address.description
    ) { controller throws(TransportError) in
      let gadget = try await onOwnThread { () throws(TransportError) in
        try Gadget(controller: controller, identity: identity, functions: functions, onEvent: onEvent) {
          (folder, address) throws(TransportError) in
          try FunctionFiles(.link, folder: folder, address: address)
        }
      }
      return USBGadgetSource(gadget, controller: controller)
    }
  }

  /// The interface of CarPlay's network on this side, as Linux names it; nil where there is none.
  public var networkInterface: String? { gadget.networkInterface }

  public func next() async throws(TransportError) -> (any ByteTransport)? {
    while !gadget.isOver, !Task.isCancelled {
      if let transport = try await gadget.nextConnection() { return transport }
    }
    return nil
  }

  public func close() async {
    let gadget = gadget
    do { try await onOwnThread { gadget.stop() } } catch {}
  }
}
