// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Formats
import IAP2Runtime
import IAP2Transport
import Testing

@testable import IAP2USB

@Suite struct AddressTests {
  @Test(
    arguments: [
      ("usb", nil, nil), ("usb:0329:2022", 0x2022, nil),
      ("usb:0329:20FF:A-1:b", 0x20FF, USBAddress.Place.serial("A-1:b")),
      ("usb:0329:2022@1-2.3", 0x2022, .port("1-2.3")), ("usb:0329:2022@10-1", 0x2022, .port("10-1")),
    ] as [(String, UInt16?, USBAddress.Place?)])
  func everyAddressFormIsRead(text: String, product: UInt16?, place: USBAddress.Place?) throws {
    let address = try #require(try USBAddress(parsing: text))
    #expect(address.kind?.product == product && address.place == place)
    #expect(address.description == text.replacing("20FF", with: "20ff"))
  }

  @Test func addressesOfValuesAreThoseOfTheirTexts() throws {
    let phone = USBAddress.Kind(vendor: 0x05AC, product: 0x12A8)
    #expect(try USBAddress(parsing: "usb") == USBAddress())
    #expect(try USBAddress(parsing: "usb:05ac:12a8@1-2") == USBAddress(phone, place: .port("1-2")))
    #expect(try USBPhoneAddress(parsing: "usb-phone") == USBPhoneAddress())
    #expect(
      try USBPhoneAddress(parsing: "usb-phone:05ac:12a8+carplay@dummy_udc.0+1600mA")
        == USBPhoneAddress(
          device: USBAddress(phone), roleSwitch: .init(.carPlay, controller: "dummy_udc.0"), extraMilliamperes: 1600))
    #expect(try USBGadgetAddress(parsing: "usb-gadget:dummy_udc.0") == USBGadgetAddress(controller: "dummy_udc.0"))
    #expect(
      try PhoneGadgetAddress(parsing: "usb-gadget-phone@05ac:12a8+fixed")
        == PhoneGadgetAddress(kind: phone, staysDevice: true))
  }

  @Test(arguments: [
    "usb:", "usb:0329", "usb:0329:", "usb:329:2022", "usb:+329:2022", "usb:0329:2022:", "usb:0329:2022@", "usb:x:y",
    "usb:0329:2022@1", "usb:0329:2022@1-2:3", "usb:0329:2022@1-2..3", "usb:0329:2022@-1-2",
  ])
  func aMalformedAddressIsRejected(text: String) {
    #expect(throws: USBAddress.Problem(text: text)) { try USBAddress(parsing: text) }
  }

  @Test(arguments: ["usb-gadget", "tcp:usb:1", "usbx:0329:2022", ""])
  func anotherSchemeIsRejected(text: String) throws {
    #expect(try USBAddress(parsing: text) == nil)
  }
}

/// Tests on devices in folders with the layout of Linux's /sys.
@Suite struct AttachedDeviceTests {
  private static func folder(_ devices: [(port: String, files: [String: [UInt8]])]) throws -> URL {
    let root = FileManager.default.temporaryDirectory.appending(path: "iap2-\(UUID().uuidString)")
    for (port, files) in devices {
      for (name, bytes) in files {
        let file = root.appending(path: port).appending(path: name).standardizedFileURL
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(bytes).write(to: file)
      }
    }
    return root
  }

  private static func files(
    _ vendor: String, _ product: String, _ descriptors: [UInt8], more: [String: String] = [:]
  ) -> [String: [UInt8]] {
    var texts = ["idVendor": vendor, "idProduct": product, "busnum": "1", "devnum": "7", "bConfigurationValue": "1"]
    texts.merge(more) { $1 }
    var files = texts.mapValues { Array("\($0)\n".utf8) }
    files["descriptors"] = descriptors
    return files
  }

  @Test func accessoriesPhonesAndOthersAreDistinguished() throws {
    let accessory = Bytes.device(0x0329, 0x2022) + Bytes.accessory
    let noPair = Bytes.device(0x0329, 0x2023) + Bytes.configuration(1, Bytes.interface())
    let lying = Bytes.device(0x0329, 0x2024) + Bytes.configuration(total: 60)
    let phone = Bytes.device(0x05AC, 0x12A8) + Bytes.configuration()
    let root = try Self.folder([
      ("usb1", Self.files("1d6b", "0002", Bytes.device(0x1D6B, 2) + Bytes.configuration())),
      ("1-1", Self.files("0329", "2022", accessory, more: ["serial": "A1", "product": "Camera"])),
      ("1-1:1.0", ["interface": Array("iAP Interface\n".utf8)]),
      ("1-2", Self.files("0329", "2023", noPair)), ("1-3", Self.files("0329", "2024", lying)),
      ("1-4.1", Self.files("05ac", "12a8", phone)),
      ("1-5", Self.files("0329", "2022", accessory, more: ["bConfigurationValue": "", "devnum": "9"])),
    ])
    let devices = AttachedDevice.all(in: root.path())
    #expect(devices.map(\.port) == ["1-1", "1-2", "1-3", "1-4.1", "1-5"])
    try #require(devices.count == 5)
    #expect(devices[0].interfaceName == "iAP Interface" && devices[0].productName == "Camera")
    #expect(devices[0].address.description == "usb:0329:2022:A1" && devices[0].node == "/dev/bus/usb/001/007")
    guard case .accessory(let found) = devices[0].role else { throw CancellationError() }
    #expect(found.link.bulk.toHost.address == 0x82)
    #expect(devices[1].role == .unusable(.noBulkPair(interface: 0)))
    #expect(devices[2].role == .unreadable(USBDescriptorError(.truncated(stated: 60, present: 9), offset: 18)))
    #expect(devices[3].role == .phone && devices[3].address.description == "usb:05ac:12a8@1-4.1")
    // Nothing can be claimed on a device without an active configuration.
    #expect(devices[4].role == .unconfigured)
    try FileManager.default.removeItem(at: root)
  }

  @Test func anAddressMeansTheDevicesItNames() throws {
    let accessory = Bytes.device(0x0329, 0x2022) + Bytes.accessory
    let root = try Self.folder([
      ("1-1", Self.files("0329", "2022", accessory, more: ["serial": "A1"])),
      ("1-2", Self.files("0329", "2022", accessory, more: ["serial": "A2"])),
    ])
    let devices = AttachedDevice.all(in: root.path())
    for (text, ports) in [
      ("usb", ["1-1", "1-2"]), ("usb:0329:2022", ["1-1", "1-2"]), ("usb:0329:2022:A2", ["1-2"]),
      ("usb:0329:2022@1-1", ["1-1"]), ("usb:0329:2023", []),
    ] {
      let address = try #require(try USBAddress(parsing: text))
      #expect(devices.filter(address.matches).map(\.port) == ports, "\(text)")
    }
    try FileManager.default.removeItem(at: root)
  }

  /// After a role switch, the head unit is an accessory that was not attached before it.
  @Test func aDeviceAttachedBeforeIsUsedOnlyAfterAReplug() throws {
    let accessory = Bytes.device(0x0329, 0x2022) + Bytes.accessory
    func ports(_ numbers: [(String, String)], except known: Set<AttachedDevice.Attachment>) throws -> (
      [String], Set<AttachedDevice.Attachment>
    ) {
      let root = try Self.folder(
        numbers.map { port, number in (port, Self.files("0329", "2022", accessory, more: ["devnum": number])) })
      defer { do { try FileManager.default.removeItem(at: root) } catch {} }
      let devices = AttachedDevice.all(in: root.path())
      let usable = try USBHostSource.usable(USBAddress(), among: devices, except: known, waits: true)
      return (usable.map(\.port), Set(devices.map(\.attachment)))
    }
    let (before, known) = try ports([("1-1", "7"), ("1-2", "8")], except: [])
    #expect(before == ["1-1", "1-2"])
    #expect(try ports([("1-1", "7"), ("1-2", "8")], except: known).0.isEmpty)
    #expect(try ports([("1-1", "7"), ("1-2", "9"), ("1-3", "10")], except: known).0 == ["1-2", "1-3"])
  }

  @Test func anUnusableAccessoryIsReportedWithoutWaiting() throws {
    let accessory = ("1-1", Self.files("0329", "2022", Bytes.device(0x0329, 0x2022) + Bytes.accessory))
    let noPair = Bytes.device(0x0329, 0x2023) + Bytes.configuration(1, Bytes.interface())
    let unusable = ("1-2", Self.files("0329", "2023", noPair))
    func ports(_ folders: [(String, [String: [UInt8]])], waits: Bool) throws -> [String] {
      let root = try Self.folder(folders)
      defer { do { try FileManager.default.removeItem(at: root) } catch {} }
      return try USBHostSource.usable(
        USBAddress(), among: AttachedDevice.all(in: root.path()), except: [], waits: waits
      ).map(\.port)
    }
    #expect(throws: TransportError.self) { try ports([unusable], waits: false) }
    // The unusable device may be unplugged, and another one plugged in.
    #expect(try ports([unusable], waits: true).isEmpty)
    #expect(try ports([accessory, unusable], waits: false) == ["1-1"])
    // Every device is without a configuration for a moment after it was plugged in.
    let bytes = Bytes.device(0x0329, 0x2022) + Bytes.accessory
    let unconfigured = ("1-3", Self.files("0329", "2022", bytes, more: ["bConfigurationValue": ""]))
    #expect(throws: TransportError.self) { try ports([unconfigured], waits: false) }
    #expect(try ports([unconfigured], waits: true).isEmpty)
  }

  @Test func aMachineWithoutUSBListsNoDevices() {
    #expect(AttachedDevice.all(in: "/nowhere").isEmpty)
  }
}
