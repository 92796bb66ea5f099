// swift-iap2 · Apache-2.0

package import IAP2

/// A sink that forwards the findings that match a filter; without a filter, all of them. A message and its errors are
/// matched together.
package struct FilterSink<Base: DecodedSink>: DecodedSink {
  /// The sink that receives the findings.
  package var base: Base
  private let filter: FindingFilter?
  private var lines = LineSink()
  /// Whether a detect sequence, a packet or a message was found; it need not match.
  package private(set) var hasDecoded = false
  /// Whether a finding matched the filter; false without a filter.
  package private(set) var hasMatched = false

  /// Creates a sink that forwards to `base`.
  package init(_ base: Base, filter: FindingFilter? = nil) {
    self.base = base
    self.filter = filter
  }

  /// - Parameter report: reports the finding to a sink of lines.
  @inline(__always)
  private mutating func isWanted(_ report: (inout LineSink) -> Void) -> Bool {
    guard let filter else { return true }
    report(&lines)
    let isWanted = filter.matches(lines.take())
    if isWanted { hasMatched = true }
    return isWanted
  }

  /// Forwards a comment that matches.
  package mutating func comment(_ text: String, at place: DecodedPlace) {
    if isWanted({ $0.comment(text, at: place) }) { base.comment(text, at: place) }
  }

  /// Forwards bytes, which the filter does not apply to.
  package mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {
    base.piece(bytes, isMessage: isMessage, at: place)
  }

  /// Forwards a block, which the filter does not apply to.
  package mutating func block(_ block: CaptureBlock, _ bytes: RawSpan) { base.block(block, bytes) }

  /// Forwards a truncated end, which the filter does not apply to.
  package mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace) {
    base.cutOff(within: message, at: place)
  }

  /// Forwards damage of the file that matches.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    if isWanted({ $0.fileDamage(message, offset: offset, at: place) }) {
      base.fileDamage(message, offset: offset, at: place)
    }
  }

  /// Forwards the bytes of a packet, whether its header matches or not.
  package mutating func packet(_ bytes: RawSpan, offset: Int) { base.packet(bytes, offset: offset) }

  /// Forwards a detect sequence that matches.
  package mutating func detect(at place: DecodedPlace) {
    hasDecoded = true
    if isWanted({ $0.detect(at: place) }) { base.detect(at: place) }
  }

  /// Forwards a packet header that matches.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    hasDecoded = true
    if isWanted({ $0.link(header, header: state, payload: payload, isRepeated: isRepeated, at: place) }) {
      base.link(header, header: state, payload: payload, isRepeated: isRepeated, at: place)
    }
  }

  /// Forwards the payload of a SYN or SYN+ACK that matches.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    if isWanted({ $0.synchronization(parameters, at: place) }) { base.synchronization(parameters, at: place) }
  }

  /// Forwards a control message if it or one of its errors matches.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    hasDecoded = true
    if isWanted({ $0.message(bytes, offset: offset, at: place) }) { base.message(bytes, offset: offset, at: place) }
  }

  /// Forwards data of an EA session that matches.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    if isWanted({ $0.externalAccessory(session: session, data: data, at: place) }) {
      base.externalAccessory(session: session, data: data, at: place)
    }
  }

  /// Forwards a file datagram that matches.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    if isWanted({ $0.fileTransfer(file: file, operation, data: data, at: place) }) {
      base.fileTransfer(file: file, operation, data: data, at: place)
    }
  }

  /// Forwards the explanation of a CarPlay session, which no filter concerns.
  package mutating func session(_ explanation: SessionExplanation, number: Int) {
    base.session(explanation, number: number)
  }

  /// Forwards a finding of a CarPlay session that matches.
  package mutating func session(_ finding: SessionFinding, at place: DecodedPlace) {
    hasDecoded = true
    if isWanted({ $0.session(finding, at: place) }) { base.session(finding, at: place) }
  }

  /// Forwards an error that matches.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    if isWanted({ $0.error(message, offset: offset, at: place) }) { base.error(message, offset: offset, at: place) }
  }
}
