// swift-iap2 · Apache-2.0

package import IAP2

/// Where something was found.
package struct DecodedPlace: Sendable, Hashable {
  /// The record that completed it, from 1.
  package var record: Int
  /// Seconds; nil when the capture has no time.
  package var time: Double?
  /// The same as the capture has it, since the Unix epoch or since its beginning.
  package var nanoseconds: Int64?
  package var from: Side
  /// Which of the capture's connections, from 0.
  package var flow = 0

  package init(record: Int, time: Double?, nanoseconds: Int64? = nil, from: Side, flow: Int = 0) {
    self.record = record
    self.time = time
    self.nanoseconds = nanoseconds
    self.from = from
    self.flow = flow
  }
}

/// What takes what a decoder finds; bytes are lent for the call.
package protocol DecodedSink {
  /// Bytes of a side as the capture has them, before they are decoded.
  ///
  /// - Parameter isMessage: they are a control message of a log above the link layer.
  mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace)
  /// What somebody wrote of a record, before what is in it.
  mutating func comment(_ text: String, at place: DecodedPlace)
  /// A part of the file that is no record.
  mutating func block(_ block: CaptureBlock, _ bytes: RawSpan)
  mutating func detect(at place: DecodedPlace)
  /// The bytes of the packet that `link` tells next.
  ///
  /// - Parameter offset: where it begins among the bytes of its side.
  mutating func packet(_ bytes: RawSpan, offset: Int)
  /// - Parameter isRepeated: its sequence number was here before; what it carries is not told again.
  mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace)
  mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace)
  /// A whole control message.
  ///
  /// - Parameter offset: where it begins among the bytes of its side.
  mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace)
  mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace)
  mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace)
  mutating func error(_ message: String, offset: Int, at place: DecodedPlace)
  /// Damage of the file itself, which belongs to no connection; the offset counts its bytes.
  mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace)
  /// The side's bytes end within a packet or a message; also told as an error.
  mutating func cutOff(at place: DecodedPlace)
}

extension DecodedSink {
  package mutating func cutOff(at place: DecodedPlace) {}

  package mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {}
  package mutating func comment(_ text: String, at place: DecodedPlace) {}
  package mutating func block(_ block: CaptureBlock, _ bytes: RawSpan) {}
  package mutating func packet(_ bytes: RawSpan, offset: Int) {}
}

/// Everything as lines, in order.
package struct LineSink: DecodedSink {
  package private(set) var lines: [DecodedLine] = []
  private let keepsBytes: Bool
  /// Of the packet that is told next.
  private var packet: DecodedLine.Source?

  /// - Parameter keepsBytes: lines have the bytes they were read from.
  package init(keepsBytes: Bool = false) { self.keepsBytes = keepsBytes }

  /// The lines since the last time.
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

  package mutating func packet(_ bytes: RawSpan, offset: Int) { packet = source(bytes, offset: offset) }

  package mutating func comment(_ text: String, at place: DecodedPlace) { add(.comment(text), place) }

  package mutating func detect(at place: DecodedPlace) { add(.detect, place) }

  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    add(.link(header, header: state, payload: payload), place, source: packet)
    packet = nil
  }

  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    add(.synchronization(parameters), place)
  }

  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    let message = DecodedMessage(bytes)
    add(
      .control(
        id: message.id, name: message.entry?.name, parameters: message.parameters, bytes: [UInt8](copying: bytes)),
      place, source: source(bytes, offset: offset))
    for error in message.errors(from: offset) { add(.error(message: error.text, offset: error.offset), place) }
  }

  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    add(
      .externalAccessory(session: session, data: [UInt8](copying: data)), place, source: source(data, offset: nil))
  }

  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    add(
      .fileTransfer(file: file, operation, byteCount: data.byteCount), place, source: source(data, offset: nil))
  }

  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    error(message, offset: offset, at: place)
    lines[lines.count - 1].isOfFile = true
  }

  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    add(.error(message: message, offset: offset), place)
  }
}
