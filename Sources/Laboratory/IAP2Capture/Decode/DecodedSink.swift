// swift-iap2 · Apache-2.0

package import IAP2

/// The place of a finding in a capture.
package struct DecodedPlace: Sendable, Hashable {
  /// The number of the record that completed the finding, from 1.
  package var record: Int
  /// The time in seconds since the first record, or as written in a text; nil when the capture has no times.
  package var time: Double?
  /// The time in nanoseconds as the capture has it: since the Unix epoch or since the capture's beginning.
  package var nanoseconds: Int64?
  /// The side that sent it.
  package var from: Side
  /// The number of the connection in the capture, from 0.
  package var flow = 0

  /// Creates a place.
  package init(record: Int, time: Double?, nanoseconds: Int64? = nil, from: Side, flow: Int = 0) {
    self.record = record
    self.time = time
    self.nanoseconds = nanoseconds
    self.from = from
    self.flow = flow
  }
}

/// A receiver of a decoder's findings. Bytes are valid during the call only.
package protocol DecodedSink {
  /// Receives bytes of a side as the capture has them, before they are decoded.
  ///
  /// - Parameter isMessage: whether the bytes are a whole control message, without link packets around it.
  mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace)
  /// Receives the comment of a record, before the record's findings.
  mutating func comment(_ text: String, at place: DecodedPlace)
  /// Receives a block of the file that is not a record.
  mutating func block(_ block: CaptureBlock, _ bytes: RawSpan)
  /// Receives a detect sequence.
  mutating func detect(at place: DecodedPlace)
  /// Receives the bytes of the packet that the next call of `link` describes.
  ///
  /// - Parameter offset: the offset of the packet among the bytes of its side.
  mutating func packet(_ bytes: RawSpan, offset: Int)
  /// Receives the header of a packet.
  ///
  /// - Parameter isRepeated: whether its sequence number was received before. The payload of such a packet is not
  ///   reported again.
  mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace)
  /// Receives the payload of a SYN or SYN+ACK.
  mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace)
  /// Receives a whole control message.
  ///
  /// - Parameter offset: the offset of the message among the bytes of its side.
  mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace)
  /// Receives the data of a datagram of an EA session.
  mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace)
  /// Receives a datagram of the file transfer session.
  mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace)
  /// Receives a finding of a CarPlay session. The place's flow is the number of the session.
  mutating func session(_ finding: SessionFinding, at place: DecodedPlace)
  /// Receives the explanation of a CarPlay session, if the reader of sessions makes one.
  ///
  /// - Parameter number: The number of the session in the capture, from 0.
  mutating func session(_ explanation: SessionExplanation, number: Int)
  /// Receives damage of a side's bytes; `offset` counts the bytes of that side.
  mutating func error(_ message: String, offset: Int, at place: DecodedPlace)
  /// Receives damage of the file itself, which belongs to no connection; `offset` counts the bytes of the file.
  mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace)
  /// Receives the fact that the capture has only the beginning of a packet. It is reported as an error too.
  mutating func packetCut(at place: DecodedPlace)

  /// Receives the fact that a side's bytes end within a packet or a message. It is reported as an error too.
  ///
  /// - Parameter message: the control message whose rest is absent; nil if they end within a packet.
  mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace)
}

/// The beginning of a control message whose rest is absent.
package struct UnfinishedMessage: Sendable, Equatable {
  /// The message id; nil if it is absent too.
  package var id: UInt16?
  /// The number of bytes by the length field; nil if it is absent too.
  package var byteCount: Int?
  /// The number of bytes that are there.
  package var received: Int

  init(_ bytes: RawSpan) {
    received = bytes.byteCount
    byteCount = received >= 4 ? Int(bytes.bigEndian16(2)) : nil
    id = received >= ControlHeader.byteCount ? bytes.bigEndian16(4) : nil
  }
}

extension DecodedSink {
  /// Does nothing.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) {}

  /// Does nothing.
  package mutating func session(_ explanation: SessionExplanation, number: Int) {}

  /// Does nothing.
  package mutating func packetCut(at place: DecodedPlace) {}

  /// Does nothing.
  package mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace) {}

  /// Does nothing.
  package mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {}
  /// Does nothing.
  package mutating func comment(_ text: String, at place: DecodedPlace) {}
  /// Does nothing.
  package mutating func block(_ block: CaptureBlock, _ bytes: RawSpan) {}
  /// Does nothing.
  package mutating func packet(_ bytes: RawSpan, offset: Int) {}
}

/// A sink that collects everything as lines, in order.
package struct LineSink: DecodedSink {
  /// The lines since the last `take()`.
  package private(set) var lines: [DecodedLine] = []
  private let keepsBytes: Bool
  /// The source of the packet that the next `link` describes.
  private var packet: DecodedLine.Source?

  /// - Parameter keepsBytes: whether lines keep the bytes they were read from.
  package init(keepsBytes: Bool = false) { self.keepsBytes = keepsBytes }

  /// Returns the lines since the last call and removes them.
  package mutating func take() -> [DecodedLine] {
    defer { lines.removeAll(keepingCapacity: true) }
    return lines
  }

  private mutating func add(
    _ content: DecodedLine.Content, _ place: DecodedPlace, source: DecodedLine.Source? = nil
  ) {
    var line = DecodedLine(
      record: place.record, time: place.time, from: place.from, content: content, flow: place.flow)
    line.source = source
    lines.append(line)
  }

  private func source(_ bytes: RawSpan, offset: Int?) -> DecodedLine.Source? {
    keepsBytes ? DecodedLine.Source(offset: offset, bytes: [UInt8](copying: bytes)) : nil
  }

  /// Keeps the bytes for the line of the next packet header.
  package mutating func packet(_ bytes: RawSpan, offset: Int) { packet = source(bytes, offset: offset) }

  /// Adds a line for a comment.
  package mutating func comment(_ text: String, at place: DecodedPlace) { add(.comment(text), place) }

  /// Adds a line for a detect sequence.
  package mutating func detect(at place: DecodedPlace) { add(.detect, place) }

  /// Adds a line for a packet header.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    add(.link(header, header: state, payload: payload), place, source: packet)
    packet = nil
  }

  /// Adds a line for the payload of a SYN or SYN+ACK.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    add(.synchronization(parameters), place)
  }

  /// Adds a line for a control message, and one for each of its errors.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    let message = DecodedMessage(bytes)
    add(
      .control(
        id: message.id, name: message.entry?.name, parameters: message.parameters, bytes: [UInt8](copying: bytes)),
      place, source: source(bytes, offset: offset))
    for error in message.errors(from: offset) { add(.error(message: error.text, offset: error.offset), place) }
  }

  /// Adds a line for data of an EA session.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    add(
      .externalAccessory(session: session, data: [UInt8](copying: data)), place, source: source(data, offset: nil))
  }

  /// Adds a line for a file datagram, without its data.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    add(
      .fileTransfer(file: file, operation, byteCount: data.byteCount), place, source: source(data, offset: nil))
  }

  /// Adds a line for a finding of a CarPlay session.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) { add(.session(finding), place) }

  /// Adds a line that is marked as damage of the file.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    error(message, offset: offset, at: place)
    lines[lines.count - 1].isOfFile = true
  }

  /// Adds a line for an error.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    add(.error(message: message, offset: offset), place)
  }
}
