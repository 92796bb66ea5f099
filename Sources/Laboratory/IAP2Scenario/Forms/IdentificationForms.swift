// swift-iap2 · Apache-2.0

import Basics
import IAP2
import IAP2Roles
import YAMLForms

/// The identification of an accessory.
enum IdentificationForms {
  /// A change of a head unit, and of the services of its EA protocols by name.
  typealias Change = @Sendable (inout HeadUnitProfile, inout [String: Scenario.Service]) -> Void

  /// The identifier of the only transport component.
  private static let component: UInt16 = 1

  private static func usbHost(_ name: String) -> USBHostTransportComponent {
    var component = USBHostTransportComponent()
    component.transportComponentIdentifier = Self.component
    component.transportComponentName = name
    component.transportSupportsiAP2Connection = true
    return component
  }

  private static func bluetooth(_ name: String) -> BluetoothTransportComponent {
    var component = BluetoothTransportComponent()
    component.transportComponentIdentifier = Self.component
    component.transportComponentName = name
    component.transportSupportsiAP2Connection = true
    component.bluetoothTransportMediaAccessControlAddress = [0x02, 0, 0, 0, 0, 1]
    return component
  }

  /// An EA protocol with its service; nil for an identifier that the place in the list gives.
  private typealias Served = (entry: @Sendable (Int) -> SupportedExternalAccessoryProtocol, service: Scenario.Service)

  private static let protocols = Form<[Served]>.list(
    Form<Served>.keys(
      .optional("id", .integer(0...255)), .required("name", .text), .key("match", .integer(0...255), or: 0),
      .key("service", DataForms.service, or: .discard), .key("native", .flag, or: false)
    ) { _, id, name, match, service, isNative in
      let entry: @Sendable (Int) -> SupportedExternalAccessoryProtocol = { index in
        var entry = SupportedExternalAccessoryProtocol()
        entry.externalAccessoryProtocolIdentifier = UInt8(id ?? min(255, index + 1))
        entry.externalAccessoryProtocolName = name
        entry.externalAccessoryProtocolMatchAction = ExternalAccessoryProtocolMatchAction(rawValue: UInt8(match))
        // The native transport belongs to the USB host component. Without that component, the EA data uses the link.
        if isNative { entry.nativeTransportComponentIdentifier = component }
        return entry
      }
      return (entry, service)
    })

  private static let messages = Form<[UInt16]>.list(MessageForms.id)

  /// A key whose value goes into a text of the identification.
  private static func text(
    _ name: String, _ summary: String, _ path: any WritableKeyPath<IdentificationInformation, String> & Sendable
  ) -> Verb<Change> {
    Verb(name, summary, .text) { text in { accessory, _ in accessory.identification[keyPath: path] = text } }
  }

  private static let texts: [Verb<Change>] = [
    text("name", "The name.", \.name), text("model", "The identifier of the model.", \.modelIdentifier),
    text("manufacturer", "The maker.", \.manufacturer), text("serial", "The serial number.", \.serialNumber),
    text("firmware", "The version of the firmware.", \.firmwareVersion),
    text("hardware", "The version of the hardware.", \.hardwareVersion),
  ]

  private static let others: [Verb<Change>] = [
    Verb("current", "The current that it takes from the phone in mA.", .integer(0...65_535)) { current in
      { accessory, _ in accessory.identification.maximumCurrentDrawnFromDevice = UInt16(current) }
    },
    Verb("languages", "The languages, the current one first.", .list(.text)) { languages in
      { accessory, _ in
        accessory.identification.supportedLanguage = languages
        accessory.identification.currentLanguage = languages.first ?? "en"
      }
    },
    Verb("sends", "The messages that it sends.", messages) { ids in
      { accessory, _ in accessory.identification.messagesSentByAccessory = Packed(ids) }
    },
    Verb("receives", "The messages that it receives.", messages) { ids in
      { accessory, _ in accessory.identification.messagesReceivedFromDevice = Packed(ids) }
    },
    Verb("protocols", "The EA protocols.", protocols) { protocols in
      { accessory, services in
        let entries = protocols.enumerated().map { index, one in one.entry(index) }
        accessory.identification.supportedExternalAccessoryProtocol = entries
        for (entry, one) in zip(entries, protocols) { services[entry.externalAccessoryProtocolName] = one.service }
      }
    },
    // An accessory with a name for Bluetooth alone has no USB host component, so this key comes first.
    Verb("bluetooth", "The name of its Bluetooth component.", .text) { name in
      { accessory, _ in
        accessory.identification.bluetoothTransportComponent = [bluetooth(name)]
        accessory.identification.usbHostTransportComponent = []
      }
    },
    Verb("usbHost", "The name of its USB host component.", .text) { name in
      { accessory, _ in accessory.identification.usbHostTransportComponent = [usbHost(name)] }
    },
  ]

  /// The keys of an identification; their changes apply in the order of the keys.
  static let identification = Form.any(of: texts + others)
}
