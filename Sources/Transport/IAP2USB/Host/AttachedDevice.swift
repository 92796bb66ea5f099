// swift-iap2 · Apache-2.0

import Foundation
import IAP2
package import IAP2Formats

/// A device on a USB bus of this machine. Its properties come from sysfs, which any user may read even if the device
/// may not be opened.
package struct AttachedDevice: Sendable, Equatable {
  /// The role of a device in iAP2, derived from its descriptors.
  package enum Role: Sendable, Equatable {
    /// An accessory with a usable iAP2 interface.
    case accessory(AccessoryInterfaces)
    /// A phone in device mode. A host that acts as a head unit can connect to it over HID reports.
    case phone
    /// An accessory whose iAP2 interface cannot be used.
    case unusable(AccessoryInterfaces.Problem)
    /// A device whose descriptors cannot be read.
    case unreadable(USBDescriptorError)
    /// An accessory without an active configuration, so that it has no interfaces now.
    case unconfigured
    /// A device without iAP2.
    case other
  }

  /// The identity of an attachment. No other attached device has the same one, and a device gets a new one each time it
  /// is plugged in.
  package struct Attachment: Sendable, Hashable {
    var port: String
    var bus: UInt8
    var number: UInt8
  }

  /// The Linux bus path, such as `1-2.3`.
  package var port: String
  /// The number of the bus.
  package var bus: UInt8
  /// The device number on the bus. Linux assigns a new one each time a device is plugged in.
  package var number: UInt8
  /// The vendor id.
  package var vendor: UInt16
  /// The product id.
  package var product: UInt16
  /// The manufacturer string; nil if the device has none.
  package var manufacturerName: String?
  /// The product string; nil if the device has none.
  package var productName: String?
  /// The serial number; nil if the device has none.
  package var serial: String?
  /// Whether another attached device with the same ids has the same serial number.
  package var sharesSerial = false
  /// The speed in megabits per second, as sysfs prints it.
  package var speed: String?
  /// The role of the device in iAP2.
  package var role: Role
  /// The HID interfaces of all configurations; empty if the descriptors cannot be read.
  package var reportInterfaces: [ReportInterface]
  /// The configurations; empty if the descriptors cannot be read.
  package var configurations: [USBConfiguration]
  /// The number of the active configuration; nil if none is set.
  package var activeNumber: UInt8?
  /// The name of the link's interface; nil if it has none.
  package var interfaceName: String?
  /// The names of the interfaces that carry an EA protocol, in the order of the interfaces.
  package var nativeNames: [String?] = []

  /// The active configuration; nil if none is set.
  package var activeConfiguration: USBConfiguration? { configurations.first { $0.number == activeNumber } }

  /// The identity of this attachment.
  package var attachment: Attachment { Attachment(port: port, bus: bus, number: number) }

  /// The path of the device file that a program opens.
  package var node: String { "/dev/bus/usb/\(three(bus))/\(three(number))" }

  /// Whether this process may read and write the device file.
  package var mayBeOpened: Bool { unsafe access(node, R_OK | W_OK) == 0 }

  /// Whether the device file exists.
  package var hasNode: Bool { unsafe access(node, F_OK) == 0 }

  /// The time until a new device has its device file, and until an unplugged device is no longer listed.
  private static let settlingMicroseconds: UInt32 = 100_000

  /// Whether the device is attached but has no device file. Blocks for `settlingMicroseconds`.
  var isWithoutNode: Bool {
    usleep(Self.settlingMicroseconds)
    return !hasNode && AttachedDevice.all().contains { $0.attachment == attachment }
  }

  /// Returns a text that explains a missing device file and says what to do.
  package static func missingNode(_ node: String) -> String {
    "\(node) does not exist, although the device is attached; a container needs /dev/bus/usb of its machine"
  }

  /// Whether a program has claimed one of the HID interfaces.
  var hasReader: Bool {
    reportInterfaces.contains { candidate in
      let driver = "\(Self.sysfs)/\(port):\(candidate.configuration).\(candidate.interface)/driver"
      do { return try FileManager.default.destinationOfSymbolicLink(atPath: driver).hasSuffix("/usbfs") } catch {
        return false
      }
    }
  }

  /// The transport address that selects this device and no other.
  package var address: USBAddress {
    var address = USBAddress()
    address.kind = USBAddress.Kind(vendor: vendor, product: product)
    address.place = .port(port)
    // Users copy the address into a shell, and a device may choose any text as its serial number.
    if let serial, serial.utf8.count <= Self.maximumSerialByteCount, serial.utf8.allSatisfy(Self.isPlain),
      !serial.hasPrefix("@"), !sharesSerial
    {
      address.place = .serial(serial)
    }
    return address
  }

  /// The maximum length of a serial number: a string descriptor has at most 126 characters.
  private static let maximumSerialByteCount = 126

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
      UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// The transport address that selects this device as a phone in device mode.
  package var phoneAddress: USBPhoneAddress { USBPhoneAddress(device: address) }

  /// The sysfs folder of USB devices.
  package static let sysfs = "/sys/bus/usb/devices"

  /// Returns all attached devices in the order of their ports. Empty if the machine has no USB.
  package static func all(in folder: String = sysfs) -> [AttachedDevice] {
    let names: [String]
    do { names = try FileManager.default.contentsOfDirectory(atPath: folder) } catch { return [] }
    // The entry `1-2:1.0` is an interface of `1-2`, and `usb1` is a bus.
    var devices = names.filter { $0.first?.isNumber == true && !$0.contains(":") }.sorted()
      .compactMap { AttachedDevice(port: $0, folder: "\(folder)/\($0)") }
    let alike = Dictionary(grouping: devices.indices) { Alike(devices[$0]) }
    for indices in alike.values where indices.count > 1 { for index in indices { devices[index].sharesSerial = true } }
    return devices
  }

  /// The properties by which two devices may be indistinguishable.
  private struct Alike: Hashable {
    var vendor: UInt16
    var product: UInt16
    var serial: String?

    init(_ device: AttachedDevice) { (vendor, product, serial) = (device.vendor, device.product, device.serial) }
  }

  /// Reads a device from sysfs. Returns nil if it was unplugged meanwhile.
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

  /// Returns the role of a device.
  ///
  /// - Parameter active: The number of the active configuration; nil if none is set.
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

  /// Returns whether ids are those of a phone. 05AC:12A8 is an iPhone, 12AB an iPad; all products 12xx are such devices
  /// (USB.md#phone-ids; high).
  private static func isPhone(_ vendor: UInt16, _ product: UInt16) -> Bool {
    vendor == 0x05AC && product & 0xFF00 == 0x1200
  }
}

private func three(_ number: UInt8) -> String { String("00\(number)".suffix(3)) }
