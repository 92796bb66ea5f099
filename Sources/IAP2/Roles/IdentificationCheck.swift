// swift-iap2 · Apache-2.0

/// The rules by which our phone turns an identification down (link-and-sessions, section 7; medium: all are reports of
/// implementers).
public enum IdentificationCheck {
  /// Messages that need a component: ids, and the parameter that declares it.
  static let components: [(messages: Set<UInt16>, anyOf: Set<UInt16>)] = [
    ([0xFFF0, 0xFFFA, 0xFFFB, 0xFFFC], [22]), ([0xA100, 0xA101, 0xA102], [21]),
    ([0x5200, 0x5201, 0x5202, 0x5203, 0x5204], [30]),
    ([0x5702, 0x5703], [24]), ([0xEA00, 0xEA01, 0xEA03], [10]),
    (Set(0x6800...0x6807), [18, 23, 29]),
  ]

  enum Reading {
    case accepted(IdentificationInformation)
    /// Top-level parameters, ascending.
    case offending([UInt16])
  }

  /// Reads an identification and checks it; every parameter that is wrong is named.
  static func read(_ message: [UInt8]) -> Reading {
    var bytes = message
    var bad: Set<UInt16> = []
    // Each turn takes one parameter out, or puts one in that is missing.
    for _ in 0..<64 {
      do {
        let information = try IdentificationInformation(decoding: bytes.rawBytes)
        let rest = offendingParameters(of: information).filter { !bad.contains($0) }
        guard bad.isEmpty, rest.isEmpty else { return .offending((bad.union(rest)).sorted()) }
        return .accepted(information)
      } catch {
        guard let id = error.group ?? error.parameter, bad.insert(id).inserted,
          let repaired = repair(bytes, id)
        else { return .offending(bad.union([error.group ?? error.parameter ?? 0]).sorted()) }
        bytes = repaired
      }
    }
    return .offending(bad.sorted())
  }

  /// The message with a harmless parameter in the place of all of this id; nil if it is no list of parameters.
  private static func repair(_ message: [UInt8], _ id: UInt16) -> [UInt8]? {
    do {
      let body = try ControlHeader.body(message.rawBytes)
      var kept: [UInt8] = []
      var offset = body.lowerBound
      while offset + 4 <= body.upperBound {
        let length = Int(message[offset]) << 8 | Int(message[offset + 1])
        guard length >= 4, offset + length <= body.upperBound else { return nil }
        if UInt16(message[offset + 2]) << 8 | UInt16(message[offset + 3]) != id {
          kept += message[offset..<(offset + length)]
        }
        offset += length
      }
      let harmless = try IdentificationInformation().encoded()
      var start = ControlHeader.byteCount
      while start + 4 <= harmless.count {
        let length = Int(harmless[start]) << 8 | Int(harmless[start + 1])
        if UInt16(harmless[start + 2]) << 8 | UInt16(harmless[start + 3]) == id {
          kept += harmless[start..<(start + length)]
        }
        start += length
      }
      let count = kept.count + ControlHeader.byteCount
      guard count <= 0xFFFF else { return nil }
      return [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), 0x1D, 0x01] + kept
    } catch { return nil }
  }

  /// Takes out of both lists what needs a component that is gone.
  static func dropMessages(of parameters: Set<UInt16>, from information: inout IdentificationInformation) {
    for rule in components where !rule.anyOf.isDisjoint(with: parameters) {
      guard rule.anyOf.isDisjoint(with: declared(by: information)) else { continue }
      information.messagesSentByAccessory.elements.removeAll { rule.messages.contains($0) }
      information.messagesReceivedFromDevice.elements.removeAll { rule.messages.contains($0) }
    }
  }

  private static func declared(by information: IdentificationInformation) -> Set<UInt16> {
    var declared: Set<UInt16> = []
    if !information.supportedExternalAccessoryProtocol.isEmpty { declared.insert(10) }
    if !information.iAP2HIDComponent.isEmpty { declared.insert(18) }
    if information.vehicleStatusComponent != nil { declared.insert(21) }
    if information.locationInformationComponent != nil { declared.insert(22) }
    if !information.usbHostHIDComponent.isEmpty { declared.insert(23) }
    if information.wirelessCarPlayTransportComponent != nil { declared.insert(24) }
    if !information.bluetoothHIDComponent.isEmpty { declared.insert(29) }
    if !information.routeGuidanceDisplayComponent.isEmpty { declared.insert(30) }
    return declared
  }

  /// The top-level parameters to name in a rejection, ascending; empty for an identification to accept.
  public static func offendingParameters(of information: IdentificationInformation) -> [UInt16] {
    var offending: Set<UInt16> = []
    let sent = Set(information.messagesSentByAccessory.elements)
    let received = Set(information.messagesReceivedFromDevice.elements)
    // Authentication and identification are never listed.
    if sent.contains(where: isImplied) { offending.insert(6) }
    if received.contains(where: isImplied) { offending.insert(7) }
    let declared = declared(by: information)
    for rule in components where rule.anyOf.isDisjoint(with: declared) {
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
