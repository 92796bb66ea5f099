// swift-iap2 · Apache-2.0

import Foundation
import IAP2
package import IAP2Formats

/// A device on a USB bus of this machine, as Linux tells it in sysfs to everybody, whether or not it may be opened.
package struct AttachedDevice: Sendable, Equatable {
  /// What a device is in this protocol, by its descriptors.
  package enum Role: Sendable, Equatable {
    case accessory(AccessoryInterfaces)
    /// A phone in device mode: another host, as a head unit, may speak to it over HID reports.
    case phone
    /// An accessory whose iAP2 interface cannot be used.
    case unusable(AccessoryInterfaces.Problem)
    case unreadable(USBDescriptorError)
    /// An accessory of which no configuration is set, so that it has no interfaces now.
    case unconfigured
    case other
  }

  /// What no other device has at the same time, nor the same one once it was plugged in anew.
  package struct Attachment: Sendable, Hashable {
    var port: String
    var bus: UInt8
    var number: UInt8
  }

  /// Where it is plugged in, as Linux names it: `1-2.3`.
  package var port: String
  package var bus: UInt8
  /// Given anew each time a device is plugged in.
  package var number: UInt8
  package var vendor: UInt16
  package var product: UInt16
  package var manufacturerName: String?
  package var productName: String?
  package var serial: String?
  /// Another device of its kind gives the same.
  package var sharesSerial = false
  /// Megabits a second.
  package var speed: String?
  package var role: Role
  /// HID interfaces of all its configurations; empty where descriptors cannot be read.
  package var reportInterfaces: [ReportInterface]
  /// Empty where descriptors cannot be read.
  package var configurations: [USBConfiguration]
  /// The number of the configuration that is set.
  package var activeNumber: UInt8?
  /// Of the link's interface.
  package var interfaceName: String?
  /// Of the interfaces that carry an EA protocol, in their order.
  package var nativeNames: [String?] = []

  package var activeConfiguration: USBConfiguration? { configurations.first { $0.number == activeNumber } }

  package var attachment: Attachment { Attachment(port: port, bus: bus, number: number) }

  /// The file that has to be opened to use it.
  package var node: String { "/dev/bus/usb/\(three(bus))/\(three(number))" }

  package var mayBeOpened: Bool { unsafe access(node, R_OK | W_OK) == 0 }

  package var hasNode: Bool { unsafe access(node, F_OK) == 0 }

  /// What it takes until a device that has come has its node, and one that has gone is not listed any more.
  private static let settlingMicroseconds: UInt32 = 100_000

  /// It is attached, and there is nothing to open. Blocks for a moment.
  var isWithoutNode: Bool {
    usleep(Self.settlingMicroseconds)
    return !hasNode && AttachedDevice.all().contains { $0.attachment == attachment }
  }

  /// Why that may be, and what to do.
  package static func missingNode(_ node: String) -> String {
    "there is no \(node), though the device is attached; a container needs /dev/bus/usb of its machine"
  }

  /// A program has one of its interfaces for reports.
  var hasReader: Bool {
    reportInterfaces.contains { candidate in
      let driver = "\(Self.sysfs)/\(port):\(candidate.configuration).\(candidate.interface)/driver"
      do { return try FileManager.default.destinationOfSymbolicLink(atPath: driver).hasSuffix("/usbfs") } catch {
        return false
      }
    }
  }

  /// The transport that means this device and no other.
  package var address: USBAddress {
    var address = USBAddress.any
    address.kind = USBAddress.Kind(vendor: vendor, product: product)
    address.place = .port(port)
    // It is to be copied into a shell, and a device says of itself what it likes.
    if let serial, serial.utf8.count <= Self.maximumSerialByteCount, serial.utf8.allSatisfy(Self.isPlain),
      !serial.hasPrefix("@"), !sharesSerial
    {
      address.place = .serial(serial)
    }
    return address
  }

  /// A string descriptor has 126 characters at most.
  private static let maximumSerialByteCount = 126

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The same for a phone in device mode.
  package var phoneAddress: USBPhoneAddress { USBPhoneAddress(device: address) }

  package static let sysfs = "/sys/bus/usb/devices"

  /// Every device, in the order of their ports. Empty where there is no USB.
  package static func all(in folder: String = sysfs) -> [AttachedDevice] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch { return [] }
    // `1-2:1.0` is an interface of `1-2`, `usb1` a bus.
    var devices = names.filter { $0.first?.isNumber == true && !$0.contains(":") }.sorted()
      .compactMap { AttachedDevice(port: $0, folder: "\(folder)/\($0)") }
    let alike = Dictionary(grouping: devices.indices) { Alike(devices[$0]) }
    for indices in alike.values where indices.count > 1 { for index in indices { devices[index].sharesSerial = true } }
    return devices
  }

  /// What two devices may have in common.
  private struct Alike: Hashable {
    var vendor: UInt16
    var product: UInt16
    var serial: String?

    init(_ device: AttachedDevice) { (vendor, product, serial) = (device.vendor, device.product, device.serial) }
  }

  /// Nil when it has gone meanwhile.
  private init?(port: String, folder: String) {
    func text(_ name: String, of folder: String = folder) -> String? {
      guard let data = FileManager.default.contents(atPath: "\(folder)/\(name)") else { return nil }
      let text = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
      return text.isEmpty ? nil : text
    }
    guard let vendor = text("idVendor").flatMap({ UInt16($0, radix: 16) }),
      let product = text("idProduct").flatMap({ UInt16($0, radix: 16) }),
      let bus = text("busnum").flatMap({ UInt8($0) }), let number = text("devnum").flatMap({ UInt8($0) }),
      let descriptors = FileManager.default.contents(atPath: "\(folder)/descriptors")
    else { return nil }
    self.port = port
    self.bus = bus
    self.number = number
    self.vendor = vendor
    self.product = product
    manufacturerName = text("manufacturer")
    productName = text("product")
    serial = text("serial")
    speed = text("speed")
    let active = text("bConfigurationValue").flatMap { UInt8($0) }
    let configurations: [USBConfiguration]
    do { configurations = try USBConfiguration.all(in: [UInt8](descriptors).rawBytes) } catch { configurations = [] }
    self.configurations = configurations
    activeNumber = active
    reportInterfaces = ReportInterface.all(in: configurations)
    role = Self.role(vendor, product, [UInt8](descriptors), active: active)
    if case .accessory(let interfaces) = role, let active {
      let name = { (number: UInt8) in text("interface", of: "\(folder):\(active).\(number)") }
      interfaceName = name(interfaces.link.interface)
      nativeNames = interfaces.native.map { name($0.interface) }
    }
  }

  /// - Parameter active: the configuration that is set; nil for none.
  static func role(_ vendor: UInt16, _ product: UInt16, _ descriptors: [UInt8], active: UInt8?) -> Role {
    let configurations: [USBConfiguration]
    do {
      let bytes = descriptors.rawBytes
      _ = try USBDeviceDescriptor(reading: bytes)
      configurations = try USBConfiguration.all(in: bytes)
    } catch { return .unreadable(error) }
    if isPhone(vendor, product) { return .phone }
    guard let configuration = configurations.first(where: { $0.number == active }) else {
      return configurations.contains(where: isAccessory) ? .unconfigured : .other
    }
    do { return .accessory(try AccessoryInterfaces(configuration)) } catch {
      switch error {
      case .notFound: return .other
      case .noBulkPair: return .unusable(error)
      }
    }
  }

  private static func isAccessory(_ configuration: USBConfiguration) -> Bool {
    do { _ = try AccessoryInterfaces(configuration) } catch { return false }
    return true
  }

  /// 05AC:12A8 is an iPhone, 12AB an iPad; all of 12xx are such devices (USB.md#phone-ids; high).
  private static func isPhone(_ vendor: UInt16, _ product: UInt16) -> Bool {
    vendor == 0x05AC && product & 0xFF00 == 0x1200
  }
}

private func three(_ number: UInt8) -> String { String("00\(number)".suffix(3)) }
