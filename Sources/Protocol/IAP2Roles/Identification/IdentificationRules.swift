// swift-iap2 · Apache-2.0

public import IAP2

/// A rule that an identification should follow, with its evidence.
public struct IdentificationRule: Sendable {
  /// The consequence of a breach.
  public enum Severity: String, Sendable {
    /// `reject`: the phone of this project rejects the identification. `warn`: the breach is only reported.
    case reject, warn
  }

  /// The id of the rule. It is stable, because scripts use it.
  public let id: String
  /// The consequence of a breach of the rule.
  public let severity: Severity
  /// A breach of the rule as one sentence: what is wrong.
  public let text: String
  /// The change that follows the rule, as one sentence.
  package let repair: String
  /// The fact in `Documentation/Protocol`, as page and anchor, with its sources and their confidence.
  package let evidence: String
  let check: @Sendable (IdentificationInformation) -> [Breach]

  /// A breach of a rule: the top-level parameters at fault, and the messages that it concerns.
  struct Breach: Sendable, Equatable {
    var parameters: Set<UInt16>
    var messages: [UInt16] = []
    var detail = ""
  }
}

/// A breach of a rule that was found in an identification.
public struct IdentificationFinding: Sendable {
  /// The rule that is broken.
  public let rule: IdentificationRule
  /// The ids of the top-level parameters at fault, ascending.
  public let parameters: [UInt16]
  /// The ids of the messages that the breach concerns; empty if it concerns no message.
  public let messages: [UInt16]
  /// The text that distinguishes several breaches of one rule, such as the name of an EA protocol; empty if there is
  /// none.
  public let detail: String
}

extension IdentificationRule {
  /// Returns the breaches in the order of the rules.
  public static func findings(in information: IdentificationInformation) -> [IdentificationFinding] {
    all.flatMap { rule in
      rule.check(information).map {
        IdentificationFinding(
          rule: rule, parameters: $0.parameters.sorted(), messages: $0.messages, detail: $0.detail)
      }
    }
  }

  /// A subscription with its Start message, whose sender is the subscriber.
  struct Subscription: Sendable {
    var start: UInt16
    var stop: UInt16
    var updates: [UInt16]
  }

  /// The subscriptions of the accessory. Parameter 6 lists Start and Stop, parameter 7 the updates.
  static let subscriptions = subscriptions(of: .accessory)

  /// The subscriptions of the device. Parameter 7 lists Start and Stop, parameter 6 the updates.
  static let deviceSubscriptions = subscriptions(of: .device)

  private static func subscriptions(of subscriber: Side) -> [Subscription] {
    MessageCatalog.all.compactMap { entry in
      guard entry.info.sender == subscriber, let subscription = entry.info.subscription else { return nil }
      return Subscription(start: entry.info.id, stop: subscription.stop, updates: subscription.updates)
    }
  }

  /// The Start messages of the accessory.
  package static let starts: Set<UInt16> = Set(subscriptions.map(\.start))

  /// All rules.
  public static let all: [IdentificationRule] = components.map(component) + rest

  /// The messages that need one of some components.
  static let components: [Component] = [
    Component(
      id: "location-component",
      messages: [
        GPRMCDataStatusValuesNotification.id, StartLocationInformation.id, LocationInformation.id,
        StopLocationInformation.id,
      ], anyOf: [22],
      text: "Location messages are listed without component 22."),
    Component(
      id: "vehicle-status-component",
      messages: [StartVehicleStatusUpdates.id, VehicleStatusUpdate.id, StopVehicleStatusUpdates.id], anyOf: [21],
      text: "Vehicle status messages are listed without component 21."),
    Component(
      id: "route-guidance-component",
      messages: [
        StartRouteGuidanceUpdates.id, RouteGuidanceUpdate.id, RouteGuidanceManeuverUpdate.id,
        StopRouteGuidanceUpdates.id, LaneGuidanceInformation.id,
      ], anyOf: [30],
      text: "Route guidance messages are listed without component 30."),
    Component(
      id: "wireless-carplay-component",
      messages: [RequestAccessoryWiFiConfigurationInformation.id, AccessoryWiFiConfigurationInformation.id],
      anyOf: [24],
      text: "5702 or 5703 is listed without component 24."),
    Component(
      id: "ea-protocol-component",
      messages: [
        StartExternalAccessoryProtocolSession.id, StopExternalAccessoryProtocolSession.id,
        StatusExternalAccessoryProtocolSession.id,
      ], anyOf: [10],
      text: "EA messages are listed without a protocol in 10."),
    Component(
      id: "hid-component", messages: Set(StartHID.id...HIDComponentUpdate.id), anyOf: [18, 23, 29],
      text: "HID messages are listed without component 18, 23 or 29."),
    Component(
      id: "usb-audio-component",
      messages: [StartUSBDeviceModeAudio.id, USBDeviceModeAudioInformation.id, StopUSBDeviceModeAudio.id], anyOf: [15],
      text: "Messages of USB device mode audio are listed without component 15, which has the sample rates.",
      evidence: "Identification.md#audio-component: CAT (medium); that a phone requires it is inferred (low)"),
    Component(
      id: "bluetooth-connection-component",
      messages: [StartBluetoothConnectionUpdates.id, BluetoothConnectionUpdate.id, StopBluetoothConnectionUpdates.id],
      anyOf: [17],
      text: "Bluetooth connection updates are listed without component 17.",
      evidence:
        "Identification.md#bluetooth-connection-component: 4E03 names it (medium); that a phone requires it is inferred (low)"
    ),
  ]

  struct Component: Sendable {
    var id: String
    var messages: Set<UInt16>
    var anyOf: Set<UInt16>
    var text: String
    var evidence = "Identification.md#component-messages: CAT, LIVI, BRIDGE (medium)"
  }

  /// The messages that are sent only as an answer, with the question.
  static let answers: [(question: MessageInfo, answer: MessageInfo)] = [
    (RequestWiFiInformation.info, WiFiInformation.info),
    (RequestAccessoryWiFiConfigurationInformation.info, AccessoryWiFiConfigurationInformation.info),
  ]

  private static let rest: [IdentificationRule] = [
    IdentificationRule(
      id: "no-implied-messages", severity: .reject,
      text: "Messages of authentication or identification (AAxx, 1Dxx) are listed.",
      repair: "Remove these messages from the list: they are allowed without it.",
      evidence:
        "Identification.md#no-implied-messages: BRIDGE reports rejection; one variant of XCERT lists them (medium)",
      check: { information in
        information.lists.compactMap { id, messages, _ in
          let implied = messages.filter(ControlHeader.isImplied)
          return implied.isEmpty ? nil : Breach(parameters: [id], messages: implied)
        }
      }),
    IdentificationRule(
      id: "power-needs-usb", severity: .reject,
      text: "Power messages are listed without a USB transport component (15 or 16).",
      repair: "Add a USB transport component (15 or 16), or remove these messages from 6.",
      evidence: "Identification.md#power-usb: CAT (medium)",
      check: { information in
        let power = information.sent.filter { $0 >> 8 == 0xAE }
        let hasUSB = !information.usbHostTransportComponent.isEmpty || !information.usbDeviceTransportComponent.isEmpty
        return power.isEmpty || hasUSB ? [] : [Breach(parameters: [6], messages: power)]
      }),
    IdentificationRule(
      id: "power-source-capability", severity: .reject,
      text: "PowerSourceUpdate (AE03) is listed by an accessory that provides no power.",
      repair: "Set parameter 8 to the power that the accessory provides, such as 2, or remove 0xAE03 from 6.",
      evidence: "Identification.md#power-capability-needed: LIVI and CAT (medium)",
      check: { information in
        information.sent.contains(PowerSourceUpdate.id) && information.powerProvidingCapability == .none
          ? [Breach(parameters: [6, 8], messages: [PowerSourceUpdate.id])] : []
      }),
    IdentificationRule(
      id: "bluetooth-address", severity: .warn,
      text: "The address of a Bluetooth component (17) does not have six bytes.",
      repair: "Write the address as six bytes, not as text: parameter 3 of component 17.",
      evidence: "Identification.md#bluetooth-address: a blob of 6 bytes (high); that a phone insists is inferred (low)",
      check: { information in
        information.bluetoothTransportComponent.map(\.bluetoothTransportMediaAccessControlAddress.bytes.count)
          .filter { $0 != 6 }.map { Breach(parameters: [17], detail: "\($0) bytes") }
      }),
    IdentificationRule(
      id: "wireless-needs-bluetooth", severity: .warn,
      text: "Wireless CarPlay (24) starts over Bluetooth, and no Bluetooth component (17) is there.",
      repair: "Add a Bluetooth transport component (17).",
      evidence:
        "Identification.md#wireless-needs-bluetooth: WIO and LIVI have both (medium);"
        + " that a phone rejects this: reported, source withdrawn (unverified)",
      check: { information in
        information.wirelessCarPlayTransportComponent != nil && information.bluetoothTransportComponent.isEmpty
          ? [Breach(parameters: [24])] : []
      }),
    IdentificationRule(
      id: "wireless-messages", severity: .warn,
      text: "Wireless CarPlay (24) without USB lists now playing or route guidance, which the CarPlay session carries.",
      repair: "Remove these messages from 6, or add a USB transport component (15 or 16).",
      evidence:
        "Identification.md#wireless-messages: that a phone rejects 5000 or 5200 in 6: reported, source withdrawn"
        + " (unverified); LIVI lists both (medium)",
      check: { information in
        let hasUSB = !information.usbHostTransportComponent.isEmpty || !information.usbDeviceTransportComponent.isEmpty
        guard information.wirelessCarPlayTransportComponent != nil, !hasUSB else { return [] }
        let early = information.sent.filter { $0 == StartNowPlayingUpdates.id || $0 == StartRouteGuidanceUpdates.id }
        return early.isEmpty ? [] : [Breach(parameters: [6], messages: early)]
      }),
    IdentificationRule(
      id: "start-with-stop", severity: .warn, text: "A Start is listed without its Stop.",
      repair: "Add the Stop of each of these messages to the same list, or remove the Start.",
      evidence:
        "Identification.md#start-with-stop: LIVI, BRIDGE and BOYA list both (medium);"
        + " that a phone rejects this: reported, source withdrawn (unverified)",
      check: { information in
        unmatched(subscriptions, in: information.sent, 6)
          + unmatched(deviceSubscriptions, in: information.received, 7)
      }),
    IdentificationRule(
      id: "update-with-start", severity: .warn, text: "An update is listed without its Start.",
      repair: "Add the Start of these updates to the list of its sender, or remove the updates.",
      evidence:
        "Identification.md#update-with-start: LIVI, BRIDGE and BOYA list both (medium);"
        + " that a phone rejects this: reported, source withdrawn (unverified); inferred for what the device starts (low)",
      check: { information in
        unstarted(subscriptions, startedIn: information.sent, updatesIn: information.received, 7)
          + unstarted(deviceSubscriptions, startedIn: information.received, updatesIn: information.sent, 6)
      }),
    IdentificationRule(
      id: "answer-with-question", severity: .warn, text: "An answer is listed without its request.",
      repair: "Add the request to the other list, or remove the answer.",
      evidence: "Identification.md#answer-with-question: inferred (low)",
      check: { information in
        answers.compactMap { question, answer in
          let lists = information.lists
          guard let given = lists.first(where: { $0.sender == answer.sender && $0.messages.contains(answer.id) }),
            !lists.contains(where: { $0.sender == question.sender && $0.messages.contains(question.id) })
          else { return nil }
          return Breach(parameters: [given.parameter], messages: [answer.id])
        }
      }),
    IdentificationRule(
      id: "identification-name", severity: .warn, text: "The accessory has no name for the phone to show.",
      repair: "Write a name by which the user recognizes the accessory.",
      evidence: "Identification.md#name-present: every known identification has one (low)",
      check: { information in
        information.name.allSatisfy(\.isWhitespace) ? [Breach(parameters: [0])] : []
      }),
    IdentificationRule(
      id: "ea-protocols", severity: .reject, text: "Two EA protocols have the same identifier, or one has no name.",
      repair: "Give each EA protocol an identifier of its own and a name.",
      evidence: "Identification.md#ea-distinct: CAT, WIO (medium)",
      check: { information in
        let protocols = information.supportedExternalAccessoryProtocol
        var seen: Set<UInt8> = []
        let twice = protocols.map(\.externalAccessoryProtocolIdentifier).first { !seen.insert($0).inserted }
        let hasNames = protocols.allSatisfy { !$0.externalAccessoryProtocolName.isEmpty }
        if let twice { return [Breach(parameters: [10], detail: "identifier \(twice) twice")] }
        return hasNames ? [] : [Breach(parameters: [10], detail: "no name")]
      }),
    IdentificationRule(
      id: "ea-distinct-names", severity: .reject, text: "Two EA protocols have the same name.",
      repair: "Remove or rename one of the EA protocols of this name.",
      evidence:
        "Identification.md#ea-distinct: an app opens a protocol by its name (high); inferred from that (low)",
      check: { information in
        var seen: Set<String> = []
        let again = information.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
          .filter { !$0.isEmpty && !seen.insert($0).inserted }
        return Set(again).sorted().map { Breach(parameters: [10], detail: $0) }
      }),
    IdentificationRule(
      id: "native-transport", severity: .warn,
      text: "An EA protocol with native transport does not name a USB host transport component (16).",
      repair: "Write the identifier of a component 16 in parameter 3 of the protocol, or leave the parameter out.",
      evidence: "Identification.md#native-component (medium); that a phone requires the component is inferred (low)",
      check: { information in
        let known = Set(information.usbHostTransportComponent.map(\.transportComponentIdentifier))
        return information.supportedExternalAccessoryProtocol.compactMap { entry in
          guard let component = entry.nativeTransportComponentIdentifier, !known.contains(component) else { return nil }
          return Breach(parameters: [10], detail: "\(entry.externalAccessoryProtocolName): component \(component)")
        }
      }),
    IdentificationRule(
      id: "ea-match-action", severity: .warn, text: "The match action of an EA protocol is none of 0, 1 and 2.",
      repair: "Use 0 (none), 1 (ask the user) or 2 (in the settings).",
      evidence: "Identification.md#match-action: 3 (CAT) and 4 (LIVI) both stand for no communication (unverified)",
      check: { information in
        information.supportedExternalAccessoryProtocol
          .filter { $0.externalAccessoryProtocolMatchAction.rawValue > 2 }
          .map {
            Breach(
              parameters: [10],
              detail: "\($0.externalAccessoryProtocolName): \($0.externalAccessoryProtocolMatchAction.rawValue)")
          }
      }),
    IdentificationRule(
      id: "ea-names", severity: .warn, text: "The name of an EA protocol has fewer than three parts, or an empty one.",
      repair: "Name the protocol after a domain of its owner, such as com.example.protocol.",
      evidence:
        "Identification.md#ea-name-form: BOYA's BOYA.DeviceLink.com shows that a phone does not require it (medium)",
      check: { information in
        information.supportedExternalAccessoryProtocol.map(\.externalAccessoryProtocolName)
          .filter { name in
            let parts = name.split(separator: ".", omittingEmptySubsequences: false)
            return !name.isEmpty && (parts.count < 3 || parts.contains { $0.allSatisfy(\.isWhitespace) })
          }
          .map { Breach(parameters: [10], detail: $0) }
      }),
    IdentificationRule(
      id: "ea-listed", severity: .warn,
      text: "EA00 or EA01 is missing in 7, so a session of an EA protocol cannot be opened or closed.",
      repair: "Add 0xEA00 and 0xEA01 to 7.",
      evidence: "ExternalAccessory.md#opening (high)",
      check: { information in
        guard !information.supportedExternalAccessoryProtocol.isEmpty else { return [] }
        let missing = [StartExternalAccessoryProtocolSession.id, StopExternalAccessoryProtocolSession.id].filter {
          !information.received.contains($0)
        }
        return missing.isEmpty ? [] : [Breach(parameters: [7], messages: missing)]
      }),
    IdentificationRule(
      id: "ea-status", severity: .warn,
      text: "EA03 is missing in 6, so the accessory cannot confirm that a session of an EA protocol is open.",
      repair: "Add 0xEA03 to 6, and send it as the answer to 0xEA00.",
      evidence:
        "ExternalAccessory.md#opening-without-status: some accessories do not list it, and a session opens (medium)",
      check: { information in
        !information.supportedExternalAccessoryProtocol.isEmpty
          && !information.sent.contains(StatusExternalAccessoryProtocolSession.id)
          ? [Breach(parameters: [6], messages: [StatusExternalAccessoryProtocolSession.id])] : []
      }),
    IdentificationRule(
      id: "component-contents", severity: .warn, text: "A component says no more than its identifier and its name.",
      repair: "Add the parameters that say what the component offers, or leave it out.",
      evidence: "Sources.md#inferred: every component of a known identification does (low)",
      check: { emptyComponents($0).map { Breach(parameters: [$0.parameter], detail: $0.name) } }),
    IdentificationRule(
      id: "language-supported", severity: .warn, text: "The current language (12) is none of the supported (13).",
      repair: "Add the current language (12) to the supported ones (13).",
      evidence: "Identification.md#language-supported: in every known identification (low)",
      check: { information in
        information.supportedLanguage.contains(information.currentLanguage) ? [] : [Breach(parameters: [12, 13])]
      }),
    IdentificationRule(
      id: "direction", severity: .warn,
      text: "6 lists messages that the device sends, or 7 messages that the accessory sends.",
      repair: "Move these messages to the other list, or remove them.",
      evidence: "Sessions.md#list-gate: the lists (high); the catalog has the senders (medium)",
      check: { information in
        information.lists.compactMap { id, messages, side in
          let wrong = messages.filter { message in MessageCatalog[message].map { $0.info.sender != side } ?? false }
          return wrong.isEmpty ? nil : Breach(parameters: [id], messages: wrong)
        }
      }),
    IdentificationRule(
      id: "known-messages", severity: .warn, text: "Listed messages are not publicly known.",
      repair: "Check the numbers; a number that is right is no error.",
      evidence: "Sources.md#generated: the message catalog",
      check: { information in
        information.lists.compactMap { id, messages, _ in
          let unknown = messages.filter { MessageCatalog[$0] == nil }
          return unknown.isEmpty ? nil : Breach(parameters: [id], messages: unknown)
        }
      }),
    IdentificationRule(
      id: "no-repeats", severity: .warn, text: "A list names a message twice.",
      repair: "Remove all but one of each.",
      evidence: "Sessions.md#list-gate: inferred from the meaning of the lists (low)",
      check: { information in
        information.lists.compactMap { id, messages, _ in
          var seen: Set<UInt16> = []
          let again = messages.filter { !seen.insert($0).inserted }
          return again.isEmpty ? nil : Breach(parameters: [id], messages: again)
        }
      }),
    IdentificationRule(
      id: "transport", severity: .warn, text: "No transport component (14 to 17, 24) declares iAP2.",
      repair: "Set \"supports iAP2\" in the component of the transport that carries this link.",
      evidence: "Identification.md#transport-present: every known identification has one (medium)",
      check: { information in
        let carries =
          information.serialTransportComponent.contains { $0.transportSupportsiAP2Connection.isSet }
          || information.usbDeviceTransportComponent.contains { $0.transportSupportsiAP2Connection.isSet }
          || information.usbHostTransportComponent.contains { $0.transportSupportsiAP2Connection.isSet }
          || information.bluetoothTransportComponent.contains { $0.transportSupportsiAP2Connection.isSet }
          || information.wirelessCarPlayTransportComponent?.transportSupportsiAP2Connection.isSet == true
        return carries ? [] : [Breach(parameters: [14, 15, 16, 17, 24])]
      }),
    IdentificationRule(
      id: "carplay-transport", severity: .warn,
      text: "4301 is listed without a transport component that supports CarPlay.",
      repair: "Set \"supports CarPlay\" in component 16, or add component 24.",
      evidence:
        "Identification.md#carplay-start-needs-transport: LIVI has both (medium);"
        + " that a phone offers nothing: reported, source withdrawn (unverified)",
      check: { information in
        let canCarPlay =
          information.usbHostTransportComponent.contains { $0.transportSupportsCarPlay.isSet }
          || information.wirelessCarPlayTransportComponent != nil
        return information.sent.contains(CarPlayStartSession.id) && !canCarPlay
          ? [Breach(parameters: [6, 16, 24], messages: [CarPlayStartSession.id])] : []
      }),
  ]

  private static func component(_ need: Component) -> IdentificationRule {
    let names = need.anyOf.sorted().map(String.init).joined(separator: ", ")
    return IdentificationRule(
      id: need.id, severity: .reject, text: need.text,
      repair: "Add component \(names), or remove these messages from the list.", evidence: need.evidence,
      check: { information in
        guard need.anyOf.isDisjoint(with: information.declaredComponents) else { return [] }
        return information.lists.compactMap { list, listed, _ in
          let found = listed.filter(need.messages.contains)
          return found.isEmpty ? nil : Breach(parameters: [list], messages: found)
        }
      })
  }

  /// The parameters of a component that every one has: its identifier and its name.
  private static let componentHead: Set<UInt16> = [0, 1]

  /// Returns the components that have none of the known parameters with which they say what they offer.
  package static func emptyComponents(
    _ information: IdentificationInformation
  ) -> [(parameter: UInt16, name: String)] {
    let bytes: [UInt8]
    // An identification that is too long is an error of its own.
    do { bytes = try information.encoded() } catch { return [] }
    let (nodes, _) = ParameterNode.nodes(of: bytes.rawBytes, rows: IdentificationInformation.rows)
    return nodes.compactMap { node in
      guard case .group(let inner) = node.value,
        let row = IdentificationInformation.rows.first(where: { $0.id == node.id }), case .group(let rows) = row.shape,
        case let contents = Set(rows.map(\.id)).subtracting(componentHead), let last = contents.max(),
        contents.isDisjoint(with: inner.map(\.id)),
        // A larger parameter may be a newer one.
        inner.allSatisfy({ $0.id <= last })
      else { return nil }
      return (node.id, row.name)
    }
  }

  private static func unmatched(
    _ subscriptions: [Subscription], in list: [UInt16], _ parameter: UInt16
  ) -> [Breach] {
    subscriptions.filter { list.contains($0.start) && !list.contains($0.stop) }
      .map { Breach(parameters: [parameter], messages: [$0.start]) }
  }

  private static func unstarted(
    _ subscriptions: [Subscription], startedIn starts: [UInt16], updatesIn list: [UInt16], _ parameter: UInt16
  ) -> [Breach] {
    subscriptions.compactMap { subscription in
      let updates = subscription.updates.filter(list.contains)
      guard !updates.isEmpty, !starts.contains(subscription.start) else { return nil }
      return Breach(parameters: [parameter], messages: updates)
    }
  }
}

extension IdentificationInformation {
  var sent: [UInt16] { messagesSentByAccessory.elements }
  var received: [UInt16] { messagesReceivedFromDevice.elements }
  /// Both lists of messages, with their parameter and the side that sends the messages.
  var lists: [(parameter: UInt16, messages: [UInt16], sender: Side)] {
    [(6, sent, .accessory), (7, received, .device)]
  }

  /// The parameters of the components and EA protocols that the identification has.
  var declaredComponents: Set<UInt16> {
    var declared: Set<UInt16> = []
    if !supportedExternalAccessoryProtocol.isEmpty { declared.insert(10) }
    if !usbDeviceTransportComponent.isEmpty { declared.insert(15) }
    if !bluetoothTransportComponent.isEmpty { declared.insert(17) }
    if !iAP2HIDComponent.isEmpty { declared.insert(18) }
    if vehicleStatusComponent != nil { declared.insert(21) }
    if locationInformationComponent != nil { declared.insert(22) }
    if !usbHostHIDComponent.isEmpty { declared.insert(23) }
    if wirelessCarPlayTransportComponent != nil { declared.insert(24) }
    if !bluetoothHIDComponent.isEmpty { declared.insert(29) }
    if !routeGuidanceDisplayComponent.isEmpty { declared.insert(30) }
    return declared
  }
}
