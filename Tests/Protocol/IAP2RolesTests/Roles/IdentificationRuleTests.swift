// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import Testing
import WireSupport

@Suite struct IdentificationRuleTests {
  static let good = HeadUnitProfile.standard(protocols: ["com.example.one", "com.example.two"], features: .all)
    .identification

  /// A text is `"name" 00`. Without the NUL a phone may refuse it.
  @Test func aTextWithoutItsNULIsFoundAlsoInAGroup() throws {
    let whole = try Self.good.encoded()
    #expect(IdentificationCheck.textsWithoutNUL(in: whole).isEmpty)
    let name = parameter(0, Array("Radio".utf8))
    let component = parameter(10, parameter(0, [1]) + parameter(1, Array("com.example".utf8)) + parameter(2, [1]))
    let found = IdentificationCheck.textsWithoutNUL(in: controlMessage(0x1D01, name + component))
    #expect(found.map(\.parameter) == [0, 1] && found.map(\.group) == [nil, 10])
    // Bytes that are no parameters are an error of the reader.
    #expect(IdentificationCheck.textsWithoutNUL(in: controlMessage(0x1D01, [0, 1])).isEmpty)
  }

  @Test func everyRuleSaysHowToFollowIt() {
    for rule in IdentificationRule.all { #expect(rule.repair.hasSuffix("."), "\(rule.id)") }
  }

  /// Changes with the rule that each one breaks and the parameters that the rule names.
  static let breaks:
    [(rule: String, parameters: [UInt16], change: @Sendable (inout IdentificationInformation) -> Void)] = [
      ("no-implied-messages", [6], { $0.messagesSentByAccessory.elements.append(0xAA01) }),
      ("no-implied-messages", [7], { $0.messagesReceivedFromDevice.elements.append(0x1D00) }),
      ("location-component", [6, 7], { $0.locationInformationComponent = nil }),
      ("vehicle-status-component", [6, 7], { $0.vehicleStatusComponent = nil }),
      ("route-guidance-component", [6, 7], { $0.routeGuidanceDisplayComponent = [] }),
      ("wireless-carplay-component", [6, 7], { $0.wirelessCarPlayTransportComponent = nil }),
      ("ea-protocol-component", [6, 7], { $0.supportedExternalAccessoryProtocol = [] }),
      ("hid-component", [6, 7], { $0.iAP2HIDComponent = [] }),
      ("usb-audio-component", [6, 7], { $0.usbDeviceTransportComponent = [] }),
      ("bluetooth-connection-component", [6, 7], { $0.bluetoothTransportComponent = [] }),
      (
        "power-needs-usb", [6],
        {
          $0.usbHostTransportComponent = []
          $0.usbDeviceTransportComponent = []
        }
      ),
      ("power-source-capability", [6, 8], { $0.powerProvidingCapability = .none }),
      (
        "bluetooth-address", [17],
        {
          $0.bluetoothTransportComponent[0].bluetoothTransportMediaAccessControlAddress = Blob(
            Array("02:00:00:00:00:01".utf8))
        }
      ),
      (
        "wireless-messages", [6],
        {
          $0.usbHostTransportComponent = []
          $0.usbDeviceTransportComponent = []
        }
      ),
      ("wireless-needs-bluetooth", [24], { $0.bluetoothTransportComponent = [] }),
      ("ea-status", [6], { $0.messagesSentByAccessory.elements.removeAll { $0 == 0xEA03 } }),
      (
        "component-contents", [22],
        {
          var component = LocationInformationComponent()
          component.componentName = "Location"
          $0.locationInformationComponent = component
        }
      ),
      ("start-with-stop", [6], { $0.messagesSentByAccessory.elements.removeAll { $0 == 0x5002 } }),
      ("start-with-stop", [7], { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0xA102 } }),
      ("update-with-start", [7], { $0.messagesSentByAccessory.elements.removeAll { $0 == 0x4154 || $0 == 0x4156 } }),
      ("update-with-start", [6], { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0xFFFA } }),
      ("update-with-start", [6], { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0xA100 } }),
      ("answer-with-question", [7], { $0.messagesSentByAccessory.elements.removeAll { $0 == 0x5700 } }),
      ("answer-with-question", [6], { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0x5702 } }),
      ("identification-name", [0], { $0.name = "" }),
      ("identification-name", [0], { $0.name = " " }),
      (
        "ea-protocols", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolIdentifier = 1 }
      ),
      ("ea-protocols", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "" }),
      (
        "ea-distinct-names", [10],
        { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "com.example.one" }
      ),
      (
        "native-transport", [10],
        { $0.supportedExternalAccessoryProtocol[0].nativeTransportComponentIdentifier = 99 }
      ),
      (
        "ea-match-action", [10],
        { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolMatchAction = .noCommunicationProtocol }
      ),
      ("ea-names", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "echo" }),
      ("ea-names", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "..." }),
      ("ea-names", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = " . . " }),
      ("ea-names", [10], { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "com.example." }),
      ("ea-listed", [7], { $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0xEA01 } }),
      ("language-supported", [12, 13], { $0.currentLanguage = "xx" }),
      ("direction", [6], { $0.messagesSentByAccessory.elements.append(0xAE01) }),
      ("known-messages", [7], { $0.messagesReceivedFromDevice.elements.append(0xFE77) }),
      ("no-repeats", [6], { $0.messagesSentByAccessory.elements.append(0xAE03) }),
      (
        "transport", [14, 15, 16, 17, 24],
        {
          $0.usbHostTransportComponent[0].transportSupportsiAP2Connection = false
          $0.usbDeviceTransportComponent[0].transportSupportsiAP2Connection = false
          $0.bluetoothTransportComponent[0].transportSupportsiAP2Connection = false
          $0.wirelessCarPlayTransportComponent?.transportSupportsiAP2Connection = false
        }
      ),
      (
        "carplay-transport", [6, 16, 24],
        {
          $0.wirelessCarPlayTransportComponent = nil
          $0.usbHostTransportComponent[0].transportSupportsCarPlay = false
        }
      ),
    ]

  /// Changes with a rule that each one concerns but does not break.
  static let keeps: [(rule: String, change: @Sendable (inout IdentificationInformation) -> Void)] = [
    (
      "wireless-messages",
      {
        $0.usbHostTransportComponent = []
        $0.usbDeviceTransportComponent = []
        $0.wirelessCarPlayTransportComponent = nil
      }
    ),
    ("wireless-messages", { $0.usbHostTransportComponent = [] }),
    (
      "usb-audio-component",
      {
        $0.usbDeviceTransportComponent = []
        $0.messagesSentByAccessory.elements.removeAll { $0 >> 8 == 0xDA }
        $0.messagesReceivedFromDevice.elements.removeAll { $0 >> 8 == 0xDA }
      }
    ),
    (
      "bluetooth-connection-component",
      {
        $0.bluetoothTransportComponent = []
        $0.messagesSentByAccessory.elements.removeAll { $0 >> 8 == 0x4E }
        $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0x4E04 }
      }
    ),
    (
      "answer-with-question",
      {
        $0.messagesSentByAccessory.elements.removeAll { $0 == 0x5700 }
        $0.messagesReceivedFromDevice.elements.removeAll { $0 == 0x5701 }
      }
    ),
    ("update-with-start", { $0.messagesSentByAccessory.elements.removeAll { $0 == 0xFFFB || $0 == 0xA101 } }),
    ("ea-match-action", { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolMatchAction = .noAlert }),
    ("ea-names", { $0.supportedExternalAccessoryProtocol[1].externalAccessoryProtocolName = "BOYA.DeviceLink.com" }),
    ("identification-name", { $0.name = "x" }),
  ]

  @Test(arguments: keeps.indices) func eachRuleIgnoresUnrelatedParameters(index: Int) {
    let (rule, change) = Self.keeps[index]
    var changed = Self.good
    change(&changed)
    #expect(!IdentificationRule.findings(in: changed).contains { $0.rule.id == rule }, "\(rule)")
  }

  @Test func aWholeHeadUnitBreaksNoRule() {
    #expect(IdentificationRule.findings(in: Self.good).map(\.rule.id) == [])
  }

  @Test(arguments: breaks.indices) func eachRuleFindsItsBreach(index: Int) {
    let (rule, parameters, change) = Self.breaks[index]
    var changed = Self.good
    change(&changed)
    let findings = IdentificationRule.findings(in: changed).filter { $0.rule.id == rule }
    #expect(Set(findings.flatMap(\.parameters)).sorted() == parameters, "\(rule)")
  }

  @Test func everyRuleHasAnExampleAndAUniqueId() {
    #expect(Set(Self.breaks.map(\.rule)) == Set(IdentificationRule.all.map(\.id)))
    #expect(Set(IdentificationRule.all.map(\.id)).count == IdentificationRule.all.count)
    for rule in IdentificationRule.all { #expect(!rule.text.isEmpty && rule.evidence.contains(".md#"), "\(rule.id)") }
  }

  @Test(arguments: [MessageVectors.boya, MessageVectors.minimal]) func realAccessoriesAreNotRejected(
    bytes: [UInt8]
  ) throws {
    let information = try IdentificationInformation(decoding: unsafe bytes.span.bytes)
    #expect(IdentificationCheck.offendingParameters(of: information) == [])
  }
}
