// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2Bluetooth
import IAP2Capture
import IAP2Formats
import IAP2Roles
import IAP2Runtime
import IAP2Transport
import IAP2Transports
import IAP2USB

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "List attached devices, whether they speak iAP2, and the transport to reach each.",
    discussion: """
      Lists USB devices with their ports, and the USB device controllers on which this machine can be a device, as a \
      head unit or as a phone. For a device that may not be opened, the missing permission is named.

      Lists Bluetooth adapters, and the devices that bluetoothd knows as paired, connected or speaking iAP2. With --scan \
      it first looks for other devices, and then asks paired devices whose iAP2 service is not known.

      Examples:
        iap2 devices
        iap2 devices --json
        iap2 devices --scan 10
      """)

  @Flag(help: "One JSON object per line.")
  var json = false

  @OptionGroup var colours: ColourOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Look for discoverable Bluetooth devices for this many seconds.", valueName: "seconds"))
  var scan = 0

  func validate() throws {
    guard (0...Self.longestScanSeconds).contains(scan) else {
      throw ValidationError("--scan takes 0 to \(Self.longestScanSeconds) seconds")
    }
  }

  /// The limit of `--scan`: a discoverable device is found much earlier.
  private static let longestScanSeconds = 120

  func run() throws {
    let lines =
      AttachedDevice.all().map { DeviceLine($0) } + USBGadgetSource.controllers.map { DeviceLine(controller: $0) }
      + (try bluetooth())
    if json {
      for line in lines { try Output.json(line) }
    } else if lines.isEmpty {
      Output.note("this machine has no USB devices, no USB device controllers and no Bluetooth adapter")
    } else {
      for line in lines { Output.line(line.text) }
    }
  }

  /// Without bluetoothd, the lines of the adapters name the reason. With `--scan` it is an error.
  private func bluetooth() throws -> [DeviceLine] {
    do throws(TransportError) {
      let known = try BlueZ.known(scanSeconds: scan)
      return known.adapters.map { DeviceLine($0) } + known.devices.filter(\.isOfUse).map { DeviceLine($0) }
    } catch {
      let failure = CommandFailure(error)
      guard scan == 0 else { throw failure }
      switch error {
      case .specific where error.bluetoothProblem == .noAdapter, .notBuilt: break
      case .specific(let specific):
        return BlueZ.adapters.map { DeviceLine($0, problem: specific.problem.explanation) }
      default: return BlueZ.adapters.map { DeviceLine($0, problem: failure.text) }
      }
      return []
    }
  }
}

extension BlueZObjects.Device {
  /// Whether the device is listed: one that is paired, connected or has a service of iAP2.
  fileprivate var isOfUse: Bool { isPaired || isConnected || !services.isEmpty }
}

/// A device or controller of the output.
struct DeviceLine: Encodable {
  /// The device's role for this program.
  enum Role: String, Encodable { case accessory, phone, controller, none }

  var role: Role
  /// The Linux bus path, such as `1-2.3`, or the controller's name.
  var port: String
  var id: String?
  var name: String?
  var serial: String?
  var interface: String?
  var nativeProtocolCount: Int?
  /// The names of the native EA interfaces, if they have names.
  var nativeProtocols: [String]?
  /// The interface of a network function, which CarPlay needs.
  var network: Int?
  /// The value for `--transport`.
  var transport: String?
  /// The reason why the device cannot be used.
  var problem: String?

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

  var text: String {
    let words = [port, id, name, serial.map { "serial \($0)" }].compactMap { $0 }
    let what =
      switch role {
      case .accessory: "accessory" + (transport.map { ": phone --transport \($0)" } ?? "")
      case .phone: "phone" + (transport.map { ": headunit --transport \($0)" } ?? "")
      case .controller where transport?.hasPrefix(RFCOMMAddress.listenScheme) == true:
        "can accept connections: headunit or phone --transport \(transport ?? "")"
      case .controller:
        "can be a USB device: headunit --transport \(transport ?? ""), phone --transport "
          + "\(PhoneGadgetAddress.scheme):\(port)"
      case .none: ""
      }
    let native = nativeProtocolCount.flatMap { count in
      count == 0 ? nil : "native: " + (nativeProtocols?.joined(separator: ", ") ?? "\(count)")
    }
    let network = network.map { "network (CDC-NCM) at interface \($0)" }
    return (words + [what.isEmpty ? nil : Colour.green(what), native, network, problem].compactMap { $0 }).joined(
      separator: "  ")
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
