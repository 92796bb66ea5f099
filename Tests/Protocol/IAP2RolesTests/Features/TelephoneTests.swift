// swift-iap2 · Apache-2.0

import IAP2
import Testing

@testable import IAP2Roles

@Suite struct TelephoneTests {
  static let anna = Contact(remote: "+1555001", name: "Anna", label: "mobile")
  static let ben = Contact(remote: "+1555002", name: "Ben")

  /// A telephone with one active call.
  private static func talking() -> Telephone {
    var telephone = Telephone()
    telephone.time = 1000
    telephone.receiveCall(from: anna)
    telephone.accept()
    return telephone
  }

  @Test func onlyOneCallRingsAndEightExist() {
    var telephone = Telephone()
    for _ in 0..<8 {
      #expect(telephone.receiveCall(from: Self.anna) != nil)
      #expect(telephone.receiveCall(from: Self.ben) == nil)
      telephone.accept()
    }
    #expect(telephone.calls.count == 8 && telephone.calls.count { $0.status == .active } == 1)
    #expect(telephone.receiveCall(from: Self.ben) == nil && telephone.initiate(Self.ben) == nil)
    #expect(Set(telephone.calls.map(\.identifier)).count == 8)
  }

  @Test func withoutServiceNoCallIsMadeOrReceived() {
    for change: (inout Telephone) -> Void in [
      { $0.isAirplaneMode = true }, { $0.registration = .notRegistered }, { $0.registration = .denied },
    ] {
      var telephone = Telephone()
      change(&telephone)
      #expect(telephone.receiveCall(from: Self.anna) == nil && telephone.initiate(Self.anna) == nil)
      #expect(telephone.update.initiateCallAvailable == false)
    }
  }

  @Test func acceptingHoldsOrEndsTheActiveCall() {
    var telephone = Self.talking()
    telephone.receiveCall(from: Self.ben)
    telephone.accept(nil, .acceptOrHoldAndAccept)
    #expect(telephone.calls.map(\.status) == [.held, .active])
    telephone.swap()
    #expect(telephone.calls.map(\.status) == [.active, .held])
    telephone = Self.talking()
    telephone.receiveCall(from: Self.ben)
    telephone.accept(nil, .endAndAccept)
    #expect(telephone.calls.map(\.status) == [.disconnected, .active])
  }

  @Test func anUnknownCallIsNeitherAcceptedNorEnded() {
    var telephone = Self.talking()
    telephone.receiveCall(from: Self.ben)
    let before = telephone
    telephone.accept("no such call")
    telephone.end("no such call")
    telephone.hold(true, "no such call")
    #expect(telephone == before)
  }

  @Test func aConferenceOfOneIsAnOrdinaryCall() {
    var telephone = Self.talking()
    let second = telephone.receiveCall(from: Self.ben)
    telephone.accept()
    telephone.merge()
    #expect(telephone.calls.map(\.conference) == [1, 1] && telephone.calls.allSatisfy { $0.status == .active })
    telephone.end(second)
    #expect(telephone.calls.map(\.conference) == [nil, nil])
    #expect(telephone.active?.remote == Self.anna.remote)
  }

  @Test func theEndOfACallIsRemembered() {
    var telephone = Self.talking()
    telephone.time = 1090
    telephone.end()
    telephone.receiveCall(from: Self.ben)
    telephone.end()
    telephone.initiate(Self.ben)
    telephone.endByPeer(reason: .failed)
    #expect(telephone.recents.map(\.type) == [.outgoing, .missed, .incoming])
    #expect(telephone.recents.map(\.duration) == [0, 0, 90])
    #expect(telephone.calls.map(\.reason) == [.noReason, .declined, .failed])
    #expect(telephone.lastCalled == Self.ben)
  }

  @Test func theListsAreBounded() {
    var telephone = Telephone()
    for number in 0..<150 {
      telephone.receiveCall(from: Contact(remote: "\(number)", name: ""))
      telephone.end()
      telephone.forgetEnded()
    }
    #expect(telephone.recents.count == 100 && telephone.recents.first?.contact.remote == "149")
    telephone.receiveCall(from: Self.anna)
    telephone.press(.digit1)
    #expect(telephone.tones.isEmpty)
    telephone.accept()
    for _ in 0..<300 { telephone.press(.pound) }
    #expect(telephone.tones.count == 256)
    telephone.end()
    #expect(telephone.tones.isEmpty)
  }

  @Test func muteEndsWithTheCall() {
    var telephone = Self.talking()
    telephone.isMuted = true
    telephone.end()
    telephone.forgetEnded()
    #expect(!telephone.isMuted && telephone.calls.isEmpty)
  }

  /// Features.md#call-effects: 0x4158 says which actions are legal, so each one that it offers has an effect.
  @Test func offeredCallActionsHaveAnEffect() {
    var idle = Telephone()
    #expect(idle.update.initiateCallAvailable == true && idle.update.holdAvailable == false)
    #expect(idle.initiate(Self.anna) != nil)
    #expect(idle.update.initiateCallAvailable == false)
    var telephone = Self.talking()
    #expect(telephone.update.holdAvailable == true && telephone.update.swapAvailable == false)
    telephone.receiveCall(from: Self.ben)
    #expect(telephone.update.holdAndAcceptAvailable == true && telephone.update.endAndAcceptAvailable == true)
    #expect(telephone.update.initiateCallAvailable == false && telephone.update.mergeAvailable == false)
    telephone.accept()
    #expect(telephone.update.swapAvailable == true && telephone.update.mergeAvailable == true)
    #expect(telephone.update.holdAvailable == false && telephone.update.holdAndAcceptAvailable == false)
    telephone.hold(false)
    #expect(telephone.calls.map(\.status) == [.active, .held])
  }
}
