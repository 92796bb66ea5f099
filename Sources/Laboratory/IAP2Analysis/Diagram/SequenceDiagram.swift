// swift-iap2 · Apache-2.0

package import IAP2

/// A sequence diagram of the connections of a capture, or of an app and its phone: the steps of each side in order.
package struct SequenceDiagram: Sendable, Equatable {
  /// The subject of a diagram, which decides the names of its lanes, columns and layers.
  package enum Subject: Sendable, Equatable {
    /// The two sides of a connection: the accessory on the left and the device on the right.
    case connection
    /// The phone on the left, which takes the place of the accessory as a sender, and an app on the right.
    case app
    /// The two sides of a CarPlay session: the head unit on the left and the phone on the right.
    case session
  }

  /// A connection of a diagram.
  package struct Connection: Sendable, Equatable {
    /// The index of the connection in the capture, from 0.
    package let flow: Int
    /// The number of the connection, from 1, as every command shows it.
    package var number: Int { flow + 1 }
    /// The subject.
    package internal(set) var subject = Subject.connection
    /// The name of the accessory in its identification.
    package internal(set) var accessoryName: String?
    /// The name of the device in DeviceInformationUpdate.
    package internal(set) var deviceName: String?
    /// The steps in the order of the capture.
    package internal(set) var steps: [Step] = []
    /// The number of steps for which there was no room.
    package internal(set) var leftOut = 0
    /// The number of the record of the first step without room.
    package internal(set) var firstLeftOutRecord: Int?
    /// The number of link packets that only acknowledge, or only carry a step. They are steps only on request.
    package internal(set) var hiddenPackets = 0
  }

  /// An arrow or a mark of a diagram.
  package struct Step: Sendable, Equatable {
    /// The side that took the step.
    package let from: Side
    /// The content.
    package internal(set) var content: Content
    /// The number of the first record of the step. A run has several records.
    package let record: Int
    /// The number of the last record of the step.
    package internal(set) var lastRecord: Int
    /// The time of the first record in seconds, as the capture has it.
    package let time: Double?
    /// The time of the last record in seconds.
    package internal(set) var lastTime: Double?
  }

  /// The content of a step.
  package enum Content: Sendable, Equatable {
    /// A run of detect sequences.
    case detect(count: Int)
    /// A SYN, or a SYN+ACK if `isAnswer`, with the number of its repeats.
    case synchronization(LinkSynchronization, isAnswer: Bool, count: Int)
    /// An RST, an EAK, a damaged or a retransmitted packet; any packet if all were requested.
    case packet(LinkHeader, PacketState)
    /// A control message.
    case message(Message)
    /// A run of datagrams of an EA session.
    case externalAccessory(session: UInt16, protocolName: String?, Run)
    /// A run of data datagrams of a file.
    case fileData(file: UInt8, Run)
    /// A datagram of a file other than data.
    case file(file: UInt8, FileTransferOperation, setup: FileTransferSetup?)
    /// Damage; `offset` counts the bytes of its side.
    case damage(String, offset: Int)
    /// A comment that the capture has for a record.
    case comment(String)
    /// A call of an app, or an event or a notification that the app received.
    case app(AppStep)
    /// A message of a CarPlay session, or a run of its content.
    case session(SessionStep)
  }

  /// A step of a CarPlay session.
  package struct SessionStep: Sendable, Equatable {
    /// The kind of a step.
    package enum Kind: Sendable, Equatable { case request, answer, content, problem }

    let kind: Kind
    /// The text on the arrow.
    let name: String
    /// The text beside the arrow.
    var detail: String
    /// The values of the message, a line each.
    var lines: [String] = []
    /// The messages of a run, and their bytes.
    var count = 1, byteCount = 0
  }

  /// A step between an app and its phone.
  package struct AppStep: Sendable, Equatable {
    /// The kind of a step.
    package enum Kind: Sendable, Equatable { case call, event, notification }

    let kind: Kind
    /// The text on the arrow.
    let name: String
    /// The text beside the arrow.
    let detail: String
    /// Whether the detail is the reason of a failure.
    let isProblem: Bool

    /// Creates a step.
    package init(_ kind: Kind, _ name: String, _ detail: String = "", isProblem: Bool = false) {
      (self.kind, self.name, self.detail, self.isProblem) = (kind, name, detail, isProblem)
    }
  }

  /// The state of a packet.
  package enum PacketState: Sendable, Equatable {
    /// The packet is valid and new.
    case plain
    /// The sequence number was received before.
    case repeated
    /// A checksum is wrong. The text is the decoder's error; nil if the decoder reports several packets together.
    case damaged(String?)
  }

  /// A control message.
  package struct Message: Sendable, Equatable {
    /// The message id.
    package let id: UInt16
    /// The length of the message in bytes.
    package let byteCount: Int
    /// The whole message; nil if there was no room for its bytes.
    package let bytes: [UInt8]?
    /// The texts of its errors.
    package let problems: [String]
  }

  /// A run of consecutive datagrams of one session or file in one direction.
  package struct Run: Sendable, Equatable {
    /// The number of datagrams.
    package internal(set) var datagrams = 1
    /// The total length of their data.
    package internal(set) var byteCount: Int
    /// The first bytes of the data, at most 64.
    package internal(set) var head: [UInt8]

    static let headByteCount = 64

    mutating func add(_ other: Run) {
      datagrams += other.datagrams
      byteCount += other.byteCount
      if head.count < Self.headByteCount { head += other.head.prefix(Self.headByteCount - head.count) }
    }
  }

  /// The phase of the link in which a step falls.
  package enum Phase: String, Sendable, CaseIterable {
    case detect, link, authentication, identification, features
  }

  /// The connections, sorted by number.
  package internal(set) var connections: [Connection]
  /// The number of errors that belong to no connection.
  package internal(set) var placelessDamage: Int
}

extension SequenceDiagram.Step {
  /// The phase of a step; nil for a step that takes the phase of its neighbors.
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
    case .damage, .comment, .app, .session: nil
    }
  }
}

extension SequenceDiagram.Step {
  /// Whether a row of another step would look like the row of this one, but for its values and times.
  func isAlike(_ other: SequenceDiagram.Step) -> Bool {
    guard from == other.from else { return false }
    switch (content, other.content) {
    case (.message(let a), .message(let b)): return a.id == b.id && a.problems == b.problems
    case (.externalAccessory(let a, let name, _), .externalAccessory(let b, let other, _)):
      return a == b && name == other
    case (.fileData(let a, _), .fileData(let b, _)): return a == b
    case (.packet(let a, let state), .packet(let b, let other)): return a.control == b.control && state == other
    case (.damage(let a, _), .damage(let b, _)): return a == b
    case (.detect, .detect): return true
    case (.app(let a), .app(let b)): return a == b
    case (.session(let a), .session(let b)): return a.name == b.name && a.kind == b.kind && a.kind != .problem
    case (.detect, _), (.synchronization, _), (.packet, _), (.message, _), (.externalAccessory, _), (.fileData, _),
      (.file, _), (.damage, _), (.comment, _), (.app, _),
      (.session, _):
      return false
    }
  }
}

/// The limits of a diagram.
package struct SequenceDiagramLimits: Sendable {
  /// The maximum number of steps of all connections. A drawing of 5000 steps is 140 000 pixels high.
  package var steps = 5000
  /// The maximum of bytes of control messages: 800 per step. Their text is up to twenty times as long.
  package var messageByteCount = 4 << 20

  /// Creates the default limits.
  package init() {}
}

extension SequenceDiagram {
  /// Creates the diagram of an app.
  ///
  /// - Parameter steps: The steps in order, with their times in seconds. Beyond the limit of a diagram they are left
  ///   out.
  package init(appSteps steps: [(step: AppStep, time: Double)]) {
    var connection = Connection(flow: 0)
    connection.subject = .app
    let limit = SequenceDiagramLimits().steps
    connection.steps = steps.prefix(limit).enumerated().map { number, item in
      Step(
        from: item.step.kind == .call ? .device : .accessory, content: .app(item.step), record: number + 1,
        lastRecord: number + 1, time: item.time, lastTime: item.time)
    }
    connection.leftOut = max(0, steps.count - limit)
    connection.firstLeftOutRecord = connection.leftOut > 0 ? limit + 1 : nil
    self.init(connections: [connection], placelessDamage: 0)
  }
}

extension SequenceDiagram.Subject {
  /// The name of the lane of a side.
  func lane(_ side: Side) -> String {
    switch self {
    case .connection: side == .accessory ? "accessory" : "device"
    case .app: side == .accessory ? "phone" : "app"
    case .session: side == .accessory ? "head unit" : "phone"
    }
  }

  var title: String {
    switch self {
    case .connection: "iAP2 sequence diagram"
    case .app: "sequence diagram of an app"
    case .session: "CarPlay sequence diagram"
    }
  }
  /// The name of a record of the source.
  var record: String { self == .app ? "entry" : "record" }
  /// The heads of the columns beside the lanes.
  var columns: (left: String, right: String) {
    switch self {
    case .connection: ("feature", "parameters")
    case .app: ("", "")
    case .session: ("", "values")
    }
  }
  var layers: [DiagramLayer] {
    switch self {
    case .connection: [.link, .control, .externalAccessory, .file, .repeated, .damage]
    case .app: [.call, .event, .notification]
    case .session: [.request, .answer, .content, .damage]
    }
  }
}
