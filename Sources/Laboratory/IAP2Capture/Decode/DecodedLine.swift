// swift-iap2 · Apache-2.0

public import IAP2

/// A finding of the decoder, with the record that completed it.
public struct DecodedLine: Sendable, Equatable {
  /// The state of a checksum.
  public enum ChecksumState: String, Sendable {
    /// The checksum is right.
    case valid
    /// The checksum is wrong.
    case invalid
    /// The packet has no such checksum.
    case absent
  }

  /// The content of a line.
  public enum Content: Sendable, Equatable {
    /// A detect sequence.
    case detect
    /// A packet header, with the states of both checksums.
    case link(LinkHeader, header: ChecksumState, payload: ChecksumState)
    /// The payload of a SYN or SYN+ACK.
    case synchronization(LinkSynchronization)
    /// A whole control message: its id, its name if known, its parameters in wire order, and its bytes.
    case control(id: UInt16, name: String?, parameters: [ParameterNode], bytes: [UInt8])
    /// The data of a datagram of an EA session, without the session id.
    case externalAccessory(session: UInt16, data: [UInt8])
    /// A datagram of the file transfer session; `byteCount` is the length of its data.
    case fileTransfer(file: UInt8, FileTransferOperation, byteCount: Int)
    /// Damage; the offset counts the bytes of its side, or those of the file if `isOfFile`.
    case error(message: String, offset: Int)
    /// The comment that the capture has for the record.
    case comment(String)
    /// A finding of a CarPlay session, whose number the line has as its connection.
    case session(SessionFinding)
  }

  /// The number of the record, from 1.
  public var record: Int
  /// The time in seconds; nil when the capture has no times.
  public var time: Double?
  /// The side that sent it. It has no meaning for damage of the file.
  public var from: Side
  /// The finding.
  public var content: Content
  /// The number of the connection in the capture, from 0.
  public var flow: Int
  /// The bytes that the line was read from; kept on request only.
  package var source: Source?
  /// Whether the line is damage of the file, which no side sent. Its offset counts the bytes of the file.
  package var isOfFile = false

  /// The bytes of a packet, a message or the data of a datagram.
  package struct Source: Sendable, Equatable {
    /// The offset of the bytes among those of their side; nil for data, whose packet has the offset.
    package var offset: Int?
    /// The bytes.
    package var bytes: [UInt8]
  }

  /// Creates a line.
  public init(record: Int, time: Double?, from: Side, content: Content, flow: Int = 0) {
    self.record = record
    self.time = time
    self.from = from
    self.content = content
    self.flow = flow
  }

  /// The layer of a line.
  package enum Layer: String, Sendable, CaseIterable {
    case detect, link, synchronization, control, externalAccessory, fileTransfer, error, comment
  }

  /// The names of all layers, also those of CarPlay sessions.
  static let layers = Layer.allCases.map(\.rawValue) + SessionFinding.Layer.allCases.map(\.rawValue)

  /// The name of the layer, as in JSON lines.
  public var layer: String {
    switch content {
    case .detect: Layer.detect.rawValue
    case .link: Layer.link.rawValue
    case .synchronization: Layer.synchronization.rawValue
    case .control: Layer.control.rawValue
    case .externalAccessory: Layer.externalAccessory.rawValue
    case .fileTransfer: Layer.fileTransfer.rawValue
    case .error: Layer.error.rawValue
    case .comment: Layer.comment.rawValue
    case .session(let finding): finding.layer.rawValue
    }
  }
}

extension DecodedLine: Encodable {
  private enum Key: String, CodingKey {
    case record, time, from, layer, control, sequence, acknowledgement, session, length, headerChecksum, payloadChecksum
    case id, type, name, parameters, byteCount, data, file, operation
    case message, offset, value
    case enumerationCase = "case"
  }

  /// Encodes the line as an object of `iap2 decode --json`.
  public func encode(to encoder: any Encoder) throws {
    var line = encoder.container(keyedBy: Key.self)
    try line.encode(record, forKey: .record)
    try line.encode(time, forKey: .time)
    try line.encode(isOfFile ? nil : from.rawValue, forKey: .from)
    try line.encode(layer, forKey: .layer)
    switch content {
    case .detect: break
    case .link(let header, let headerState, let payloadState):
      try line.encode(header.control.names, forKey: .control)
      try line.encode(header.sequence.rawValue, forKey: .sequence)
      try line.encode(header.acknowledgement.rawValue, forKey: .acknowledgement)
      try line.encode(header.session, forKey: .session)
      try line.encode(header.byteCount, forKey: .length)
      try line.encode(headerState.rawValue, forKey: .headerChecksum)
      try line.encode(payloadState.rawValue, forKey: .payloadChecksum)
    case .synchronization(let parameters): try SynchronizationFields(parameters).encode(to: encoder)
    case .control(let id, let name, let parameters, _):
      try line.encode(MessageCatalog.text(id), forKey: .id)
      try line.encode(name, forKey: .name)
      try line.encode(parameters.map(JSONNode.init), forKey: .parameters)
    case .externalAccessory(let session, let data):
      try line.encode(session, forKey: .session)
      try line.encode(data.count, forKey: .byteCount)
      try line.encode(Hex.text(data), forKey: .data)
    case .fileTransfer(let file, let operation, let byteCount):
      try line.encode(file, forKey: .file)
      try line.encode(operation.name ?? "0x" + String(operation.rawValue, radix: 16), forKey: .operation)
      try line.encode(byteCount, forKey: .byteCount)
    case .error(let message, let offset):
      try line.encode(message, forKey: .message)
      try line.encode(offset, forKey: .offset)
    case .comment(let text): try line.encode(text, forKey: .message)
    case .session(let finding):
      try line.encode(flow + 1, forKey: .session)
      try FindingTree.group(finding.entries).encode(to: encoder)
    }
  }

  /// A parameter in the JSON form of the decoder.
  private struct JSONNode: Encodable {
    let node: ParameterNode

    func encode(to encoder: any Encoder) throws {
      var entry = encoder.container(keyedBy: Key.self)
      try entry.encode(node.id, forKey: .id)
      try entry.encode(node.name, forKey: .name)
      try entry.encode(node.type, forKey: .type)
      switch node.value {
      case .text(let text): try entry.encode(text, forKey: .value)
      // JSON readers lose digits of 64-bit numbers.
      case .unsigned(let number) where node.type == "u64": try entry.encode(String(number), forKey: .value)
      case .unsigned(let number): try entry.encode(number, forKey: .value)
      case .signed(let number) where node.type == "i64": try entry.encode(String(number), forKey: .value)
      case .signed(let number): try entry.encode(number, forKey: .value)
      case .bool(let value): try entry.encode(value, forKey: .value)
      case .enumeration(let raw, let name):
        try entry.encode(raw, forKey: .value)
        try entry.encode(name, forKey: .enumerationCase)
      case .void: try entry.encode(true, forKey: .value)
      case .bytes(let bytes): try entry.encode(Hex.text(bytes), forKey: .value)
      case .list(let numbers) where node.type == "array-of-u64":
        try entry.encode(numbers.map(String.init), forKey: .value)
      case .list(let numbers): try entry.encode(numbers, forKey: .value)
      case .signedList(let numbers): try entry.encode(numbers, forKey: .value)
      case .group(let nodes): try entry.encode(nodes.map(JSONNode.init), forKey: .value)
      }
    }
  }
}
