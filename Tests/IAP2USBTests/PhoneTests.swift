// swift-iap2 · Apache-2.0

import IAP2
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
  func everyFormIsUnderstood(
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
  func whatIsNotOfTheFormIsRefused(text: String) {
    #expect(throws: USBAddress.Problem(text: text)) { try USBPhoneAddress(parsing: text) }
  }

  @Test(arguments: ["usb", "usb:05ac:12a8", "usb-phones", "usb-gadget", ""])
  func anotherSchemeIsNotOurs(text: String) throws {
    #expect(try USBPhoneAddress(parsing: text) == nil)
  }

  @Test(
    arguments: [
      ("usb-gadget-phone", nil, nil, false), ("usb-gadget-phone:dummy_udc.0", "dummy_udc.0", nil, false),
      ("usb-gadget-phone@05ac:12a8", nil, 0x12A8, false), ("usb-gadget-phone:a.b@1209:0001+fixed", "a.b", 1, true),
      ("usb-gadget-phone+fixed", nil, nil, true),
    ] as [(String, String?, UInt16?, Bool)])
  func everyFormOfAPhonesOwnIsUnderstood(text: String, controller: String?, product: UInt16?, staysDevice: Bool) throws
  {
    let address = try #require(try PhoneGadgetAddress(parsing: text))
    #expect(address.controller == controller && address.kind?.product == product && address.staysDevice == staysDevice)
    #expect(address.description == text)
  }

  @Test(arguments: [
    "usb-gadget-phone:", "usb-gadget-phone:a/b", "usb-gadget-phone@", "usb-gadget-phone@05ac", "usb-gadget-phones",
    "usb-gadget-phone@05ac:12a8:serial", "usb-gadget-phone:..", "usb-gadget-phone+switch",
  ])
  func whatLeadsElsewhereIsRefused(text: String) {
    #expect(throws: PhoneGadgetAddress.Problem(text: text)) { try PhoneGadgetAddress(parsing: text) }
  }
}

@Suite struct ReportFunctionTests {
  /// By hand, from linux/usb/functionfs.h and HID 1.11, section 6.2.1.
  private static let interface: [UInt8] = [
    9, 4, 0, 0, 1, 3, 0, 0, 1, 9, 0x21, 0x11, 0x01, 0, 1, 0x22, 208, 0, 7, 5, 0x81, 3, 64, 0, 1,
  ]

  @Test func theKernelIsToldOfAnInterruptEndpointAndOfRequestsToTheDevice() {
    let requests = PhoneRequests(table: .phone, switchesRoles: true)
    // FUNCTIONFS_ALL_CTRL_RECIP and FUNCTIONFS_CONFIG0_SETUP beside the three speeds.
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
