// swift-iap2 · Apache-2.0

package import IAP2

/// A stage that a session passes through, in the usual order. The device chooses whether authentication or
/// identification comes first.
package enum SessionStage: String, Sendable, CaseIterable {
  /// The stages of a session that is not complete.
  case enumeration, detect, negotiation, authentication, identification, features, externalAccessory, carPlay
  /// Neither side waits for a response of the other.
  case complete
}

/// A step of one side that the other side waits for.
package enum SessionStep: Sendable, Hashable {
  /// The accessory has the USB interface FF/F0/00.
  case usbInterface
  /// A device has a USB configuration without the interface FF/F0/00.
  case usbConfiguration
  /// The requests 0x53 (query) and 0x51 (role switch) and their answers.
  case roleSwitchQuery, roleSwitchQueryAnswer, roleSwitch, roleSwitchAnswer
  /// The phone returns as the host of the bus.
  case hostRole
  /// A detect sequence.
  case detect
  /// An iAP1 frame.
  case legacyFrame
  /// Bytes that are neither a packet nor a detect sequence nor an iAP1 frame.
  case otherBytes
  /// A packet with a wrong checksum.
  case damagedPacket
  /// A packet with valid checksums after damaged ones.
  case validPacket
  /// A packet that keeps to the rules of the link after one that did not.
  case correctPacket
  /// The rest of a packet or message that is cut off, and of a message that its sender left unfinished.
  case restOfPacket, restOfMessage
  /// SYN, SYN+ACK and the ACK of the set-up.
  case synchronize, synchronizeAnswer, acknowledgement
  /// A control message with this id.
  case message(UInt16)
  /// Data of an EA session; a datagram of a file.
  case externalAccessoryData, file
  /// An RST.
  case reset
  /// The end of the transport.
  case transportClosed
  /// The phone's connection to the AirPlay port of the car, outside of iAP2.
  case carPlayConnection

  /// The English name of the step.
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
    case .validPacket: "packet with valid checksums"
    case .correctPacket: "packet that keeps to the rules of the link"
    case .restOfPacket: "rest of the packet"
    case .restOfMessage: "rest of the message"
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

/// The side whose turn it is, and the steps that are expected of it.
package struct SessionTurn: Sendable, Equatable {
  /// The side whose turn it is; nil if it is the turn of either side.
  package var owner: Side?
  /// The expected steps, any of which would do; empty if none is owed.
  package var steps: [SessionStep]

  static func accessory(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: .accessory, steps: steps) }
  static func device(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: .device, steps: steps) }
  static func either(_ steps: SessionStep...) -> SessionTurn { SessionTurn(owner: nil, steps: steps) }
  static func of(_ side: Side, _ steps: SessionStep...) -> SessionTurn {
    SessionTurn(owner: side, steps: steps)
  }

  /// The side in JSON.
  package var ownerName: String { owner?.rawValue ?? "either" }
}

/// A step that a capture shows.
package struct SessionEvent: Sendable, Equatable {
  /// The step.
  package var step: SessionStep
  /// The side that took the step; nil if neither side did, as when a USB device is disconnected.
  package var from: Side?
  /// The number of the record that completed the step.
  package var record: Int
  /// The time in seconds; nil when the capture has no times.
  package var time: Double?
  /// The number of the event within the connection, from 1. It orders events of one record.
  var number: Int
  /// The number of the packet of its side that completed the step, from 1; nil in a log without link packets. A record
  /// can hold several packets.
  var packet: Int?

  func sharesPacket(with other: SessionEvent?) -> Bool {
    guard let packet, let other else { return false }
    return packet == other.packet && from == other.from
  }
}
