// swift-iap2 · Apache-2.0

import ArgumentParser
import IAP2
import IAP2USB

struct Devices: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Show what is attached, what of it speaks iAP2, and with which transport to reach it.",
    discussion: """
      USB devices with their ports, and the USB device controllers on which this machine can be a head unit itself. A
      device that may not be opened is named with what is missing.

      Examples:
        iap2 devices
        iap2 devices --json
      """)

  @Flag(help: "One JSON object a line.")
  var json = false

  func run() throws {
    let lines =
      AttachedDevice.all().map { DeviceLine($0) } + USBGadgetSource.controllers.map { DeviceLine(controller: $0) }
    if json {
      for line in lines { try Output.json(line) }
    } else if lines.isEmpty {
      Output.note("no USB devices and no USB device controllers here")
    } else {
      for line in lines { Output.line(line.text) }
    }
  }
}

/// One device or controller, as it is printed.
struct DeviceLine: Encodable {
  /// What it is for this program.
  enum Role: String, Encodable { case accessory, phone, controller, none }

  var role: Role
  /// As Linux names it: `1-2.3`, or the controller.
  var port: String
  var id: String?
  var name: String?
  var serial: String?
  var interface: String?
  var nativeProtocolCount: Int?
  /// What `--transport` takes.
  var transport: String?
  /// Why it cannot be used as it is.
  var problem: String?

  init(_ device: AttachedDevice) {
    port = device.port
    id = "\(hex4(device.vendor)):\(hex4(device.product))"
    let names = [device.manufacturerName, device.productName].compactMap { $0.map(DecodedText.printable) }
    name = names.isEmpty ? nil : names.joined(separator: " ")
    serial = device.serial.map(DecodedText.printable)
    switch device.role {
    case .accessory(let interfaces):
      role = .accessory
      interface = device.interfaceName.map(DecodedText.printable)
      nativeProtocolCount = interfaces.native.count
      transport = device.address.description
      problem = Self.denial(device)
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
    case .other: role = .none
    }
  }

  private static func denial(_ device: AttachedDevice) -> String? {
    guard !device.mayBeOpened else { return nil }
    return "no permission for \(device.node); \(LiveTransport.permissionAdvice(USBAddress.scheme))"
  }

  init(controller: String) {
    role = .controller
    port = controller
    transport = "\(USBGadgetAddress.scheme):\(controller)"
  }

  var text: String {
    let words = [port, id, name, serial.map { "serial \($0)" }].compactMap { $0 }
    let what =
      switch role {
      case .accessory: "accessory" + (transport.map { ": phone --transport \($0)" } ?? "")
      case .phone: "phone" + (transport.map { ": headunit --transport \($0)" } ?? "")
      case .controller: "can be a head unit here: headunit --transport \(transport ?? "")"
      case .none: ""
      }
    return (words + [what.isEmpty ? nil : Colour.green(what), problem].compactMap { $0 }).joined(separator: "  ")
  }

  private static func text(_ problem: AccessoryInterfaces.Problem) -> String {
    switch problem {
    case .notFound: "no iAP2 interface"
    case .noBulkPair(let interface): "interface \(interface) is for iAP2, but has no bulk endpoint each way"
    }
  }

  private static func text(_ error: USBDescriptorError) -> String {
    let reason =
      switch error.reason {
      case .truncated(let stated, let present): "\(stated) bytes stated, \(present) there"
      case .badLength(let length): "a length of \(length)"
      case .wrongType(let type): "a descriptor of type \(type) where another belongs"
      case .endpointWithoutInterface: "an endpoint of no interface"
      case .tooMany(let item, let limit): "more than \(limit) \(item)"
      }
    return "descriptors cannot be read: \(reason), at byte \(error.offset)"
  }
}
