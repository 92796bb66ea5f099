// swift-iap2 · Apache-2.0

import IAP2
import IAP2Bluetooth
import IAP2Formats
package import IAP2Transport
import IAP2USB

/// A device, controller or adapter of this machine, for JSON.
package struct DeviceLine: Encodable {
  /// The device's role for this program.
  package enum Role: String, Encodable { case accessory, phone, controller, none }

  package var role: Role
  /// The Linux bus path, such as `1-2.3`, or the controller's name.
  package var port: String
  package var id: String?
  package var name: String?
  package var serial: String?
  var interface: String?
  package var nativeProtocolCount: Int?
  /// The names of the native EA interfaces, if they have names.
  package var nativeProtocols: [String]?
  /// The interface of a network function, which CarPlay needs.
  package var network: Int?
  /// The value for `--transport`.
  package var transport: String?
  /// The reason why the device cannot be used.
  package var problem: String?

  /// Returns the USB devices, the USB device controllers, the Bluetooth adapters and the Bluetooth devices of use.
  ///
  /// Without bluetoothd, the lines of the adapters name the reason. With a scan it is an error.
  ///
  /// - Parameter scanSeconds: The duration of a search for discoverable Bluetooth devices; 0 for none.
  package static func all(scanSeconds: Int) throws(TransportError) -> [DeviceLine] {
    AttachedDevice.all().map { DeviceLine($0) } + USBGadgetSource.controllers.map { DeviceLine(controller: $0) }
      + (try bluetooth(scanSeconds: scanSeconds))
  }

  private static func bluetooth(scanSeconds: Int) throws(TransportError) -> [DeviceLine] {
    do throws(TransportError) {
      let known = try BlueZ.known(scanSeconds: scanSeconds)
      return known.adapters.map { DeviceLine($0) } + known.devices.filter(\.isOfUse).map { DeviceLine($0) }
    } catch {
      guard scanSeconds == 0 else { throw error }
      switch error {
      case .specific where error.bluetoothProblem == .noAdapter, .notBuilt: return []
      case .specific(let specific):
        return BlueZ.adapters.map { DeviceLine($0, problem: specific.problem.explanation) }
      default: return BlueZ.adapters.map { DeviceLine($0, problem: AnyTransportAddress.explanation(of: error)) }
      }
    }
  }

  init(_ device: AttachedDevice) {
    port = device.port
    id = "\(hex4(device.vendor)):\(hex4(device.product))"
    let names = [device.manufacturerName, device.productName].compactMap { $0.map(\.printable) }
    name = names.isEmpty ? nil : names.joined(separator: " ")
    serial = device.serial.map(\.printable)
    switch device.role {
    case .accessory(let interfaces):
      role = .accessory
      interface = device.interfaceName.map(\.printable)
      nativeProtocolCount = interfaces.native.count
      let names = device.nativeNames.compactMap { $0.map(\.printable) }
      nativeProtocols = names.isEmpty ? nil : names
      network = interfaces.network.map { Int($0) }
      problem = interfaces.unusableNative.first.map {
        "interface \($0) is for an EA protocol, but has no pair of bulk endpoints"
      }
      transport = device.address.description
      if let denial = Self.denial(device) { problem = denial }
    case .phone:
      role = .phone
      transport = device.phoneAddress.description
      problem = Self.denial(device)
    case .unusable(let fault):
      role = .accessory
      problem = Self.text(fault)
    case .unreadable(let fault):
      role = .none
      problem = Self.text(fault)
    case .unconfigured:
      role = .accessory
      problem =
        "no configuration is set: see /sys/bus/usb/devices/\(device.port)/authorized and bConfigurationValue beside it, "
        + "or unplug it and plug it in again"
    case .other: role = .none
    }
  }

  /// - Parameter problem: the reason why the adapter cannot be used, other than its power.
  init(_ adapter: BlueZObjects.Adapter, problem: String? = nil) {
    role = .controller
    port = "hci\(adapter.number)"
    id = adapter.address
    name = adapter.name.isEmpty ? nil : adapter.name.printable
    transport = RFCOMMAddress(.listen, adapter: adapter.number).description
    self.problem = adapter.isPowered ? problem : BluetoothProblem.adapterOff.explanation
  }

  init(_ device: BlueZObjects.Device) {
    port = "hci\(device.adapter)"
    id = "\(device.address)"
    name = device.name.map(\.printable)
    let isPhone = !device.services.isDisjoint(with: [.device, .wirelessDevice])
    role = device.services.contains(.accessory) ? .accessory : isPhone ? .phone : .none
    if role != .none { transport = RFCOMMAddress(.call(device.address), adapter: device.adapter).description }
    if !device.services.isDisjoint(with: [.carPlayAccessory, .carPlayDevice]) { interface = "CarPlay" }
    if !device.isPaired { problem = BluetoothProblem.notPaired.explanation }
  }

  private static func denial(_ device: AttachedDevice) -> String? {
    guard !device.mayBeOpened else { return nil }
    guard device.hasNode else { return AttachedDevice.missingNode(device.node) }
    return "no permission for \(device.node); \(AnyTransportAddress.permissionAdvice(USBAddress.scheme))"
  }

  init(controller: String) {
    role = .controller
    port = controller
    transport = "\(USBGadgetAddress.scheme):\(controller)"
    problem = USBGadgetSource.user(of: controller).map { "in use by the gadget \($0.printable)" }
  }

  private static func text(_ problem: AccessoryInterfaces.Problem) -> String {
    switch problem {
    case .notFound: "no iAP2 interface"
    case .noBulkPair(let interface): "interface \(interface) is for iAP2, but has no pair of bulk endpoints"
    }
  }

  private static func text(_ error: USBDescriptorError) -> String {
    let reason =
      switch error.reason {
      case .truncated(let stated, let present): "\(stated) bytes stated, \(present) present"
      case .badLength(let length): "a length of \(length)"
      case .wrongType(let type): "a descriptor of the wrong type \(type)"
      case .endpointWithoutInterface: "an endpoint without an interface"
      case .tooMany(let item, let limit): "more than \(limit) \(item)"
      }
    return "descriptors cannot be read: \(reason), at byte \(error.offset)"
  }
}

extension BlueZObjects.Device {
  /// Whether the device is listed: one that is paired, connected or has a service of iAP2.
  fileprivate var isOfUse: Bool { isPaired || isConnected || !services.isEmpty }
}
