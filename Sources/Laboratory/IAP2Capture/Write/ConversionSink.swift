// swift-iap2 · Apache-2.0

package import IAP2

/// A sink that writes the link bytes of a capture as records of another.
package struct ConversionSink: DecodedSink {
  private var writer: CaptureWriter
  private var bytes: [UInt8]
  /// Whether the capture has iAP2.
  package private(set) var hasFound = false
  /// The number of blocks that the output format cannot hold.
  package private(set) var blocksLeftOut = 0
  /// The comment of the next record.
  private var comment: String?
  /// The number of messages without a link packet.
  package private(set) var leftOut = 0
  /// The first problems, as text.
  package private(set) var problems: [String] = []

  /// The number of problems that are reported one by one.
  private static let maximumProblems = 20

  private let connection: Int?
  /// The connections found so far.
  private var flows: Set<Int> = []

  /// Creates a sink.
  ///
  /// - Parameter connection: the only connection to convert, from 0; nil converts all.
  package init(_ writer: CaptureWriter, connection: Int?) {
    self.writer = writer
    self.connection = connection
    bytes = writer.header
  }

  /// Whether there are more connections than the format can hold.
  package var hasSeveral: Bool { writer.format == .text && flows.count > 1 }

  private func isWanted(_ place: DecodedPlace) -> Bool { connection.map { $0 == place.flow } ?? true }

  /// Removes and returns the bytes of the new capture so far.
  package mutating func takeBytes() -> [UInt8] {
    defer { bytes.removeAll(keepingCapacity: true) }
    return bytes
  }

  package mutating func piece(_ piece: RawSpan, isMessage: Bool, at place: DecodedPlace) {
    guard isWanted(place) else { return }
    guard !isMessage else {
      leftOut += 1
      return
    }
    bytes += writer.record(
      CaptureWriter.Record(
        nanoseconds: place.nanoseconds, from: place.from, connection: UInt16(clamping: place.flow),
        bytes: unsafe piece.withUnsafeBytes { unsafe Array($0) }, comment: comment))
    comment = nil
  }

  package mutating func comment(_ text: String, at place: DecodedPlace) { if isWanted(place) { comment = text } }

  package mutating func block(_ block: CaptureBlock, _ body: RawSpan) {
    let copy = writer.block(block, body)
    if copy.isEmpty { blocksLeftOut += 1 }
    bytes += copy
  }

  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {
    error(message, offset: offset, at: place)
  }

  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    guard problems.count < Self.maximumProblems else { return }
    problems.append("record \(place.record): \(message) (byte \(offset))")
  }

  package mutating func detect(at place: DecodedPlace) { found(place) }

  private mutating func found(_ place: DecodedPlace) {
    guard isWanted(place) else { return }
    hasFound = true
    flows.insert(place.flow)
  }

  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) { found(place) }
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {}
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {}
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {}
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {}
}
