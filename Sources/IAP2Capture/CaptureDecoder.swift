// swift-iap2 · Apache-2.0

package import IAP2

/// Explains the bytes of both sides, record by record. Each side is one byte stream: packets may span records.
///
/// Damage never stops it: what cannot be read is told in `error` lines, a long run of it in one.
public struct CaptureDecoder: Sendable {
  private var sides: [Side: SideDecoder] = [
    .accessory: SideDecoder(side: .accessory), .device: SideDecoder(side: .device),
  ]
  private var sessions: [UInt8: LinkSessionType]?
  /// Something other than damage was found.
  public private(set) var hasDecoded = false

  public init() {}

  /// What this record completes.
  public mutating func decode(_ record: CaptureRecord) -> [DecodedLine] {
    run(record.from, record.bytes, atEnd: false, number: record.number, time: record.time)
  }

  /// What is left when no more records come.
  public mutating func finish(number: Int, time: Double?) -> [DecodedLine] {
    Side.allCases.flatMap { run($0, [], atEnd: true, number: number, time: time) }
  }

  private mutating func run(
    _ side: Side, _ bytes: [UInt8], atEnd: Bool, number: Int, time: Double?
  ) -> [DecodedLine] {
    guard var decoder = sides.removeValue(forKey: side) else { return [] }
    var lines: [DecodedLine.Content] = []
    decoder.decode(bytes, atEnd: atEnd, sessions: &sessions, &lines)
    sides[side] = decoder
    if lines.contains(where: { if case .error = $0 { false } else { true } }) { hasDecoded = true }
    return lines.map { DecodedLine(record: number, time: time, from: side, content: $0) }
  }
}

/// One side's byte stream.
struct SideDecoder: Sendable {
  let side: Side
  private var buffer: [UInt8] = []
  /// Bytes of this side before the buffer.
  private var base = 0
  private var messages: [UInt8] = []
  private var messageOffset = 0
  private var delivered = DeliveredSequences()
  private var damage: Damage?
  /// A run of packets with the same fault: those after the first, and where the second was.
  private var wrong: (message: String, more: Int, offset: Int)?

  /// A run of damage of one kind that is still growing.
  struct Damage: Sendable { var message: String, start: Int, end: Int }

  init(side: Side) { self.side = side }

  mutating func decode(
    _ bytes: [UInt8], atEnd: Bool, sessions: inout [UInt8: LinkSessionType]?, _ lines: inout [DecodedLine.Content]
  ) {
    buffer += bytes
    var offset = 0
    scanning: while true {
      switch LinkScanner.scan(unsafe buffer.span.bytes, from: offset) {
      case .packet(let header, let start):
        flushDamage(&lines)
        flushWrong(&lines)
        lines.append(
          .link(header, header: .valid, payload: header.payloadByteCount > 0 || header.byteCount > 9 ? .valid : .absent)
        )
        packet(header, Array(buffer[header.payload(at: start)]), base + start, &sessions, &lines)
        offset = start + header.byteCount
      case .badPayloadChecksum(let header, let start):
        flushDamage(&lines)
        lines.append(.link(header, header: .valid, payload: .invalid))
        addWrong("payload checksum is wrong", base + start + header.byteCount - 1, &lines)
        // A length that lies leads to nothing: then packets may lie inside.
        offset = isIsolated(header, at: start) ? start + header.byteCount : start + LinkHeader.byteCount
      case .badHeader(let header, let start, let reason):
        if reason == .checksum, isIsolated(header, at: start) {
          flushDamage(&lines)
          lines.append(.link(header, header: .invalid, payload: payloadState(header, at: start)))
          addWrong("header checksum is wrong", base + start + 8, &lines)
          offset = start + header.byteCount
        } else {
          addDamage("bytes that are no packet", start..<(start + 1), &lines)
          offset = start + 1
        }
      case .detect(let start):
        flushDamage(&lines)
        lines.append(.detect)
        offset = start + LinkScanner.detect.count
      case .legacyFrame(let range):
        addDamage("iAP1 frame", range, &lines)
        offset = range.upperBound
      case .garbage(let range):
        addDamage("bytes that are no packet", range, &lines)
        offset = range.upperBound
      case .incomplete(let start, let need):
        guard atEnd else { break scanning }
        flushDamage(&lines)
        lines.append(
          .error(message: "packet cut off: \(buffer.count - start) of \(need) bytes", offset: base + start))
        offset = nextPacket(after: start)
      case .end: break scanning
      }
    }
    base += offset
    buffer.removeFirst(offset)
    if atEnd {
      flushDamage(&lines)
      flushWrong(&lines)
      if !messages.isEmpty {
        lines.append(.error(message: "message cut off after \(messages.count) bytes", offset: messageOffset))
        messages = []
      }
    }
  }

  /// Behind a packet that is cut off there may be whole ones: where the next begins, or the end.
  private func nextPacket(after start: Int) -> Int {
    var offset = start + 1
    while true {
      switch LinkScanner.scan(unsafe buffer.span.bytes, from: offset) {
      case .packet, .detect: return offset
      case .badPayloadChecksum, .badHeader, .incomplete: offset += 1
      case .garbage(let range), .legacyFrame(let range): offset = range.upperBound
      case .end: return buffer.count
      }
    }
  }

  /// Whether the payload of a packet with a wrong header is right all the same.
  private func payloadState(_ header: LinkHeader, at start: Int) -> DecodedLine.ChecksumState {
    guard header.byteCount > LinkHeader.byteCount else { return .absent }
    let rest = buffer[(start + LinkHeader.byteCount)..<(start + header.byteCount)]
    return rest.reduce(0 as UInt8, &+) == 0 ? .valid : .invalid
  }

  /// A packet whose header is wrong in one place: what follows its length is a packet again, or nothing.
  private func isIsolated(_ header: LinkHeader, at start: Int) -> Bool {
    let end = start + header.byteCount
    guard header.byteCount >= LinkHeader.byteCount, end <= buffer.count else { return false }
    if end == buffer.count { return true }
    return end + 1 < buffer.count && buffer[end] == 0xFF && (buffer[end + 1] == 0x5A || buffer[end + 1] == 0x55)
  }

  private mutating func addDamage(_ message: String, _ range: Range<Int>, _ lines: inout [DecodedLine.Content]) {
    if damage?.message == message, damage?.end == base + range.lowerBound {
      damage?.end = base + range.upperBound
      return
    }
    flushDamage(&lines)
    damage = Damage(message: message, start: base + range.lowerBound, end: base + range.upperBound)
  }

  /// The first of a run of the same fault is told at once, the others together at its end.
  private mutating func addWrong(_ message: String, _ offset: Int, _ lines: inout [DecodedLine.Content]) {
    if wrong?.message == message {
      wrong?.more += 1
      if wrong?.more == 1 { wrong?.offset = offset }
      return
    }
    flushWrong(&lines)
    wrong = (message, 0, offset)
    lines.append(.error(message: message, offset: offset))
  }

  private mutating func flushWrong(_ lines: inout [DecodedLine.Content]) {
    guard let run = wrong else { return }
    wrong = nil
    guard run.more > 0 else { return }
    lines.append(
      .error(
        message: "\(run.message) in the next \(run.more) packet\(run.more == 1 ? "" : "s") too", offset: run.offset))
  }

  private mutating func flushDamage(_ lines: inout [DecodedLine.Content]) {
    guard let run = damage else { return }
    damage = nil
    let count = run.end - run.start
    lines.append(.error(message: "\(run.message): \(count) byte\(count == 1 ? "" : "s")", offset: run.start))
  }

  // MARK: Payloads

  private mutating func packet(
    _ header: LinkHeader, _ payload: [UInt8], _ offset: Int, _ sessions: inout [UInt8: LinkSessionType]?,
    _ lines: inout [DecodedLine.Content]
  ) {
    if header.control.contains(.synchronize) {
      do {
        let parameters = try LinkSynchronization(unsafe payload.span.bytes)
        lines.append(.synchronization(parameters))
        sessions = Dictionary(parameters.sessions.map { ($0.id, $0.type) }, uniquingKeysWith: { first, _ in first })
      } catch {
        lines.append(.error(message: SynchronizationText.text(error), offset: offset + LinkHeader.byteCount))
      }
      delivered = DeliveredSequences()
      messages = []
      return
    }
    if header.control.contains(.reset) {
      delivered = DeliveredSequences()
      messages = []
      return
    }
    guard !payload.isEmpty, !header.control.contains(.extendedAcknowledge) else { return }
    // Sent again: told as a packet, not as a second message.
    guard delivered.insert(header.sequence) else { return }
    switch type(of: header.session, payload, sessions) {
    case .control: control(payload, offset + LinkHeader.byteCount, &lines)
    case .externalAccessory:
      guard payload.count >= 2 else { return short("external accessory", offset, &lines) }
      lines.append(
        .externalAccessory(session: UInt16(payload[0]) << 8 | UInt16(payload[1]), data: Array(payload[2...])))
    case .fileTransfer:
      guard payload.count >= 2 else { return short("file transfer", offset, &lines) }
      lines.append(
        .fileTransfer(
          file: payload[0], FileTransferOperation(rawValue: payload[1]), byteCount: payload.count - 2))
    case .some: lines.append(.error(message: "session \(header.session) has an unknown type", offset: offset + 7))
    case nil:
      if sessions != nil {
        lines.append(.error(message: "session \(header.session) was not agreed", offset: offset + 7))
      }
    }
  }

  private func short(_ name: String, _ offset: Int, _ lines: inout [DecodedLine.Content]) {
    lines.append(.error(message: "\(name) datagram shorter than its prefix", offset: offset + LinkHeader.byteCount))
  }

  private func type(
    of session: UInt8, _ payload: [UInt8], _ sessions: [UInt8: LinkSessionType]?
  ) -> LinkSessionType? {
    if let sessions { return sessions[session] }
    return !messages.isEmpty || payload.starts(with: [0x40, 0x40]) ? .control : nil
  }

  private mutating func control(_ payload: [UInt8], _ offset: Int, _ lines: inout [DecodedLine.Content]) {
    if messages.isEmpty { messageOffset = offset }
    messages += payload
    while !messages.isEmpty {
      let start = messages.prefix(2)
      guard start.elementsEqual([0x40, 0x40].prefix(start.count)) else {
        lines.append(.error(message: "control session bytes that are no message", offset: messageOffset))
        messages = []
        return
      }
      guard messages.count >= ControlHeader.byteCount else { return }
      let length = Int(messages[2]) << 8 | Int(messages[3])
      guard length >= ControlHeader.byteCount else {
        lines.append(.error(message: "message length \(length) is smaller than its header", offset: messageOffset + 2))
        messages = []
        return
      }
      guard messages.count >= length else { return }
      message(Array(messages[..<length]), &lines)
      messages.removeFirst(length)
      messageOffset += length
    }
  }

  /// Errors of one message that are told one by one.
  private static let toldErrors = 8

  private func message(_ bytes: [UInt8], _ lines: inout [DecodedLine.Content]) {
    let id = ControlHeader.id(of: bytes)
    let entry = MessageCatalog[id]
    let (nodes, errors) = ParameterNode.nodes(of: unsafe bytes.span.bytes, rows: entry?.rows ?? [])
    lines.append(.control(id: id, name: entry?.name, parameters: nodes, bytes: bytes))
    var told = errors
    if errors.isEmpty, let entry {
      do { try entry.validate(unsafe bytes.span.bytes) } catch { told = [error] }
    }
    for error in told.prefix(Self.toldErrors) {
      lines.append(.error(message: Self.text(error, entry), offset: messageOffset + error.offset))
    }
    if told.count > Self.toldErrors {
      let more = told.count - Self.toldErrors
      lines.append(
        .error(
          message: "\(entry?.name ?? "message"): \(more) more error\(more == 1 ? "" : "s") in this message",
          offset: messageOffset + told[Self.toldErrors].offset))
    }
  }

  // MARK: Texts

  static func text(_ error: WireError, _ entry: CatalogEntry?) -> String {
    let name = error.parameter.map { id in
      "parameter \(id)" + (entry?.rows.first { $0.id == id }.map { " (\($0.name))" } ?? "")
    }
    let what =
      switch error.reason {
      case .truncated: "ends before its length"
      case .badLength(let length): "has the impossible length \(length)"
      case .missing: "is missing"
      case .duplicate: "comes more than once"
      case .wrongSize(let expected, let found): "has \(found) bytes instead of \(expected)"
      case .invalidText: "is not UTF-8"
      case .notAMessage: "is not a message"
      case .tooDeep(let limit): "is nested deeper than \(limit) groups"
      case .tooManyParameters(let limit): "has more than \(limit) parameters"
      case .needsCarefulWalk: "is out of order"
      }
    return "\(entry?.name ?? "message"): \(name ?? "parameter list") \(what)"
  }
}

/// Which sequence numbers of a stream have come, as far back as half of the number space: one that fills a gap late is
/// new, one that comes again is not.
struct DeliveredSequences: Sendable {
  private var furthest: SequenceNumber?
  private var seen: Set<UInt8> = []

  /// False for a packet that was here before.
  mutating func insert(_ sequence: SequenceNumber) -> Bool {
    let ahead = furthest.map { sequence.distance(from: $0) } ?? 0
    if let furthest, (1...127).contains(ahead) {
      for step in 1...ahead { seen.remove(furthest.advanced(by: step).rawValue) }
    }
    if furthest == nil || (1...127).contains(ahead) { furthest = sequence }
    return seen.insert(sequence.rawValue).inserted
  }
}

/// What is wrong with a SYN's payload, for people.
package enum SynchronizationText {
  package static func text(_ error: LinkSynchronizationError) -> String {
    switch error {
    case .length(let count): "synchronization payload of \(count) bytes: not 10 bytes and whole session entries"
    case .tooManySessions(let count): "synchronization payload with \(count) sessions: there are 255 ids"
    }
  }
}
