// swift-iap2 · Apache-2.0

/// The rules by which our phone turns an identification down (link-and-sessions, section 7; medium: all are reports of
/// implementers).
public enum IdentificationCheck {
  /// Messages that need a component: ids, and the parameter that declares it.
  static let components: [(messages: Set<UInt16>, parameter: UInt16)] = [
    ([0xFFF0, 0xFFFA, 0xFFFB, 0xFFFC], 22), ([0xA100, 0xA101, 0xA102], 21),
    ([0x5200, 0x5201, 0x5202, 0x5203, 0x5204], 30),
    ([0x5702, 0x5703], 24), ([0xEA00, 0xEA01], 10),
  ]

  /// The top-level parameters to name in a rejection, ascending; empty for an identification to accept.
  public static func offendingParameters(of information: IdentificationInformation) -> [UInt16] {
    var offending: Set<UInt16> = []
    let sent = Set(information.messagesSentByAccessory.elements)
    let received = Set(information.messagesReceivedFromDevice.elements)
    // Authentication and identification are never listed.
    if sent.contains(where: isImplied) { offending.insert(6) }
    if received.contains(where: isImplied) { offending.insert(7) }
    var declared: Set<UInt16> = []
    if !information.supportedExternalAccessoryProtocol.isEmpty { declared.insert(10) }
    if information.vehicleStatusComponent != nil { declared.insert(21) }
    if information.locationInformationComponent != nil { declared.insert(22) }
    if information.wirelessCarPlayTransportComponent != nil { declared.insert(24) }
    if !information.routeGuidanceDisplayComponent.isEmpty { declared.insert(30) }
    for rule in components where !declared.contains(rule.parameter) {
      if !sent.isDisjoint(with: rule.messages) { offending.insert(6) }
      if !received.isDisjoint(with: rule.messages) { offending.insert(7) }
    }
    let protocols = information.supportedExternalAccessoryProtocol
    let ids = Set(protocols.map(\.externalAccessoryProtocolIdentifier))
    if ids.count != protocols.count || protocols.contains(where: { $0.externalAccessoryProtocolName.isEmpty }) {
      offending.insert(10)
    }
    // Wireless CarPlay starts over Bluetooth.
    if declared.contains(24), information.bluetoothTransportComponent.isEmpty { offending.insert(24) }
    return offending.sorted()
  }

  private static func isImplied(_ id: UInt16) -> Bool { id >> 8 == 0xAA || id >> 8 == 0x1D }
}
