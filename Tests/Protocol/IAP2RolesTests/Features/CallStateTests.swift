// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Calls and the state of the telephone on the wire (Features.md#communications).
@Suite struct CallStateTests {
  private static func identifiers(_ phone: PhoneBench) -> [String] {
    phone.policy.state.telephone.calls.map(\.identifier)
  }

  /// Features.md#call-status: 2 ringing, 4 active, 0 disconnected. The call's UUID is in every update.
  @Test func aCallIsReportedByItsIdentifierAndWhatChanged() throws {
    var phone = try PhoneBench(.calls)
    #expect(phone.receive(0x4154, parameter(0, [])).sent.isEmpty)
    let ringing = phone.change { $0.telephone.receiveCall(from: TelephoneTests.anna) }.sent
    let call = parameter(4, text(try #require(Self.identifiers(phone).first)))
    #expect(ringing == [controlMessage(0x4155, parameter(0, text("+1555001")) + parameter(2, [2]) + call)])
    #expect(phone.receive(0x415B, parameter(0, [0])).sent == [controlMessage(0x4155, parameter(2, [4]) + call)])
    #expect(phone.receive(0x415F, parameter(0, [1])).sent == [controlMessage(0x4155, parameter(2, [5]) + call)])
    #expect(phone.receive(0x415C, parameter(0, [1])).sent == [controlMessage(0x4155, parameter(2, [0]) + call)])
    #expect(phone.policy.state.telephone.calls.isEmpty)
    #expect(phone.change { $0.telephone.signal = .bars1 }.sent.isEmpty)
  }

  @Test func eachCallHasMessagesOfItsOwn() throws {
    var phone = try PhoneBench(.calls)
    phone.receive(0x4154)
    phone.change { $0.telephone.receiveCall(from: TelephoneTests.anna) }
    phone.receive(0x415B, parameter(0, [0]))
    phone.change { $0.telephone.receiveCall(from: TelephoneTests.ben) }
    let calls = Self.identifiers(phone).map { parameter(4, text($0)) }
    #expect(calls.count == 2)
    #expect(
      phone.receive(0x415B, parameter(0, [0])).sent == [
        controlMessage(0x4155, parameter(2, [5]) + calls[0]), controlMessage(0x4155, parameter(2, [4]) + calls[1]),
      ])
    // A new Start brings each call again.
    #expect(
      phone.receive(0x4154, parameter(1, [])).sent == [
        controlMessage(0x4155, parameter(1, text("Anna")) + parameter(2, [5]) + calls[0]),
        controlMessage(0x4155, parameter(1, text("Ben")) + parameter(2, [4]) + calls[1]),
      ])
    expectStops(&phone, 0x4156) { $0.telephone.swap() }
  }

  @Test func theTelephoneIsReportedByWhatChanged() throws {
    var phone = try PhoneBench(.calls)
    #expect(
      phone.receive(0x4157, parameter(0, []) + parameter(10, []) + parameter(0x50, []))
        == PolicyOutput([
          .event(.violation(.unknownAttributes(message: 0x4157, [0x50]))),
          .send(controlMessage(0x4158, parameter(0, [4]) + parameter(10, [0]))),
        ]))
    #expect(phone.change { $0.telephone.isMuted = true }.sent.isEmpty)
    #expect(
      phone.change { $0.telephone.receiveCall(from: TelephoneTests.anna) }.sent
        == [controlMessage(0x4158, parameter(10, [1]))])
    #expect(
      phone.change { $0.telephone.isAirplaneMode = true }.sent == [controlMessage(0x4158, parameter(0, [0]))])
    expectStops(&phone, 0x4159) { $0.telephone.isAirplaneMode = false }
  }

  @Test func actionsOfACarChangeTheTelephone() throws {
    var phone = try PhoneBench(.calls)
    phone.receive(0x415A, parameter(0, [0]) + parameter(1, text("+1555009")) + parameter(2, [3]))
    let call = try #require(phone.policy.state.telephone.calls.first)
    #expect(call.remote == "+1555009" && call.service == .faceTimeVideo && call.direction == .outgoing)
    phone.change { $0.telephone.answerByPeer() }
    phone.receive(0x4160, parameter(0, [1]))
    phone.receive(0x4161, parameter(0, [11]))
    #expect(phone.policy.state.telephone.isMuted && phone.policy.state.telephone.tones == [.pound])
    // A type that needs a number and has none, and a call that does not exist, change nothing.
    let before = phone.policy.state.telephone
    phone.receive(0x415A, parameter(0, [0]))
    phone.receive(0x415C, parameter(0, [0]) + parameter(1, text("nobody")))
    #expect(phone.policy.state.telephone == before)
  }

  @Test func aHeadUnitKeepsAtMost64CallsAndForgetsEndedOnes() throws {
    var car = try HeadUnitBench(.calls)
    func update(_ number: Int, _ status: UInt8) -> [UInt8] { parameter(2, [status]) + parameter(4, text("\(number)")) }
    for number in 0..<64 { #expect(car.receive(0x4155, update(number, 4)).violations.isEmpty) }
    #expect(car.receive(0x4155, update(64, 4)).violations == [.limit(StaticName("maximumCalls"), 64)])
    #expect(car.receive(0x4155, update(7, 0)).violations.isEmpty)
    #expect(car.receive(0x4155, update(64, 4)).violations.isEmpty)
    // Without the UUID an update means nothing.
    let nameless = car.receive(0x4155, parameter(2, [4]))
    #expect(nameless.features.isEmpty && nameless.violations.count == 1)
  }
}
