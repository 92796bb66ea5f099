// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import IAP2Runtime
import IAP2Transport
import Testing

@testable import IAP2USB

@Suite struct PhoneAddressTests {
  @Test(
    arguments: [
      ("usb-phone", nil, nil, nil, nil), ("usb-phone:05ac:12a8", 0x12A8, nil, nil, nil),
      ("usb-phone+carplay", nil, .carPlay, nil, nil),
      ("usb-phone+plain@fe980000.usb", nil, .plain, "fe980000.usb", nil),
      ("usb-phone:1d6b:0104@1-2.3+carplay@dummy_udc.1+500mA", 0x0104, .carPlay, "dummy_udc.1", 500),
      ("usb-phone:05ac:12a8:A+B+plain", 0x12A8, .plain, nil, nil), ("usb-phone+0mA", nil, nil, nil, 0),
    ] as [(String, UInt16?, USBRoleSwitch?, String?, UInt16?)])
  func everyAddressFormIsRead(
    text: String, product: UInt16?, role: USBRoleSwitch?, controller: String?, current: UInt16?
  ) throws {
    let address = try #require(try USBPhoneAddress(parsing: text))
    #expect(address.kind?.product == product && address.roleSwitch?.role == role)
    #expect(address.roleSwitch?.controller == controller && address.extraMilliamperes == current)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "usb-phone:", "usb-phone:05ac", "usb-phone+", "usb-phone+carplay+plain", "usb-phone+carplay@",
    "usb-phone+carplay@a/b",
    "usb-phone+mA", "usb-phone+70000mA", "usb-phone:05ac:12a8+host", "usb-phone+CarPlay",
  ])
  func aMalformedAddressIsRejected(text: String) {
    #expect(throws: USBAddress.Problem(text: text)) { try USBPhoneAddress(parsing: text) }
  }

  @Test(arguments: ["usb", "usb:05ac:12a8", "usb-phones", "usb-gadget", ""])
  func anotherSchemeIsRejected(text: String) throws {
    #expect(try USBPhoneAddress(parsing: text) == nil)
  }

  @Test(
    arguments: [
      ("usb-gadget-phone", nil, nil, false), ("usb-gadget-phone:dummy_udc.0", "dummy_udc.0", nil, false),
      ("usb-gadget-phone@05ac:12a8", nil, 0x12A8, false), ("usb-gadget-phone:a.b@1209:0001+fixed", "a.b", 1, true),
      ("usb-gadget-phone+fixed", nil, nil, true),
    ] as [(String, String?, UInt16?, Bool)])
  func everyFormOfAPhoneAddressIsRead(text: String, controller: String?, product: UInt16?, staysDevice: Bool) throws {
    let address = try #require(try PhoneGadgetAddress(parsing: text))
    #expect(address.controller == controller && address.kind?.product == product && address.staysDevice == staysDevice)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "usb-gadget-phone:", "usb-gadget-phone:a/b", "usb-gadget-phone@", "usb-gadget-phone@05ac", "usb-gadget-phones",
    "usb-gadget-phone@05ac:12a8:serial", "usb-gadget-phone:..", "usb-gadget-phone+switch",
  ])
  func anAddressWithAPathIsRejected(text: String) {
    #expect(throws: PhoneGadgetAddress.Problem(text: text)) { try PhoneGadgetAddress(parsing: text) }
  }
}

@Suite struct ReportFunctionTests {
  /// Descriptors written by hand from linux/usb/functionfs.h and HID 1.11, section 6.2.1.
  private static let interface: [UInt8] = [
    9, 4, 0, 0, 1, 3, 0, 0, 1, 9, 0x21, 0x11, 0x01, 0, 1, 0x22, 208, 0, 7, 5, 0x81, 3, 64, 0, 1,
  ]

  @Test func theKernelGetsAnInterruptEndpointAndRequestsToTheDevice() {
    let requests = PhoneRequests(table: .phone, switchesRoles: true)
    // The flags are FUNCTIONFS_ALL_CTRL_RECIP and FUNCTIONFS_CONFIG0_SETUP in addition to the three speeds.
    let head: [UInt8] = [3, 0, 0, 0, 105, 0, 0, 0, 7 | 64 | 128, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 4, 0, 0, 0]
    #expect(
      ReportFunctionDescriptors.descriptors(requests)
        == head + Self.interface + Self.interface + Self.interface + [6, 0x30, 0, 0, 64, 0])
  }

  @Test func theHeadUnitFindsWhatThePhoneShows() throws {
    let configuration = Bytes.configuration(2, Self.interface)
    let found = ReportInterface.all(in: try USBConfiguration.all(in: configuration.rawBytes, from: 0))
    #expect(found.map(\.configuration) == [2] && found.first?.reportDescriptorByteCount == 208)
    #expect(found.first?.toHost.address == 0x81)
  }
}

/// Tests of the choice among a device's HID interfaces by their report descriptors.
@Suite struct ReportInterfaceChoiceTests {
  private static func interface(_ number: UInt8, byteCount: Int = 208) throws -> ReportInterface {
    var interface = USBInterface(
      number: number, alternateSetting: 0, use: .reports, nameIndex: 0,
      endpoints: [USBEndpoint(address: 0x81, kind: .interrupt, maximumPacketByteCount: 64)])
    interface.reportDescriptorByteCount = byteCount
    return try #require(ReportInterface.all(in: [USBConfiguration(number: 2, interfaces: [interface])]).first)
  }

  /// The report descriptor of a boot mouse, from HID 1.11, appendix E.10. Its reports have no id.
  private static let mouse: [UInt8] = [
    0x05, 0x01, 0x09, 0x02, 0xA1, 0x01, 0x09, 0x01, 0xA1, 0x00, 0x05, 0x09, 0x19, 0x01, 0x29, 0x03, 0x15, 0x00, 0x25,
    0x01, 0x95, 0x03, 0x75, 0x01, 0x81, 0x02, 0x95, 0x01, 0x75, 0x05, 0x81, 0x01, 0x05, 0x01, 0x09, 0x30, 0x09, 0x31,
    0x15, 0x81, 0x25, 0x7F, 0x75, 0x08, 0x95, 0x02, 0x81, 0x06, 0xC0, 0xC0,
  ]
  private static let unreadable = TransportError.system(number: 5, operation: "report descriptor")

  private struct Course: Equatable {
    var asked: [UInt8] = []
    var passedOver = 0
    var serving: UInt8?
    var failure: TransportError?
  }

  /// Runs the choice and returns its steps and its result.
  ///
  /// - Parameter answers: The report descriptors or errors by interface number.
  private static func course(
    _ interfaces: [ReportInterface], _ answers: [UInt8: Result<[UInt8], TransportError>]
  ) -> Course {
    var course = Course()
    do throws(TransportError) {
      let (interface, table) = try PhoneHost.firstServing(among: interfaces, address: "usb-phone") {
        (interface) throws(TransportError) in
        course.asked.append(interface.interface)
        guard let answer = answers[interface.interface] else { throw .closed }
        return try answer.get()
      } passOver: {
        course.passedOver += 1
      }
      #expect(table == .phone)
      course.serving = interface.interface
    } catch { course.failure = error }
    return course
  }

  @Test func anUnusableInterfaceDoesNotHideAUsableOne() throws {
    let found = Self.course(
      try (0..<4).map { try Self.interface($0) },
      [
        0: .failure(Self.unreadable), 1: .success(Self.mouse), 2: .success(HIDReportTable.phone.descriptor),
        3: .success(HIDReportTable.phone.descriptor),
      ])
    #expect(found == Course(asked: [0, 1, 2], passedOver: 1, serving: 2))
  }

  @Test func theFirstErrorIsReportedIfNoInterfaceIsUsable() throws {
    let mouse = TransportError.deviceMode(address: "usb-phone", .badReportTable(.withoutID))
    let both = [try Self.interface(0), try Self.interface(1)]
    #expect(
      Self.course(both, [0: .failure(Self.unreadable), 1: .success(Self.mouse)]).failure == Self.unreadable)
    #expect(Self.course(both, [0: .success(Self.mouse), 1: .failure(Self.unreadable)]).failure == mouse)
    #expect(Self.course([], [:]).failure == .deviceMode(address: "usb-phone", .noReportInterface))
  }

  @Test func aDisconnectedDeviceGetsNoFurtherRequests() throws {
    let gone = TransportError.unplugged(address: "usb-phone")
    #expect(
      Self.course([try Self.interface(0), try Self.interface(1)], [0: .failure(gone)])
        == Course(asked: [0], failure: gone))
  }

  /// On Linux, a control transfer of a program has at most 4096 bytes.
  @Test func aDescriptorAboveARequestsLengthIsReportedAndNotRequested() throws {
    let tooLong = TransportError.deviceMode(
      address: "usb-phone", .badReportTable(.descriptorTooLong(byteCount: 4097, limit: 4096)))
    #expect(Self.course([try Self.interface(0, byteCount: 4097)], [:]) == Course(failure: tooLong))
    #expect(
      Self.course(
        [try Self.interface(0, byteCount: 4097), try Self.interface(1, byteCount: 4096)],
        [1: .success(HIDReportTable.phone.descriptor)]) == Course(asked: [1], serving: 1))
  }
}
