// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import Testing

@testable import IAP2USB

@Suite struct GadgetTests {
  @Test(arguments: [("usb-gadget", nil), ("usb-gadget:fe980000.usb", "fe980000.usb")] as [(String, String?)])
  func everyAddressFormIsRead(text: String, controller: String?) throws {
    let address = try #require(try USBGadgetAddress(parsing: text))
    #expect(address.controller == controller && address.description == text)
  }

  @Test(arguments: ["usb-gadget:", "usb-gadget:a/b", "usb-gadget:.."])
  func aNameWithAPathIsRejected(text: String) {
    #expect(throws: USBGadgetAddress.Problem(text: text)) { try USBGadgetAddress(parsing: text) }
  }

  /// The expected bytes were written by hand from the structures of linux/usb/functionfs.h.
  @Test func theKernelGetsOneBulkPairAtThreeSpeeds() {
    let full: [UInt8] = [9, 4, 0, 0, 2, 0xFF, 0xF0, 0, 1, 7, 5, 0x81, 2, 64, 0, 0, 7, 5, 0x02, 2, 64, 0, 0]
    let high: [UInt8] = [9, 4, 0, 0, 2, 0xFF, 0xF0, 0, 1, 7, 5, 0x81, 2, 0, 2, 0, 7, 5, 0x02, 2, 0, 2, 0]
    let superSpeed: [UInt8] = [
      9, 4, 0, 0, 2, 0xFF, 0xF0, 0, 1, 7, 5, 0x81, 2, 0, 4, 0, 6, 0x30, 0, 0, 0, 0, 7, 5, 0x02, 2, 0, 4, 0, 6, 0x30, 0,
      0, 0, 0,
    ]
    let head: [UInt8] = [3, 0, 0, 0, 105, 0, 0, 0, 7, 0, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 5, 0, 0, 0]
    #expect(FunctionDescriptors.link.descriptors == head + full + high + superSpeed)
    #expect(
      FunctionDescriptors.link.strings == [2, 0, 0, 0, 32, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 9, 4]
        + Array(
          "iAP Interface\0".utf8))
  }

  @Test func thePhoneFindsWhatTheHeadUnitShows() throws {
    // The descriptors of one speed are a configuration without its head.
    let high = Array(FunctionDescriptors.link.descriptors[(24 + 23)..<(24 + 46)])
    let configuration = try #require(
      try USBConfiguration.all(in: Bytes.configuration(1, high).rawBytes, from: 0).first)
    let found = try AccessoryInterfaces(configuration)
    #expect(found.link.bulk.toHost.address == 0x81 && found.link.bulk.toDevice.address == 0x02)
  }

  @Test func aNativeProtocolHasAnInterfaceOfItsOwnWithItsName() throws {
    let function = FunctionDescriptors.native("com.example.video")
    #expect(function.descriptors.count == FunctionDescriptors.link.descriptors.count)
    #expect(Array(function.descriptors[24..<33]) == [9, 4, 0, 0, 2, 0xFF, 0xF0, 1, 1])
    #expect(function.strings.suffix(18) == Array("com.example.video\0".utf8)[...])
    // The kernel numbers interfaces in the order of their functions.
    var native = Array(function.descriptors[(24 + 23)..<(24 + 46)])
    native[2] = 1
    let high = Array(FunctionDescriptors.link.descriptors[(24 + 23)..<(24 + 46)])
    let configuration = try #require(
      try USBConfiguration.all(in: Bytes.configuration(1, high, native).rawBytes, from: 0).first)
    // Both functions propose the same endpoint addresses, which the kernel changes. Without that change, the native
    // interface has the link's endpoints and is unusable.
    #expect(try AccessoryInterfaces(configuration).unusableNative == [1])
    native[11] = 0x83
    native[18] = 0x04
    let moved = try #require(
      try USBConfiguration.all(in: Bytes.configuration(1, high, native).rawBytes, from: 0).first)
    let found = try AccessoryInterfaces(moved)
    #expect(found.native.map(\.interface) == [1] && found.native.map(\.alternateSetting) == [0])
  }
}

@Suite struct GadgetEventTests {
  /// The states are readings of the controller's state after the event, with the names of Linux's `usb_state_string`.
  @Test(
    arguments: [
      (["default"], .reset), (["configured", "default"], .reset), (["suspended", "addressed"], .unconfigured),
      (["not attached"], .unplugged), (["configured", "not attached"], .unplugged), (["powered"], .unconfigured),
      (["configured"], .unconfigured), ([], .unconfigured),
    ] as [([String], GadgetEvent)])
  func theControllerStateDistinguishesAResetFromAnUnplug(states: [String], event: GadgetEvent) {
    var rest = states[...]
    #expect(GadgetEvent(.disable) { rest.count > 1 ? rest.removeFirst() : rest.first } == event)
  }

  @Test func eventsOtherThanDisableReadNoControllerState() {
    let events = [FunctionEvent.bind, .unbind, .enable, .suspend, .resume, .setup].map { event in
      GadgetEvent(event) {
        Issue.record("\(event) has asked")
        return nil
      }
    }
    #expect(events == [.bound, .unbound, .configured, .suspended, .resumed, nil])
  }
}
