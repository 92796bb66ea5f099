// swift-iap2 · Apache-2.0

package import IAP2

/// A sink that forwards every finding to two sinks.
package struct BothSinks<First: DecodedSink, Second: DecodedSink>: DecodedSink {
  /// The sink that is called first.
  package var first: First
  /// The sink that is called second.
  package var second: Second

  /// Creates a sink that forwards to two sinks.
  package init(_ first: First, _ second: Second) {
    self.first = first
    self.second = second
  }

  /// Forwards bytes to both sinks.
  package mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {
    first.piece(bytes, isMessage: isMessage, at: place)
    second.piece(bytes, isMessage: isMessage, at: place)
  }

  /// Forwards the explanation of a CarPlay session to both sinks.
  package mutating func session(_ explanation: SessionExplanation, number: Int) {
    first.session(explanation, number: number)
    second.session(explanation, number: number)
  }

  /// Forwards a comment to both sinks.
  package mutating func comment(_ text: String, at place: DecodedPlace) {
    first.comment(text, at: place)
    second.comment(text, at: place)
  }

  /// Forwards a block to both sinks.
  package mutating func block(_ block: CaptureBlock, _ bytes: RawSpan) {
    first.block(block, bytes)
    second.block(block, bytes)
  }

  /// Forwards the bytes of a packet to both sinks.
  package mutating func packet(_ bytes: RawSpan, offset: Int) {
    first.packet(bytes, offset: offset)
    second.packet(bytes, offset: offset)
  }

  /// Forwards a detect sequence to both sinks.
  package mutating func detect(at place: DecodedPlace) {
    first.detect(at: place)
    second.detect(at: place)
  }

  /// Forwards a packet header to both sinks.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    first.link(header, header: state, payload: payload, isRepeated: isRepeated, at: place)
    second.link(header, header: state, payload: payload, isRepeated: isRepeated, at: place)
  }

  /// Forwards the payload of a SYN or SYN+ACK to both sinks.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    first.synchronization(parameters, at: place)
    second.synchronization(parameters, at: place)
  }

  /// Forwards a control message to both sinks.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    first.message(bytes, offset: offset, at: place)
    second.message(bytes, offset: offset, at: place)
  }

  /// Forwards data of an EA session to both sinks.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    first.externalAccessory(session: session, data: data, at: place)
    second.externalAccessory(session: session, data: data, at: place)
  }

  /// Forwards a file datagram to both sinks.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    first.fileTransfer(file: file, operation, data: data, at: place)
    second.fileTransfer(file: file, operation, data: data, at: place)
  }

  /// Forwards a finding of a CarPlay session to both sinks.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) {
    first.session(finding, at: place)
    second.session(finding, at: place)
  }

  /// Forwards damage of the file to both sinks.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    first.fileDamage(message, offset: offset, at: place)
    second.fileDamage(message, offset: offset, at: place)
  }

  /// Forwards an error to both sinks.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    first.error(message, offset: offset, at: place)
    second.error(message, offset: offset, at: place)
  }

  /// Forwards a truncated end to both sinks.
  package mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace) {
    first.cutOff(within: message, at: place)
    second.cutOff(within: message, at: place)
  }
}
