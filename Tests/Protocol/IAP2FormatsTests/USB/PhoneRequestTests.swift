// swift-iap2 · Apache-2.0

import IAP2
import IAP2Formats
import Testing
import WireSupport

/// Requests of RoleSwitch.md#requests and of HID 1.11, section 7, written by hand.
@Suite struct PhoneRequestTests {
  private static func setup(_ text: String) -> USBSetup { USBSetup(reading: hex(text).rawBytes) }

  private static let phone = PhoneRequests(table: .phone, switchesRoles: true)
  private static let fixed = PhoneRequests(table: .phone, switchesRoles: false)

  @Test(
    arguments: [
      ("c053000000000400", .reply([1, 0, 0, 0])), ("c053000000000200", .reply([1, 0])),
      ("4051010000000000", .switchRole(.carPlay)), ("4051000000000000", .switchRole(.plain)),
      ("4051020000000000", .stall), ("4051010000000100", .stall),
      ("4040f401f4010000", .chargeCurrent(extraMilliamperes: 500)), ("4040000000000100", .stall),
      ("210a000000000000", .acknowledge), ("2109150200000001", .report(byteCount: 256)),
      ("2109150200000101", .stall), ("2109150300000a00", .stall), ("2109150200000000", .stall),
      ("a101010100000800", .stall), ("8106002300000001", .stall), ("c052000000000400", .stall),
    ] as [(String, PhoneRequests.Answer)])
  func aPhoneAnswersEachRequest(text: String, answer: PhoneRequests.Answer) {
    #expect(Self.phone.answer(Self.setup(text)) == answer)
  }

  @Test func aPhoneThatStaysADeviceAnswersSoAndRefuses() {
    #expect(Self.fixed.answer(Self.setup("c053000000000400")) == .reply([0, 0, 0, 0]))
    #expect(Self.fixed.answer(Self.setup("4051010000000000")) == .stall)
  }

  @Test func theReportDescriptorIsReturned() throws {
    #expect(Self.phone.answer(Self.setup("810600220000d000")) == .reply(try PhoneDescriptor.bytes()))
    #expect(Self.phone.answer(Self.setup("8106002100000900")) == .reply(hex("0921110100 0122d000")))
  }

  @Test func aHeadUnitsRequestsAreThoseOfTheTable() {
    #expect(USBSetup.roleSwitchQuery == Self.setup("c053000000000400"))
    #expect(USBSetup.roleSwitch(.carPlay) == Self.setup("4051010000000000"))
    #expect(USBSetup.chargeCurrent(extraMilliamperes: 500) == Self.setup("4040f401f4010000"))
    #expect(USBSetup.reportDescriptor(interface: 2, byteCount: 208) == Self.setup("810600220200d000"))
    #expect(USBSetup.report(id: 0x15, interface: 2, byteCount: 256) == Self.setup("2109150202000001"))
  }
}

@Suite struct ReportInterfaceTests {
  private static func all(_ text: String) throws -> [ReportInterface] {
    ReportInterface.all(in: try USBConfiguration.all(in: hex(text).rawBytes, from: 0))
  }

  /// A PTP configuration and, as configuration 2, a HID interface with interrupt IN 83 (USB.md#phone-configuration-2).
  private static let ptp = "0902120001010080fa 090400000006010100"
  private static let reports = "0902220001020080fa 090402000103000000 092111010001 22d000 0705830340 0001"

  @Test func theInterfaceOfConfiguration2IsFound() throws {
    let found = try Self.all(Self.ptp + Self.reports)
    #expect(found.count == 1)
    let interface = try #require(found.first)
    #expect(interface.configuration == 2 && interface.interface == 2 && interface.reportDescriptorByteCount == 208)
    #expect(interface.toHost == USBEndpoint(address: 0x83, kind: .interrupt, maximumPacketByteCount: 64))
  }

  @Test func configuration2ComesFirst() throws {
    let other = Self.reports.replacing("0902220001020080fa", with: "0902220001010080fa")
    #expect(try Self.all(other + Self.reports).map(\.configuration) == [2, 1])
  }

  @Test(
    "An interface is none of a phone's: no report descriptor, no interrupt IN, another class, packets of nothing",
    arguments: [
      ("092111010001 22d000", ""), ("83034000", "83024000"), ("09040200010300", "09040200010800"),
      ("8303400001", "8303000001"),
    ])
  func unsuitableInterfacesAreSkipped(text: String, replacement: String) throws {
    let whole = Self.reports.replacing(" ", with: "")
    var changed = whole.replacing(text.replacing(" ", with: ""), with: replacement)
    #expect(changed != whole)
    if replacement.isEmpty { changed = changed.replacing("09022200", with: "09021900") }
    #expect(try Self.all(changed).isEmpty)
  }
}
