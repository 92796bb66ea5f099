// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Recent calls and favorites (Features.md#call-lists).
@Suite struct CallListTests {
  private static let anna = TelephoneTests.anna
  private static let ben = TelephoneTests.ben

  private static func recent(_ contact: Contact, _ type: RecentCallType) -> RecentCall {
    RecentCall(contact: contact, type: type, time: 0, duration: 0)
  }

  private static func phone() throws -> PhoneBench {
    try PhoneBench(.callLists) {
      $0.telephone.recents = [
        Self.recent(Self.anna, .missed), Self.recent(Self.anna, .missed), Self.recent(Self.anna, .incoming),
        Self.recent(Self.ben, .outgoing),
      ]
      $0.telephone.favorites = [Self.ben, Self.anna]
    }
  }

  private static func entry(_ list: UInt16, _ index: UInt8, _ parameters: [UInt8]) -> [UInt8] {
    parameter(list, parameter(0, [0, index]) + parameters)
  }

  @Test func onlyTheRequestedListComesWithTheRequestedAttributes() throws {
    var phone = try Self.phone()
    let wanted = [0, 1, 6].flatMap { parameter($0, []) }
    let list = [(Self.anna, UInt8(3)), (Self.anna, 3), (Self.anna, 1), (Self.ben, 2)].enumerated().flatMap {
      Self.entry(1, UInt8($0.offset), parameter(1, text($0.element.0.remote)) + parameter(6, [$0.element.1]))
    }
    #expect(
      phone.receive(0x4170, parameter(1, wanted)).sent
        == [controlMessage(0x4171, parameter(0, [1]) + list + parameter(2, [0, 4]))])
  }

  @Test func callsOfOneKindInARowAreOneEntryIfAsked() throws {
    var phone = try Self.phone()
    let wanted = parameter(1, parameter(0, []) + parameter(9, [])) + parameter(3, [0, 2]) + parameter(4, [1])
    let list = Self.entry(1, 0, parameter(9, [2])) + Self.entry(1, 1, parameter(9, [1]))
    #expect(
      phone.receive(0x4170, wanted).sent
        == [controlMessage(0x4171, parameter(0, [1]) + list + parameter(2, [0, 2]))])
  }

  @Test func favoritesComeUpToTheirLimit() throws {
    var phone = try Self.phone()
    let wanted = parameter(6, parameter(0, []) + parameter(2, [])) + parameter(8, [0, 1])
    let list = parameter(5, [1]) + Self.entry(6, 0, parameter(2, text("Ben"))) + parameter(7, [0, 1])
    #expect(phone.receive(0x4170, wanted).sent == [controlMessage(0x4171, list)])
    // The removed favorite was beyond the limit that the accessory requested, so nothing is sent.
    #expect(phone.change { $0.telephone.favorites.removeLast() }.sent.isEmpty)
    let none = parameter(5, [1]) + parameter(7, [0, 0])
    #expect(phone.change { $0.telephone.favorites = [] }.sent == [controlMessage(0x4171, none)])
    expectStops(&phone, 0x4172) { $0.telephone.favorites = [Self.anna] }
  }

  @Test func nothingIsReportedWithoutAStart() throws {
    var phone = try Self.phone()
    #expect(phone.ready.sent.isEmpty && phone.change { $0.telephone.favorites = [] }.sent.isEmpty)
  }
}
