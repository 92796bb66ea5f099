// swift-iap2 · Apache-2.0

import IAP2
import Testing
import WireSupport

@testable import IAP2Roles

/// Rejected identifications: how often a head unit tries, and when a phone gives up (Identification.md#rejected).
@Suite struct IdentificationRetryTests {
  private static func rejection(_ parameters: UInt16...) -> RoleInput {
    .message(id: 0x1D03, bytes: controlMessage(0x1D03, parameters.flatMap { parameter($0, []) }))
  }

  private static func sent(_ actions: [RoleAction]) -> [UInt16] {
    actions.compactMap { if case .send(let message) = $0 { ControlHeader.id(of: message) } else { nil } }
  }

  private static func information(_ actions: [RoleAction]) throws -> IdentificationInformation {
    let message = actions.compactMap { action -> [UInt8]? in
      if case .send(let message) = action, ControlHeader.id(of: message) == 0x1D01 { message } else { nil }
    }
    let bytes = try #require(message.first)
    return try IdentificationInformation(decoding: bytes.rawBytes)
  }

  @Test func aHeadUnitRetriesOnceWithoutTheRejectedParameters() throws {
    var car = HeadUnitPolicy(profile: .standard(protocols: ["com.example.echo"], features: [.power, .location]))
    let retry = car.handle(Self.rejection(22))
    #expect(Self.sent(retry) == [0x1D01] && retry.first == .event(.identificationRejected(parameters: [22])))
    let information = try Self.information(retry)
    #expect(information.locationInformationComponent == nil)
    // The messages of the component go with it; the others stay.
    #expect(information.messagesSentByAccessory.elements == [0xAE00, 0xAE02, 0xAE03, 0xEA03])
    // Another parameter is named, and another: no second retry.
    let end = car.handle(Self.rejection(10))
    #expect(Self.sent(end) == [0x1D05] && end.last == .end(.identificationRejected))
  }

  @Test func aHeadUnitStopsRetrying() {
    var car = HeadUnitPolicy(profile: .standard(features: .all))
    var tries = 0
    while tries < 100 {
      let actions = car.handle(Self.rejection(22, 21, 30, 18))
      guard Self.sent(actions) == [0x1D01] else { break }
      tries += 1
    }
    #expect(tries == 1)
  }

  /// Identification.md#required: a rejection of these alone leaves nothing to try.
  @Test(arguments: Array(UInt16(0)...9) + [12, 13]) func aRequiredParameterIsNotLeftOut(id: UInt16) {
    var car = HeadUnitPolicy(profile: .standard(features: .power))
    let actions = car.handle(Self.rejection(id))
    #expect(Self.sent(actions) == [0x1D05] && actions.last == .end(.identificationRejected))
  }

  @Test func aRequiredParameterStaysWhenAnOptionalOneIsLeftOut() throws {
    var car = HeadUnitPolicy(profile: .standard(features: .location))
    let information = try Self.information(car.handle(Self.rejection(0, 12, 13, 22)))
    #expect(information.currentLanguage == "en" && information.supportedLanguage == ["en"] && !information.name.isEmpty)
    #expect(information.locationInformationComponent == nil)
  }

  /// HID messages need one of the components 18, 23 and 29 (Identification.md#lists).
  @Test func messagesStayWhileOneOfTheirComponentsIsLeft() throws {
    var profile = HeadUnitProfile.standard(features: .hid)
    var other = BluetoothHIDComponent()
    other.componentIdentifier = 40
    other.componentName = "Wireless remote"
    profile.identification.bluetoothHIDComponent = [other]
    var car = HeadUnitPolicy(profile: profile)
    let information = try Self.information(car.handle(Self.rejection(18)))
    #expect(information.iAP2HIDComponent.isEmpty)
    #expect(information.messagesSentByAccessory.elements == [0x6800, 0x6802, 0x6803])
    #expect(information.messagesReceivedFromDevice.elements == [0x6801, 0x6807])
  }

  /// The example of a rejection (Identification.md#rejected-example): parameter 6 alone, which is required.
  @Test func aRejectionOfParameter6AloneEndsTheConnection() {
    var car = HeadUnitPolicy(profile: .standard())
    let actions = car.handle(.message(id: 0x1D03, bytes: hex("4040000a1d0300040006")))
    #expect(actions.first == .event(.identificationRejected(parameters: [6])))
    #expect(actions.last == .end(.identificationRejected))
  }

  @Test func aPhoneGivesUpAfterThreeRejections() throws {
    var phone = PhonePolicy(profile: PhoneProfile())
    _ = phone.handle(.linkUp(.standard))
    _ = phone.handle(.message(id: 0xAA01, bytes: controlMessage(0xAA01, parameter(0, [1]))))
    _ = phone.handle(.certificateChecked(challenge: [2], reason: nil))
    _ = phone.handle(.message(id: 0xAA03, bytes: controlMessage(0xAA03, parameter(0, [3]))))
    #expect(Self.sent(phone.handle(.responseChecked(isValid: true, reason: nil))) == [0xAA05, 0x1D00])
    // Power messages without a USB component.
    var information = HeadUnitProfile.standard(features: .power).identification
    information.usbHostTransportComponent = []
    let bytes = try information.encoded()
    for number in 1...3 {
      let actions = phone.handle(.message(id: 0x1D01, bytes: bytes))
      #expect(Self.sent(actions) == [0x1D03])
      #expect(actions.contains(.end(.identificationRejected)) == (number == 3), "rejection \(number)")
    }
  }

  @Test func aPhoneThatIdentifiesFirstWaitsForAuthentication() throws {
    var profile = PhoneProfile()
    profile.order = .identificationFirst
    var phone = PhonePolicy(profile: profile)
    #expect(Self.sent(phone.handle(.linkUp(.standard))) == [0x1D00])
    let accepted = phone.handle(.message(id: 0x1D01, bytes: MessageVectors.boya))
    #expect(Self.sent(accepted) == [0x1D02, 0xAA00] && !phone.isReady)
    // Nothing of an accessory that has not authenticated is answered.
    let early = phone.handle(.message(id: 0xAE00, bytes: controlMessage(0xAE00, parameter(6, []))))
    #expect(early == [.event(.violation(.outOfTurn(0xAE00)))])
    _ = phone.handle(.message(id: 0xAA01, bytes: controlMessage(0xAA01, parameter(0, [1]))))
    _ = phone.handle(.certificateChecked(challenge: [2], reason: nil))
    _ = phone.handle(.message(id: 0xAA03, bytes: controlMessage(0xAA03, parameter(0, [3]))))
    _ = phone.handle(.responseChecked(isValid: true, reason: nil))
    #expect(phone.isReady)
  }
}
