// swift-iap2 · Apache-2.0

import CarPlaySession
import IAP2
import IAP2Capture

/// A copy of the packets of a capture with its sessions in the clear.
///
/// The connections of a session get new segments with the same ends, flags and times. Their sequence numbers begin like
/// those of the capture and count the bytes of the copy. All other packets are copied as they are.
struct DecryptedCopy: Sendable {
  /// A TCP connection of the capture.
  private struct Flow: Sendable {
    /// The next sequence numbers by the end that sends.
    var next: [[UInt8]: UInt32] = [:]
    /// Both ends, the sender of the first packet first.
    var ends: ([UInt8], [UInt8])
    /// Whether the rest is copied as it is, because the connection belongs to no session.
    var isLeft = false
    /// The bytes that were copied before the connection was known to belong to a session.
    var skipped = 0
  }

  /// The packet that is read now.
  private struct Present: Sendable {
    var bytes: [UInt8]
    var label: DecryptedCaptureWriter.Label
    /// Its segment and the number of its connection; nil for a packet that is copied as it is.
    var segment: (TCPSegment, number: Int)?
    /// Whether bytes were written for it.
    var isWritten = false
    /// Whether its segment acknowledges bytes that the capture lacks.
    var isAhead = false
  }

  let output: DecryptedOutput
  private var writer = DecryptedCaptureWriter()
  private var flows: [Int: Flow] = [:]
  private var present: Present?
  private var nanoseconds: Int64 = 0
  /// The secrets that the copy has.
  private var secrets: Set<AgreedSecret> = []

  init(_ output: DecryptedOutput) {
    self.output = output
    output.take(.bytes(writer.header))
  }

  // MARK: Packets

  /// Begins a packet. What follows until ``end()`` belongs to it.
  mutating func begin(_ bytes: RawSpan, from start: Int, comment: String?, at moment: CaptureMoment) {
    present = Present(
      bytes: [UInt8](copying: bytes.extracting(start..<bytes.byteCount)), label: label(comment, at: moment))
  }

  /// Copies a record that is no IP packet.
  mutating func add(other bytes: RawSpan, linkType: UInt16, comment: String?, at moment: CaptureMoment) {
    output.take(.bytes(writer.record([UInt8](copying: bytes), linkType: linkType, label(comment, at: moment))))
  }

  private mutating func label(_ comment: String?, at moment: CaptureMoment) -> DecryptedCaptureWriter.Label {
    nanoseconds = moment.nanoseconds ?? nanoseconds
    // Only this copy states what its bytes are.
    let isMark = comment.map { DecryptedMark(comment: $0) != nil } ?? false
    return .init(nanoseconds: nanoseconds, comment: isMark ? nil : comment)
  }

  /// Ends the present packet: it is copied, unless bytes in the clear have replaced it.
  mutating func end() {
    guard let present else { return }
    self.present = nil
    guard let (segment, number) = present.segment else {
      if !present.isWritten { output.take(.bytes(writer.packet(present.bytes, present.label))) }
      return
    }
    let count = UInt32(segment.begins ? 1 : 0) + (segment.flags & Self.end != 0 ? 1 : 0)
    // The data is written already, and so is what it acknowledges.
    guard !present.isWritten || count > 0 || segment.ends else { return }
    let source = segment.source
    let next = flows[number]?.next[source] ?? segment.sequence
    write(
      [], flags: segment.flags & ~Self.push, sequence: next, from: source, number, present.label,
      acknowledging: segment.acknowledgement)
    flows[number]?.next[source] = next &+ count
  }

  private static let end: UInt8 = 1, push: UInt8 = 8, acknowledge: UInt8 = 16

  // MARK: Connections

  /// Notes that the present packet is a segment of a connection.
  mutating func follow(_ segment: TCPSegment, _ number: Int) {
    let known = flows[number] ?? Flow(ends: (segment.source, segment.destination))
    flows[number] = known
    guard !known.isLeft else { return }
    present?.segment = (segment, number)
    if known.next[segment.source] == nil || segment.begins { flows[number]?.next[segment.source] = segment.sequence }
  }

  /// Notes that the present segment acknowledges bytes that the capture lacks, or has later.
  mutating func noteLack() { present?.isAhead = true }

  /// Copies the rest of a connection as it is.
  mutating func leave(_ number: Int) { flows[number]?.isLeft = true }

  /// Notes that the next bytes in the clear were copied already.
  mutating func skip(_ count: Int, of number: Int) { flows[number]?.skipped = count }

  /// Copies the data of a segment behind the end of a session's connection.
  mutating func addUnread(_ segment: TCPSegment, _ bytes: RawSpan, _ number: Int) {
    guard flows[number]?.isLeft == false, !segment.data.isEmpty else { return }
    let data = [UInt8](copying: bytes.extracting(segment.data))
    add(PlainBytes.Piece(bytes: data, mark: .sealed), of: number, from: segment.source, nil)
  }

  /// Copies bytes of a connection.
  ///
  /// - Parameter source: The session and the name of the connection; nil for one without a session.
  mutating func add(
    _ piece: PlainBytes.Piece, of number: Int, from end: [UInt8], _ source: DecryptedOutput.Source?
  ) {
    var bytes = piece.bytes[...]
    let skipped = min(flows[number]?.skipped ?? 0, bytes.count)
    flows[number]?.skipped -= skipped
    bytes = bytes.dropFirst(skipped)
    guard !bytes.isEmpty else { return }
    if piece.isOpened { output.take(.opened) }
    if let mark = piece.mark, mark.isSealed, let source {
      output.take(.sealed(source, byteCount: bytes.count, piece.followsGap ? .gap : mark.reason))
    }
    var label = present?.label ?? .init(nanoseconds: nanoseconds)
    if let mark = piece.mark { label.comment = mark.comment }
    // A missing byte shows where the capture lacks some.
    if piece.followsGap { flows[number]?.next[end]? &+= 1 }
    let first = label
    while !bytes.isEmpty {
      let part = Array(bytes.prefix(DecryptedCaptureWriter.segmentByteCount))
      bytes = bytes.dropFirst(part.count)
      let next = flows[number]?.next[end] ?? 0
      write(part, flags: Self.push | Self.acknowledge, sequence: next, from: end, number, label)
      // The words of a loss belong to the first bytes behind it.
      if case .behindLoss? = piece.mark { label.comment = nil }
      flows[number]?.next[end] = next &+ UInt32(part.count)
    }
    // The receiver has what the capture lacks.
    if piece.followsGap, let other = other(end, number) {
      write([], flags: Self.acknowledge, sequence: flows[number]?.next[other] ?? 0, from: other, number, first)
    }
    present?.isWritten = true
  }

  private func other(_ end: [UInt8], _ number: Int) -> [UInt8]? {
    flows[number].map { $0.ends.0 == end ? $0.ends.1 : $0.ends.0 }
  }

  private mutating func write(
    _ bytes: [UInt8], flags: UInt8, sequence: UInt32, from source: [UInt8], _ number: Int,
    _ label: DecryptedCaptureWriter.Label, acknowledging first: UInt32? = nil
  ) {
    guard let target = other(source, number) else { return }
    // Without bytes of the other side, a number of the capture stands for its next one.
    let acknowledged =
      flows[number]?.next[target].map { $0 &+ (isAhead(source) ? Self.aheadByteCount : 0) }
      ?? present?.segment.flatMap { $0.0.source == source ? $0.0.acknowledgement : nil } ?? first ?? 0
    output.take(
      .bytes(
        writer.segment(
          bytes, flags: flags, sequence: sequence, acknowledged: flags & Self.acknowledge != 0 ? acknowledged : nil,
          from: source, to: target, label)))
  }

  /// Returns whether the present segment is of an end and acknowledges bytes that the capture lacks.
  private func isAhead(_ source: [UInt8]) -> Bool { present?.isAhead == true && present?.segment?.0.source == source }

  /// The bytes that a segment acknowledges beyond those of the capture, if it does. One byte would be a FIN.
  private static let aheadByteCount: UInt32 = 2

  // MARK: Datagrams and secrets

  /// Replaces the present datagram.
  ///
  /// - Parameter sender: The end that sent it.
  mutating func replace(
    _ bytes: [UInt8], _ mark: DecryptedMark?, _ datagram: UDPDatagram, from sender: [UInt8],
    of source: DecryptedOutput.Source
  ) {
    guard var label = present?.label else { return }
    if let mark {
      label.comment = mark.comment
      output.take(.sealed(source, byteCount: bytes.count, mark.reason))
    } else {
      output.take(.opened)
    }
    output.take(.bytes(writer.datagram(bytes, from: sender, to: datagram.destination, label)))
    present?.isWritten = true
  }

  /// Copies a secret that opens identities or the signature of auth-setup, which stay sealed in the messages.
  mutating func add(_ secret: AgreedSecret) {
    guard secrets.insert(secret).inserted else { return }
    output.take(.bytes(DecryptionSecrets.bytes(Array((secret.keyLogLine + "\n").utf8))))
  }
}

extension DecryptedMark {
  /// The reason why the bytes are not in the clear.
  fileprivate var reason: DecryptedOutput.Reason {
    switch self {
    case .damaged(let reason): .notOpened(reason)
    case .incomplete: .incomplete
    case .sealed, .behindLoss, .lastClear: .noKey
    }
  }
}
