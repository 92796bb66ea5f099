// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Formats
public import IAP2Transport

/// A source for a machine that is a USB device with a head unit's function. It gives a connection each time a host
/// enables the function.
public final class USBGadgetSource: TransportSource {
  private let gadget: Gadget

  /// The transport string with the name of the controller.
  public var address: String { gadget.address }

  let controller: String

  private init(_ gadget: Gadget, controller: String) {
    self.gadget = gadget
    self.controller = controller
  }

  /// The names of all USB device controllers of this machine.
  public static var controllers: [String] { GadgetTree.allControllers() }

  /// Returns the name of the gadget that uses a controller, of this program or another; nil if the controller is free.
  package static func user(of controller: String) -> String? { GadgetTree.user(of: controller) }

  /// Creates the gadget and attaches it to the bus.
  ///
  /// - Parameters:
  ///   - address: The controller of the gadget.
  ///   - productName: The product name in the device's descriptors.
  ///   - functions: The functions beside the link, as the identification of the head unit declares them.
  ///   - onEvent: Called for events on the bus, on a thread of the gadget.
  /// - Throws: `specific` with a ``DeviceModeProblem`` if this machine cannot be a USB device, for example without a
  ///   controller; `permissionDenied` for a user who is not root.
  public static func open(
    _ address: USBGadgetAddress = USBGadgetAddress(), productName: String,
    functions: AccessoryFunctions = AccessoryFunctions(), onEvent: @escaping @Sendable (GadgetEvent) -> Void = { _ in }
  ) async throws(TransportError) -> USBGadgetSource {
    let identity = GadgetIdentity(scheme: USBGadgetAddress.scheme, productName: productName, configuration: 1)
    return try await GadgetTree.onController(
      address.controller, address: address.description
    ) { controller throws(TransportError) in
      let gadget = try await onOwnThread(usbThread) { () throws(TransportError) in
        try Gadget(controller: controller, identity: identity, functions: functions, onEvent: onEvent) {
          (folder, address) throws(TransportError) in
          try FunctionFiles(.link, folder: folder, address: address)
        }
      }
      return USBGadgetSource(gadget, controller: controller)
    }
  }

  /// The network interface of CarPlay on this machine; nil if there is none.
  public var networkInterface: String? { gadget.networkInterface }

  /// Returns the next connection; nil once the source is closed.
  public func next() async throws(TransportError) -> (any ByteTransport)? {
    while !gadget.isOver, !Task.isCancelled {
      if let transport = try await gadget.nextConnection() { return transport }
    }
    return nil
  }

  /// Refuses further connections. Removes the gadget now, or when the current connection ends.
  public func close() async {
    let gadget = gadget
    do { try await onOwnThread(usbThread) { gadget.stop() } } catch {}
  }
}
