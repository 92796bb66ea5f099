// swift-iap2 · Apache-2.0

import IAP2
import IAP2Capture
import IAP2Roles
import Testing
import WireSupport

@Suite struct MessageTests {
  static func decode<M: ControlMessage>(_ type: M.Type, _ bytes: [UInt8]) throws(WireError) -> M {
    try M(decoding: unsafe bytes.span.bytes)
  }

  @Test func aRealMicrophoneIdentifiesItself() throws {
    let value = try Self.decode(IdentificationInformation.self, MessageVectors.boya)
    #expect(value.name == "Microphone")
    #expect(value.modelIdentifier == "BOYA mini 2")
    #expect(value.serialNumber == "CFD7387E79")
    let accessoryProtocol = try #require(value.supportedExternalAccessoryProtocol.first)
    #expect(accessoryProtocol.externalAccessoryProtocolIdentifier == 0xB1)
    #expect(accessoryProtocol.externalAccessoryProtocolName == "BOYA.DeviceLink.com")
    #expect(value.usbHostTransportComponent.map(\.transportComponentName) == ["iAP2H"])
    #expect(value.productPlanUID != nil)
  }

  @Test(arguments: [MessageVectors.boya, MessageVectors.minimal]) func identificationsRoundTripByteForByte(
    bytes: [UInt8]
  ) throws {
    // BOYA puts parameter 34 between 3 and 4, so this checks that the order is kept.
    #expect(try Self.decode(IdentificationInformation.self, bytes).encoded() == bytes)
  }

  @Test(arguments: [MessageVectors.boya, MessageVectors.minimal]) func anIdentificationCutAnywhereIsAnError(
    bytes: [UInt8]
  ) {
    var isWhole: [Int] = []
    for count in 0..<bytes.count {
      var cut = Array(bytes[..<count])
      #expect(throws: WireError.self) { try Self.decode(IdentificationInformation.self, cut) }
      // The header states the length of the cut message.
      guard count >= 6 else { continue }
      cut[2] = UInt8(count >> 8)
      cut[3] = UInt8(count & 255)
      // A message that is cut between two parameters, after the last required one, is a valid shorter message. Any
      // other cut is an error.
      do { #expect(try Self.decode(IdentificationInformation.self, cut).encoded() == cut) } catch { continue }
      isWhole.append(count)
    }
    #expect(isWhole.count <= 2)
  }

  @Test func unknownParametersAndOrderSurvive() throws {
    let bytes = controlMessage(
      0xAE01,
      parameter(9, [1, 2, 3]) + parameter(6, [0, 80]) + parameter(500, []) + parameter(0, [9, 96]))
    let update = try Self.decode(PowerUpdate.self, bytes)
    #expect(update.batteryChargeLevel == 80 && update.maximumCurrentDrawnFromAccessory == 2400)
    #expect(try update.encoded() == bytes)
  }

  @Test func unknownEnumerationValuesSurvive() throws {
    let bytes = controlMessage(0xAE01, parameter(5, [77]))
    let update = try Self.decode(PowerUpdate.self, bytes)
    #expect(update.batteryChargingState?.rawValue == 77 && update.batteryChargingState?.name == nil)
    #expect(try update.encoded() == bytes)
  }

  @Test func repeatedParametersAreAlsoReadJoined() throws {
    // wiomoc/iap2 writes two EA protocols in one parameter 10 and two languages in one parameter 13.
    func group(_ id: UInt8, _ name: String) -> [UInt8] {
      parameter(0, [id]) + parameter(1, Array(name.utf8) + [0]) + parameter(2, [0])
    }
    let joined = parameter(10, group(1, "a.b") + group(2, "c.d"))
    let value = try Self.decode(
      IdentificationInformation.self,
      controlMessage(
        0x1D01,
        Self.required + joined + parameter(12, Array("de".utf8) + [0]) + parameter(13, Array("de\0en\0".utf8))
      ))
    #expect(value.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName) == ["a.b", "c.d"])
    #expect(value.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolIdentifier) == [1, 2])
    #expect(value.supportedLanguage == ["de", "en"])
  }

  /// Parameters 0 to 9 of an identification.
  static let required =
    (0..<6).flatMap { parameter(UInt16($0), [65, 0]) } + parameter(6, []) + parameter(7, []) + parameter(8, [0])
    + parameter(9, [0, 0])

  @Test func errorsNameParameterAndPlace() throws {
    func error(_ parameters: [UInt8]) -> WireError? {
      do {
        _ = try Self.decode(PowerUpdate.self, controlMessage(0xAE01, parameters))
        return nil
      } catch { return error }
    }
    #expect(error(parameter(6, [1])) == WireError(.wrongSize(expected: 2, found: 1), offset: 6, parameter: 6))
    #expect(
      error(parameter(6, [0, 1]) + parameter(6, [0, 2])) == WireError(.duplicate, offset: 12, parameter: 6))
    #expect(error([0, 3, 0, 0]) == WireError(.badLength(3), offset: 6, parameter: 0))
    #expect(error([0, 9, 0, 0, 1]) == WireError(.truncated, offset: 6, parameter: 0))
    #expect(
      error([UInt8](repeating: 0, count: 0) + (0..<5000).flatMap { _ in parameter(60, []) })
        == WireError(.tooManyParameters(limit: 4096), offset: 6 + 4 * 4096))
    let incomplete = controlMessage(0xEA00, parameter(0, [1]))
    #expect(throws: WireError(.missing, offset: 11, parameter: 1)) {
      try Self.decode(StartExternalAccessoryProtocolSession.self, incomplete)
    }
  }

  @Test func everyMessageListsEachOfItsPropertiesOnce() {
    func check<M: ParameterSchema>(_ type: M.Type) {
      #expect(
        Mirror(reflecting: M()).children.count == M.rows.count + 1,
        "\(type): one row a property, and the unrepresented parameters")
      #expect(Set(M.rows.map(\.id)).count == M.rows.count, "\(type): ids are distinct")
      #expect(M.rows.map(\.id) == M.rows.map(\.id).sorted() && M.rows.allSatisfy { $0.id < 64 }, "\(type): ids ascend")
    }
    check(RequestAuthenticationCertificate.self)
    check(IdentificationInformation.self)
    check(SupportedExternalAccessoryProtocol.self)
    check(USBHostTransportComponent.self)
    check(VehicleInformationComponent.self)
    check(LocationInformationComponent.self)
    check(RouteGuidanceDisplayComponent.self)
    check(PowerUpdate.self)
    check(PowerSourceUpdate.self)
    check(StartPowerUpdates.self)
    check(DeviceTimeUpdate.self)
    check(CarPlayAvailability.self)
    check(CarPlayStartSession.self)
  }

  @Test func theCatalogHasEachIdAndNameOnce() {
    #expect(Set(MessageCatalog.all.map(\.info.id)).count == MessageCatalog.all.count)
    #expect(Set(MessageCatalog.all.map(\.name)).count == MessageCatalog.all.count)
    #expect(MessageCatalog[0x1D01]?.name == "IdentificationInformation")
    #expect(MessageCatalog[name: "powerupdate"]?.info.id == 0xAE01)
    #expect(MessageCatalog[0xAE05]?.info.parametersKnown == false)
  }

  @Test func nodesKeepBytesThatAValueDoesNotRepresent() {
    let bytes = controlMessage(
      0xAE01, parameter(6, [1]) + parameter(5, [1]) + parameter(5, [9]) + parameter(77, [0xAB]))
    let (nodes, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: PowerUpdate.rows)
    #expect(nodes.map(\.id) == [6, 5, 5, 77])
    #expect(nodes[0].value == .bytes([1]))
    #expect(nodes[1].value == .enumeration(1, name: "Charging"))
    #expect(nodes[2].value == .enumeration(9, name: nil))
    #expect(nodes[3] == ParameterNode(id: 77, name: nil, type: "unknown", value: .bytes([0xAB]), offset: 21))
    #expect(errors == [WireError(.wrongSize(expected: 2, found: 1), offset: 6, parameter: 6)])
  }

  @Test func aParameterWithAWrongLengthIsShownAsItsBytes() {
    for length: [UInt8] in [[0, 64], [0, 3]] {
      let bytes = controlMessage(0xAE01, parameter(0, [9, 96]) + length + [0, 6, 0, 80, 1])
      let (nodes, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: PowerUpdate.rows)
      #expect(nodes.map(\.value) == [.unsigned(2400), .bytes([0, 80, 1])])
      #expect(nodes.last?.name == "BatteryChargeLevel")
      #expect(errors.map(\.offset) == [12])
    }
  }

  @Test func aPhoneNamesEveryParameterThatIsWrong() {
    func text(_ id: UInt16) -> [UInt8] { parameter(id, [65, 0]) }
    // Parameters 2 and 5 are missing, 3 occurs twice, and the EA protocol in 10 has no name.
    let body =
      text(0) + text(1) + text(3) + text(3) + text(4) + parameter(6, []) + parameter(7, [])
      + parameter(8, [0]) + parameter(9, [0, 0])
      + parameter(10, parameter(0, [1]) + parameter(2, [0])) + text(12) + text(13)
    var profile = PhoneProfile()
    profile.order = .identificationFirst
    var phone = PhonePolicy(profile: profile)
    _ = phone.handle(.linkUp(.standard))
    let actions = phone.handle(.message(id: 0x1D01, bytes: controlMessage(0x1D01, body)))
    let rejection = controlMessage(0x1D03, [2, 3, 5, 10].flatMap { parameter($0, []) })
    #expect(actions == [.send(rejection), .event(.identificationRejected(parameters: [2, 3, 5, 10]))])
  }

  @Test func aRejectionMayListTheMessagesThatWereWrong() throws {
    let bytes = controlMessage(0x1D03, parameter(6, [0x41, 0x54]) + parameter(7, []))
    let rejection = try IdentificationRejected(decoding: unsafe bytes.span.bytes)
    #expect(rejection.messagesSentByAccessory.ids == [0x4154] && rejection.messagesReceivedFromDevice.isSet)
    #expect(try rejection.encoded() == bytes)
    let (nodes, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: IdentificationRejected.rows)
    #expect(errors.isEmpty && nodes.map(\.value) == [.list([0x4154]), .void])
  }
}
