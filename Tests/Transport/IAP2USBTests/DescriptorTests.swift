// swift-iap2 · Apache-2.0

import Foundation
import IAP2
import IAP2Formats
import Testing

@testable import IAP2USB

/// Descriptors written by hand from the tables of the USB 2.0 specification, chapter 9.
enum Bytes {
  static func device(_ vendor: UInt16, _ product: UInt16) -> [UInt8] {
    [18, 1, 0, 2, 0, 0, 0, 64] + little(vendor) + little(product) + [0, 1, 1, 2, 3, 1]
  }

  static func configuration(_ number: UInt8 = 1, _ parts: [UInt8]..., total: Int? = nil) -> [UInt8] {
    let parts = parts.flatMap { $0 }
    return [9, 2] + little(UInt16(total ?? parts.count + 9)) + [1, number, 0, 0x80, 50] + parts
  }

  static func interface(
    _ number: UInt8 = 0, alternate: UInt8 = 0, _ use: [UInt8] = [0xFF, 0xF0, 0], endpoints: UInt8 = 2, name: UInt8 = 4
  ) -> [UInt8] { [9, 4, number, alternate, endpoints] + use + [name] }

  static func endpoint(_ address: UInt8, attributes: UInt8 = 2, packet: UInt16 = 512) -> [UInt8] {
    [7, 5, address, attributes] + little(packet) + [0]
  }

  static func little(_ number: UInt16) -> [UInt8] { [UInt8(number & 255), UInt8(number >> 8)] }

  /// An accessory with its link on endpoints 82 and 02, as two real ones have it (USB.md#endpoints), and with EA native
  /// transport beside it.
  static let accessory = configuration(
    1, interface(), endpoint(0x82), endpoint(0x02), interface(1, [0xFF, 0xF0, 1], endpoints: 0, name: 5),
    interface(1, alternate: 1, [0xFF, 0xF0, 1], name: 5), endpoint(0x81), endpoint(0x01))
}

@Suite struct DescriptorTests {
  static func configurations(_ bytes: [UInt8]) throws(USBDescriptorError) -> [USBConfiguration] {
    try USBConfiguration.all(in: bytes.rawBytes, from: 0)
  }

  static func interfaces(_ bytes: [UInt8]) throws -> AccessoryInterfaces {
    try AccessoryInterfaces(#require(try configurations(bytes).first))
  }

  static func problem(_ bytes: [UInt8]) -> USBDescriptorError.Reason? {
    do {
      _ = try configurations(bytes)
      return nil
    } catch { return error.reason }
  }

  @Test func anAccessorysLinkAndItsNativeProtocolsAreFound() throws {
    let found = try Self.interfaces(Bytes.accessory)
    #expect(found.link.interface == 0 && found.link.alternateSetting == 0 && found.link.nameIndex == 4)
    #expect(found.link.bulk.toHost.address == 0x82 && found.link.bulk.toDevice.address == 0x02)
    #expect(found.link.bulk.toHost.maximumPacketByteCount == 512)
    #expect(found.native.map(\.interface) == [1] && found.native.map(\.alternateSetting) == [1])
    #expect(found.native.first?.bulk.toHost.address == 0x81)
  }

  @Test func theConfigurationOfACaptureIsRead() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../captures/formats/usbmon.pcapng")
    let capture = try Data(contentsOf: file)
    let start = try #require(capture.range(of: Data([9, 2, 41, 0, 2, 1]))).lowerBound
    let found = try Self.interfaces([UInt8](capture[start..<start + 41]))
    #expect(found.link.bulk.toHost.address == 0x82 && found.link.bulk.toDevice.address == 0x02)
    #expect(found.native.isEmpty)
  }

  /// A capture may contain incomplete or false descriptors.
  @Test func aTruncatedConfigurationIsReadToItsEnd() throws {
    var bytes = Bytes.accessory
    let whole = try #require(try Self.configurations(bytes).first)
    bytes[2] = 255
    #expect(USBConfiguration(asFarAsReadable: bytes.rawBytes) == whole)
    var seen = 0
    for count in 0..<bytes.count {
      guard let part = USBConfiguration(asFarAsReadable: Array(bytes.prefix(count)).rawBytes) else {
        #expect(count < 9)
        continue
      }
      let endpoints = part.interfaces.flatMap(\.endpoints)
      #expect(whole.interfaces.flatMap(\.endpoints).starts(with: endpoints) && endpoints.count >= seen)
      seen = endpoints.count
    }
    #expect(seen > 0 && USBConfiguration(asFarAsReadable: [UInt8](repeating: 2, count: 40).rawBytes) == nil)
  }

  @Test func aNameHasNoInfluence() throws {
    let nameless = Bytes.configuration(1, Bytes.interface(name: 0), Bytes.endpoint(0x81), Bytes.endpoint(0x01))
    #expect(try Self.interfaces(nameless).link.nameIndex == 0)
  }

  @Test func aPhoneInDeviceModeIsNoAccessory() throws {
    // Configuration 2 of a phone: audio control and HID with one interrupt endpoint (USB.md#phone-configuration-2).
    let phone = Bytes.configuration(
      2, Bytes.interface(0, [1, 1, 0], endpoints: 0), Bytes.interface(2, [3, 0, 0], endpoints: 1),
      [9, 0x21, 0x11, 1, 0, 1, 0x22, 208, 0], Bytes.endpoint(0x83, attributes: 3, packet: 64))
    #expect(throws: AccessoryInterfaces.Problem.notFound) { try Self.interfaces(phone) }
  }

  @Test func anInterfaceThatCannotCarryALinkIsNamed() {
    for endpoints in [
      [], Bytes.endpoint(0x81), Bytes.endpoint(0x81) + Bytes.endpoint(0x82),
      Bytes.endpoint(0x81, attributes: 3) + Bytes.endpoint(0x01, attributes: 3),
      Bytes.endpoint(0x81, packet: 0) + Bytes.endpoint(0x01), Bytes.endpoint(0x80) + Bytes.endpoint(0x00),
    ] {
      let bytes = Bytes.configuration(1, Bytes.interface(3), endpoints)
      #expect(throws: AccessoryInterfaces.Problem.noBulkPair(interface: 3)) { try Self.interfaces(bytes) }
    }
  }

  /// Returns the interfaces of an accessory with a link and the given parts beside it.
  private static func beside(_ parts: [UInt8]...) throws -> AccessoryInterfaces {
    try interfaces(
      Bytes.configuration(
        1, Bytes.interface(), Bytes.endpoint(0x82), Bytes.endpoint(0x02), parts.flatMap { $0 }))
  }

  private static func native(_ number: UInt8, alternate: UInt8 = 0, endpoints: [UInt8] = []) -> [UInt8] {
    Bytes.interface(number, alternate: alternate, [0xFF, 0xF0, 1], endpoints: UInt8(endpoints.count), name: 5)
      + endpoints.flatMap { Bytes.endpoint($0) }
  }

  @Test func anUnusableNativeInterfaceIsReportedAndTheLinkStays() throws {
    for parts in [
      Self.native(1), Self.native(1) + Self.native(1, alternate: 1),
      Self.native(1, alternate: 1, endpoints: [0x81]), Self.native(1, endpoints: [0x81, 0x83]),
      // These parts reuse one of the link's endpoints. Below, one reuses the link's interface.
      Self.native(1, alternate: 1, endpoints: [0x82, 0x01]), Self.native(1, endpoints: [0x81, 0x02]),
    ] {
      let found = try Self.beside(parts)
      #expect(found.native.isEmpty && found.unusableNative == [1], "\(parts)")
    }
    let same = try Self.beside(Self.native(0, alternate: 1, endpoints: [0x81, 0x01]))
    #expect(same.native.isEmpty && same.unusableNative == [0])
  }

  @Test func aNativeInterfaceCountsOnceHoweverManySettingsItHas() throws {
    let settings = (0..<200).flatMap { Self.native(1, alternate: UInt8($0), endpoints: $0 == 0 ? [] : [0x81, 0x01]) }
    let found = try Self.beside(settings, Self.native(2, endpoints: [0x83, 0x03]))
    #expect(found.native.map(\.interface) == [1, 2] && found.native.map(\.alternateSetting) == [1, 0])
    #expect(found.unusableNative.isEmpty && found.network == nil)
  }

  @Test func aProtocolIsFoundByItsNameAndElseByItsPlace() throws {
    let found = try Self.beside(
      Self.native(1, endpoints: [0x81, 0x01]), Self.native(2, endpoints: [0x83, 0x03]),
      Self.native(3, endpoints: [0x84, 0x04]))
    let protocols = ["a", "b", "c"]
    func places(_ names: [String?]) -> [UInt8?] {
      protocols.map { found.native(of: $0, among: protocols, interfaceNames: names)?.interface }
    }
    #expect(places([nil, nil, nil]) == [1, 2, 3])
    #expect(places(["c", "a", "b"]) == [2, 3, 1])
    #expect(places(["b", nil, "EA"]) == [2, 1, 3])
    #expect(found.native(of: "d", among: ["a", "b", "c", "d"], interfaceNames: ["x", nil, nil]) == nil)
    #expect(found.native(of: "a", among: protocols, interfaceNames: []) == nil)
  }

  @Test func aNetworkFunctionIsFoundByItsControlInterface() throws {
    let found = try Self.beside(
      Bytes.interface(1, [0x02, 0x0D, 0x00], endpoints: 1), Bytes.endpoint(0x85, attributes: 3, packet: 16),
      Bytes.interface(2, [0x0A, 0x00, 0x01], endpoints: 0),
      Bytes.interface(2, alternate: 1, [0x0A, 0x00, 0x01]), Bytes.endpoint(0x84), Bytes.endpoint(0x04))
    #expect(found.network == 1 && found.native.isEmpty)
  }

  @Test func invalidLengthsAreReported() {
    let whole = Bytes.accessory
    #expect(Self.problem(Array(whole.dropLast())) == .truncated(stated: whole.count, present: whole.count - 1))
    #expect(Self.problem(Bytes.configuration(total: 0)) == .badLength(0))
    #expect(Self.problem(Bytes.configuration(total: 8)) == .badLength(8))
    #expect(Self.problem(Bytes.configuration(total: 0xFFFF)) == .truncated(stated: 0xFFFF, present: 9))
    #expect(Self.problem(Bytes.configuration(1, [0, 4])) == .badLength(0))
    #expect(Self.problem(Bytes.configuration(1, [1, 4, 9])) == .badLength(1))
    #expect(Self.problem(Bytes.configuration(1, [200, 4, 0])) == .badLength(200))
    #expect(Self.problem(Bytes.configuration(1, [3, 4, 0])) == .badLength(3))
    #expect(Self.problem(Bytes.configuration(1, Bytes.interface(), [4, 5, 1, 2])) == .badLength(4))
    #expect(Self.problem([9, 4, 0, 0, 0, 0, 0, 0, 0]) == .wrongType(4))
    #expect(Self.problem(Bytes.configuration(1, Bytes.endpoint(1))) == .endpointWithoutInterface)
  }

  @Test func descriptorsAboveALimitAreRejected() {
    let configurations = [[UInt8]](repeating: Bytes.configuration(), count: 9).flatMap { $0 }
    #expect(Self.problem(configurations) == .tooMany(.configurations, limit: 8))
    let interfaces = [[UInt8]](repeating: Bytes.interface(), count: 257).flatMap { $0 }
    #expect(Self.problem(Bytes.configuration(1, interfaces)) == .tooMany(.interfaces, limit: 256))
    let endpoints = [[UInt8]](repeating: Bytes.endpoint(1), count: 31).flatMap { $0 }
    #expect(Self.problem(Bytes.configuration(1, Bytes.interface(), endpoints)) == .tooMany(.endpoints, limit: 30))
  }

  @Test func everyTruncationIsReportedAndNoChangedByteTraps() throws {
    let whole = Bytes.accessory
    for count in 1..<whole.count {
      guard case .truncated = Self.problem(Array(whole[..<count])) else {
        Issue.record("cut at \(count): \(String(describing: Self.problem(Array(whole[..<count]))))")
        continue
      }
    }
    for index in whole.indices {
      for value in UInt8.min...UInt8.max {
        var changed = whole
        changed[index] = value
        // Any result is allowed, but no byte outside the descriptors may be read.
        do { _ = try Self.interfaces(changed) } catch {}
      }
    }
  }

  @Test func aDeviceDescriptorIsRead() throws {
    let device = try USBDeviceDescriptor(reading: Bytes.device(0x0329, 0x2022).rawBytes)
    #expect(device == USBDeviceDescriptor(vendor: 0x0329, product: 0x2022, configurationCount: 1))
  }
}
