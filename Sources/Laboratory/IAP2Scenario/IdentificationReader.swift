// swift-iap2 · Apache-2.0

import IAP2

/// A reader of the key `identification` of a profile.
enum IdentificationReader {
  static func identify(
    _ value: YAMLValue, _ information: inout IdentificationInformation, _ services: inout [String: Scenario.Service]
  ) throws(ScenarioProblem) {
    let fields = try value.fields([
      "name", "model", "manufacturer", "serial", "firmware", "hardware", "current", "languages", "sends", "receives",
      "protocols", "usbHost", "bluetooth",
    ])
    func text(_ key: String, _ body: (String) -> Void) throws(ScenarioProblem) {
      if let field = fields[key] { body(try field.text()) }
    }
    try text("name") { information.name = $0 }
    try text("model") { information.modelIdentifier = $0 }
    try text("manufacturer") { information.manufacturer = $0 }
    try text("serial") { information.serialNumber = $0 }
    try text("firmware") { information.firmwareVersion = $0 }
    try text("hardware") { information.hardwareVersion = $0 }
    if let current = fields["current"] {
      information.maximumCurrentDrawnFromDevice = UInt16(try current.integer(0...65_535))
    }
    if let list = fields["languages"] {
      information.supportedLanguage = []
      for language in try list.list() { information.supportedLanguage.append(try language.text()) }
      information.currentLanguage = information.supportedLanguage.first ?? "en"
    }
    if let list = fields["sends"] { information.messagesSentByAccessory = Packed(try ids(list)) }
    if let list = fields["receives"] { information.messagesReceivedFromDevice = Packed(try ids(list)) }
    if let list = fields["protocols"] {
      information.supportedExternalAccessoryProtocol = try protocols(list, &services)
    }
    if let name = fields["usbHost"] {
      var component = USBHostTransportComponent()
      component.transportComponentIdentifier = Self.component
      component.transportComponentName = try name.text()
      component.transportSupportsiAP2Connection = true
      information.usbHostTransportComponent = [component]
    }
    if let name = fields["bluetooth"] {
      var component = BluetoothTransportComponent()
      component.transportComponentIdentifier = Self.component
      component.transportComponentName = try name.text()
      component.transportSupportsiAP2Connection = true
      component.bluetoothTransportMediaAccessControlAddress = [0x02, 0, 0, 0, 0, 1]
      information.bluetoothTransportComponent = [component]
      if fields["usbHost"] == nil { information.usbHostTransportComponent = [] }
    }
  }

  /// The identifier of the only transport component.
  private static let component: UInt16 = 1

  private static func protocols(
    _ value: YAMLValue, _ services: inout [String: Scenario.Service]
  ) throws(ScenarioProblem) -> [SupportedExternalAccessoryProtocol] {
    var all: [SupportedExternalAccessoryProtocol] = []
    for (index, entry) in try value.list().enumerated() {
      let fields = try entry.fields(["id", "name", "match", "service", "native"])
      guard let name = fields["name"] else { throw entry.problem("the protocol needs a name") }
      var item = SupportedExternalAccessoryProtocol()
      item.externalAccessoryProtocolIdentifier = UInt8(try fields["id"]?.integer(0...255) ?? min(255, index + 1))
      item.externalAccessoryProtocolName = try name.text()
      item.externalAccessoryProtocolMatchAction = ExternalAccessoryProtocolMatchAction(
        rawValue: UInt8(try fields["match"]?.integer(0...255) ?? 0))
      // The native transport belongs to the USB host component. Without that component, the EA data uses the link.
      if try fields["native"]?.flag() == true { item.nativeTransportComponentIdentifier = Self.component }
      services[item.externalAccessoryProtocolName] =
        try fields["service"].map { value throws(ScenarioProblem) in try DataReader.service(value) } ?? .discard
      all.append(item)
    }
    return all
  }

  static func ids(_ value: YAMLValue) throws(ScenarioProblem) -> [UInt16] {
    var ids: [UInt16] = []
    for item in try value.list() {
      ids.append(try item.messageID())
    }
    return ids
  }
}
