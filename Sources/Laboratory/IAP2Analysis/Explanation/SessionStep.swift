// swift-iap2 · Apache-2.0

package import IAP2

/// What two sides go through one after the other; which of authentication and identification comes first is the
/// device's choice.
package enum SessionStage: String, Sendable, CaseIterable {
  case enumeration, detect, negotiation, authentication, identification, features, externalAccessory, carPlay
  /// Nothing is owed by anybody.
  case complete
}

/// Something a side does that the other one waits for.
package enum SessionStep: Sendable, Hashable {
  /// The accessory shows its USB interface FF/F0/00.
  case usbInterface
  /// A device shows a configuration without it.
  case usbConfiguration
  case roleSwitchQuery, roleSwitchQueryAnswer, roleSwitch, roleSwitchAnswer
  /// The phone comes back as the host of the bus.
  case hostRole
  case detect
  /// An iAP1 frame.
  case legacyFrame
  /// Bytes that are neither.
  case otherBytes
  /// A packet with a wrong checksum.
  case damagedPacket
  case restOfPacket
  case synchronize, synchronizeAnswer, acknowledgement
  case message(UInt16)
  case externalAccessoryData, file
  case reset
  case transportClosed
  /// The phone connects to the car's AirPlay port, outside of iAP2.
  case carPlayConnection

  package var name: String {
    switch self {
    case .usbInterface: "USB interface FF/F0/00"
    case .usbConfiguration: "USB configuration without FF/F0/00"
    case .roleSwitchQuery: "USB request 0x53, role switch supported?"
    case .roleSwitchQueryAnswer: "answer to USB request 0x53"
    case .roleSwitch: "USB request 0x51, role switch"
    case .roleSwitchAnswer: "answer to USB request 0x51"
    case .hostRole: "the phone as USB host"
    case .detect: "detect"
    case .legacyFrame: "iAP1 frame"
    case .otherBytes: "bytes that are not iAP2"
    case .damagedPacket: "packet with a wrong checksum"
    case .restOfPacket: "rest of the packet"
    case .synchronize: "SYN"
    case .synchronizeAnswer: "SYN+ACK"
    case .acknowledgement: "ACK"
    case .message(let id): MessageCatalog.text(id) + (MessageCatalog[id].map { " \($0.name)" } ?? "")
    case .externalAccessoryData: "external accessory data"
    case .file: "file datagram"
    case .reset: "RST"
    case .transportClosed: "transport closed"
    case .carPlayConnection: "TCP connection to the AirPlay port (outside of iAP2)"
    }
  }
}

/// Whose turn it is, and for what.
package struct SessionTurn: Sendable, Equatable {
  package enum Owner: String, Sendable { case accessory, device, either }

  package var owner: Owner
  /// Any of them would do; empty where nothing is owed.
  package var steps: [SessionStep]

  static func accessory(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: .accessory, steps: steps) }
  static func device(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: .device, steps: steps) }
  static func either(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: .either, steps: steps) }
  static func of(_ side: Side, _ steps: SessionStep...) -> SessionTurn {
    SessionTurn(owner: side == .accessory ? .accessory : .device, steps: steps)
  }
}

/// A step that was taken.
package struct SessionEvent: Sendable, Equatable {
  package var step: SessionStep
  /// Nil for what nobody does, as a device that is gone.
  package var from: Side?
  package var record: Int
  /// Seconds; nil when the capture has no time.
  package var time: Double?
  /// Of the connection, from 1: the order where several are in one record.
  var number: Int
  /// Which of its side's packets completed it, from 1; nil in a log above the link layer. A record can hold several.
  var packet: Int?

  func sharesPacket(with other: SessionEvent?) -> Bool {
    guard let packet, let other else { return false }
    return packet == other.packet && from == other.from
  }
}
