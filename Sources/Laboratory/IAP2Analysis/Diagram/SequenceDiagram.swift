// swift-iap2 · Apache-2.0

package import IAP2

/// The connections of a capture as a sequence diagram shows them: what each side did, in order.
package struct SequenceDiagram: Sendable, Equatable {
  package struct Connection: Sendable, Equatable {
    /// Which of the capture's flows.
    package let flow: Int
    /// As every command counts the capture's connections: from 1.
    package var number: Int { flow + 1 }
    /// As the identification says.
    package internal(set) var accessoryName: String?
    /// As DeviceInformationUpdate says.
    package internal(set) var deviceName: String?
    package internal(set) var steps: [Step] = []
    /// Steps for which there was no room, and where the first of them was.
    package internal(set) var leftOut = 0
    package internal(set) var firstLeftOutRecord: Int?
    /// Link packets that only acknowledge or only carry what is a step: not steps themselves unless asked for.
    package internal(set) var hiddenPackets = 0
  }

  /// An arrow or a mark.
  package struct Step: Sendable, Equatable {
    package let from: Side
    package internal(set) var content: Content
    /// The capture's records in which it began and ended: more than one for a run.
    package let record: Int
    package internal(set) var lastRecord: Int
    /// Seconds, as the capture has them.
    package let time: Double?
    package internal(set) var lastTime: Double?
  }

  package enum Content: Sendable, Equatable {
    case detect(count: Int)
    /// - Parameter isAnswer: SYN+ACK.
    case synchronization(LinkSynchronization, isAnswer: Bool, count: Int)
    /// RST, EAK, a damaged or repeated packet; with every packet asked for, any.
    case packet(LinkHeader, PacketState)
    case message(Message)
    case externalAccessory(session: UInt16, protocolName: String?, Run)
    case fileData(file: UInt8, Run)
    /// Anything but data.
    case file(file: UInt8, FileTransferOperation, setup: FileTransferSetup?)
    /// - Parameter offset: counts the bytes its side has sent.
    case damage(String, offset: Int)
    /// What the capture says of a record.
    case comment(String)
  }

  package enum PacketState: Sendable, Equatable {
    case plain
    /// Its sequence number was here before.
    case repeated
    /// A checksum is wrong; what the decoder says of it, unless it tells of several together later.
    case damaged(String?)
  }

  package struct Message: Sendable, Equatable {
    package let id: UInt16
    package let byteCount: Int
    /// The whole message; nil when there was no room for more bytes.
    package let bytes: [UInt8]?
    /// What is wrong with it.
    package let problems: [String]
  }

  /// Datagrams of one session or file and direction with nothing between them.
  package struct Run: Sendable, Equatable {
    package internal(set) var datagrams = 1
    package internal(set) var byteCount: Int
    /// The first bytes.
    package internal(set) var head: [UInt8]

    static let headByteCount = 64

    mutating func add(_ other: Run) {
      datagrams += other.datagrams
      byteCount += other.byteCount
      if head.count < Self.headByteCount { head += other.head.prefix(Self.headByteCount - head.count) }
    }
  }

  /// What the link is there for at a step.
  package enum Phase: String, Sendable, CaseIterable {
    case detect, link, authentication, identification, features
  }

  /// In the order of their numbers.
  package internal(set) var connections: [Connection]
  /// Damage where no connection was.
  package internal(set) var placelessDamage: Int
}

extension SequenceDiagram.Step {
  /// Nil for what belongs to the phase it falls into.
  package var phase: SequenceDiagram.Phase? {
    switch content {
    case .detect: .detect
    case .synchronization: .link
    case .message(let message):
      switch message.id >> 8 {
      case 0xAA: .authentication
      case 0x1D: .identification
      default: .features
      }
    case .externalAccessory, .file, .fileData: .features
    case .packet(let header, _): header.control.contains(.reset) ? .link : nil
    case .damage, .comment: nil
    }
  }
}

/// What is kept of a capture; a diagram of more is for no eyes.
package struct SequenceDiagramLimits: Sendable {
  /// Of all connections together: 5000 are a drawing of 140 000 pixels.
  package var steps = 5000
  /// Bytes of control messages: 800 for each of so many steps. What they say in words is up to twenty times as long.
  package var messageByteCount = 4 << 20

  package init() {}
}
