// swift-iap2 · Apache-2.0

import IAP2

/// One side's byte stream: packets, and the sessions inside them.
struct StreamDecoder: Sendable {
  /// The beginning of a packet whose rest has not come.
  private var carry: [UInt8] = []
  /// Bytes of this side before the carry.
  private var base = 0
  private var messages: [UInt8] = []
  private var messageOffset = 0
  private var delivered = DeliveredSequences()
  private var damage: Damage?
  /// A run of packets with the same fault: those after the first, and where the second was.
  private var wrong: (message: String, more: Int, offset: Int)?

  /// Packets that were passed over, and have not come since.
  private var missing = MissingSequences()
  /// What this side has of the other, as it said last.
  private(set) var acknowledgement: SequenceNumber?

  /// A run of damage of one kind that is still growing.
  private struct Damage: Sendable { var message: String, start: Int, end: Int, place: DecodedPlace }

  mutating func decode<Sink: DecodedSink>(
    _ bytes: RawSpan, sessions: inout SessionTable?, at place: DecodedPlace, _ sink: inout Sink
  ) {
    guard carry.isEmpty else {
      carry.append(copying: bytes)
      return scanCarry(atEnd: false, &sessions, place, &sink)
    }
    let used = scan(bytes, atEnd: false, &sessions, place, &sink)
    base += used
    carry.append(copying: bytes.extracting(used..<bytes.byteCount))
  }

  mutating func finish<Sink: DecodedSink>(
    sessions: inout SessionTable?, at place: DecodedPlace, _ sink: inout Sink
  ) {
    scanCarry(atEnd: true, &sessions, place, &sink)
    flushDamage(&sink)
    flushWrong(place, &sink)
    tell(missing.removeAll(), place, &sink)
    guard !messages.isEmpty else { return }
    sink.error("message cut off after \(messages.count) bytes", offset: messageOffset, at: place)
    sink.cutOff(at: place)
    messages = []
  }

  private mutating func scanCarry<Sink: DecodedSink>(
    atEnd: Bool, _ sessions: inout SessionTable?, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    // Out and back: the bytes are lent by `self`.
    var working: [UInt8] = []
    swap(&working, &carry)
    let used = scan(working.rawBytes, atEnd: atEnd, &sessions, place, &sink)
    base += used
    working.removeFirst(used)
    swap(&working, &carry)
  }

  /// How many bytes were used; the others are the beginning of a packet.
  private mutating func scan<Sink: DecodedSink>(
    _ bytes: RawSpan, atEnd: Bool, _ sessions: inout SessionTable?, _ place: DecodedPlace, _ sink: inout Sink
  ) -> Int {
    var offset = 0
    while true {
      switch LinkScanner.scan(bytes, from: offset) {
      case .packet(let header, let start):
        if damage != nil { flushDamage(&sink) }
        if wrong != nil { flushWrong(place, &sink) }
        packet(header, bytes, start, &sessions, place, &sink)
        offset = start + header.byteCount
      case .badPayloadChecksum(let header, let start):
        flushDamage(&sink)
        sink.packet(bytes.extracting(start..<(start + header.byteCount)), offset: base + start)
        sink.link(header, header: .valid, payload: .invalid, isRepeated: false, at: place)
        addWrong("payload checksum is wrong", base + start + header.byteCount - 1, place, &sink)
        // A length that lies leads to nothing: then packets may lie inside.
        offset = start + (Self.isIsolated(header, bytes, start) ? header.byteCount : LinkHeader.byteCount)
      case .badHeader(let header, let start, let reason):
        if reason == .checksum, Self.isIsolated(header, bytes, start) {
          flushDamage(&sink)
          sink.packet(bytes.extracting(start..<(start + header.byteCount)), offset: base + start)
          sink.link(
            header, header: .invalid, payload: Self.payloadState(header, bytes, start), isRepeated: false, at: place)
          addWrong("header checksum is wrong", base + start + 8, place, &sink)
          offset = start + header.byteCount
        } else {
          addDamage("bytes that are no packet", start..<(start + 1), place, &sink)
          offset = start + 1
        }
      case .detect(let start):
        flushDamage(&sink)
        sink.detect(at: place)
        offset = start + LinkScanner.detect.count
      case .legacyFrame(let range):
        addDamage("iAP1 frame", range, place, &sink)
        offset = range.upperBound
      case .garbage(let range):
        addDamage("bytes that are no packet", range, place, &sink)
        offset = range.upperBound
      case .incomplete(let start, let need):
        guard atEnd else { return offset }
        flushDamage(&sink)
        sink.error("packet cut off: \(bytes.byteCount - start) of \(need) bytes", offset: base + start, at: place)
        sink.cutOff(at: place)
        offset = Self.nextPacket(bytes, after: start)
      case .end: return offset
      }
    }
  }

  /// Behind a packet that is cut off there may be whole ones: where the next begins, or the end.
  private static func nextPacket(_ bytes: RawSpan, after start: Int) -> Int {
    var offset = start + 1
    while true {
      switch LinkScanner.scan(bytes, from: offset) {
      case .packet, .detect: return offset
      case .badPayloadChecksum, .badHeader, .incomplete: offset += 1
      case .garbage(let range), .legacyFrame(let range): offset = range.upperBound
      case .end: return bytes.byteCount
      }
    }
  }

  /// Whether the payload of a packet with a wrong header is right all the same.
  private static func payloadState(_ header: LinkHeader, _ bytes: RawSpan, _ start: Int) -> DecodedLine.ChecksumState {
    guard header.byteCount > LinkHeader.byteCount else { return .absent }
    let rest = (start + LinkHeader.byteCount)..<(start + header.byteCount)
    return Checksum.sum(bytes, rest) == 0 ? .valid : .invalid
  }

  /// A packet whose header is wrong in one place: what follows its length is a packet again, or nothing.
  private static func isIsolated(_ header: LinkHeader, _ bytes: RawSpan, _ start: Int) -> Bool {
    let end = start + header.byteCount
    guard header.byteCount >= LinkHeader.byteCount, end <= bytes.byteCount else { return false }
    if end == bytes.byteCount { return true }
    return end + 1 < bytes.byteCount && bytes.byte(end) == 0xFF && [0x5A, 0x55].contains(bytes.byte(end + 1))
  }

  // MARK: Damage

  private mutating func addDamage<Sink: DecodedSink>(
    _ message: String, _ range: Range<Int>, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    if damage?.message == message, damage?.end == base + range.lowerBound {
      damage?.end = base + range.upperBound
      return
    }
    flushDamage(&sink)
    damage = Damage(
      message: message, start: base + range.lowerBound, end: base + range.upperBound, place: place)
  }

  /// The first of a run of the same fault is told at once, the others together at its end.
  private mutating func addWrong<Sink: DecodedSink>(
    _ message: String, _ offset: Int, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    if wrong?.message == message {
      wrong?.more += 1
      if wrong?.more == 1 { wrong?.offset = offset }
      return
    }
    flushWrong(place, &sink)
    wrong = (message, 0, offset)
    sink.error(message, offset: offset, at: place)
  }

  private mutating func flushWrong<Sink: DecodedSink>(_ place: DecodedPlace, _ sink: inout Sink) {
    guard let run = wrong else { return }
    wrong = nil
    guard run.more > 0 else { return }
    sink.error(
      "\(run.message) in the next \(run.more) packet\(run.more == 1 ? "" : "s") too", offset: run.offset, at: place)
  }

  private mutating func flushDamage<Sink: DecodedSink>(_ sink: inout Sink) {
    guard let run = damage else { return }
    damage = nil
    let count = run.end - run.start
    sink.error("\(run.message): \(count) byte\(count == 1 ? "" : "s")", offset: run.start, at: run.place)
  }

  /// The other side says that everything up to this number has arrived: what is missing of it was not captured.
  mutating func acknowledge<Sink: DecodedSink>(
    _ number: SequenceNumber, at place: DecodedPlace, _ sink: inout Sink
  ) {
    guard !missing.isEmpty else { return }
    tell(missing.remove(through: number), place, &sink)
  }

  private func tell<Sink: DecodedSink>(
    _ runs: [ClosedRange<Int>], _ place: DecodedPlace, _ sink: inout Sink
  ) {
    for run in runs {
      let count = run.count
      let (first, last) = (UInt8(truncatingIfNeeded: run.lowerBound), UInt8(truncatingIfNeeded: run.upperBound))
      let numbers = count == 1 ? "number \(first)" : "numbers \(first) to \(last)"
      sink.error(
        "\(count) packet\(count == 1 ? "" : "s") with sequence \(numbers) not in the capture", offset: base, at: place)
    }
  }

  // MARK: Payloads

  private mutating func packet<Sink: DecodedSink>(
    _ header: LinkHeader, _ bytes: RawSpan, _ start: Int, _ sessions: inout SessionTable?, _ place: DecodedPlace,
    _ sink: inout Sink
  ) {
    let isPlain = header.control.isDisjoint(with: [.synchronize, .reset, .extendedAcknowledge])
    let carries = isPlain && header.payloadByteCount > 0
    if header.control.contains(.acknowledge) { acknowledgement = header.acknowledgement }
    // Sent again: told as a packet, not as a second message.
    let isRepeated = carries && !delivered.insert(header.sequence, missing: &missing)
    sink.packet(bytes.extracting(start..<(start + header.byteCount)), offset: base + start)
    sink.link(
      header, header: .valid, payload: header.byteCount > LinkHeader.byteCount ? .valid : .absent,
      isRepeated: isRepeated, at: place)
    if carries, !isRepeated {
      let payload = bytes.extracting(header.payload(at: start))
      return data(payload, header.session, base + start, &sessions, place, &sink)
    }
    if header.control.contains(.synchronize) {
      let payload = bytes.extracting(header.payload(at: start))
      do {
        let parameters = try LinkSynchronization(payload)
        sink.synchronization(parameters, at: place)
        sessions = SessionTable(parameters.sessions)
      } catch {
        sink.error(SynchronizationText.text(error), offset: base + start + LinkHeader.byteCount, at: place)
      }
    }
    guard header.control.contains(.synchronize) || header.control.contains(.reset) else { return }
    delivered = DeliveredSequences(after: header.control.contains(.synchronize) ? header.sequence : nil)
    missing = MissingSequences()
    messages = []
  }

  private mutating func data<Sink: DecodedSink>(
    _ payload: RawSpan, _ session: UInt8, _ offset: Int, _ sessions: inout SessionTable?, _ place: DecodedPlace,
    _ sink: inout Sink
  ) {
    switch type(of: session, payload, sessions) {
    case .control: control(payload, offset + LinkHeader.byteCount, place, &sink)
    case .externalAccessory:
      guard payload.byteCount >= 2 else { return short("external accessory", offset, place, &sink) }
      sink.externalAccessory(
        session: payload.bigEndian16(0), data: payload.extracting(2..<payload.byteCount), at: place)
    case .fileTransfer:
      guard payload.byteCount >= 2 else { return short("file transfer", offset, place, &sink) }
      sink.fileTransfer(
        file: payload.byte(0), FileTransferOperation(rawValue: payload.byte(1)),
        data: payload.extracting(2..<payload.byteCount), at: place)
    case .some: sink.error("session \(session) has an unknown type", offset: offset + 7, at: place)
    case nil:
      if sessions != nil { sink.error("session \(session) was not agreed", offset: offset + 7, at: place) }
    }
  }

  private func short<Sink: DecodedSink>(
    _ name: String, _ offset: Int, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    sink.error("\(name) datagram shorter than its prefix", offset: offset + LinkHeader.byteCount, at: place)
  }

  private func type(of session: UInt8, _ payload: RawSpan, _ sessions: SessionTable?) -> LinkSessionType? {
    if let sessions { return sessions[session] }
    let beginsMessage = payload.byteCount >= 2 && payload.bigEndian16(0) == 0x4040
    return !messages.isEmpty || beginsMessage ? .control : nil
  }

  private mutating func control<Sink: DecodedSink>(
    _ payload: RawSpan, _ offset: Int, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    guard messages.isEmpty else {
      var working: [UInt8] = []
      swap(&working, &messages)
      working.append(copying: payload)
      let used = cut(working.rawBytes, messageOffset, place, &sink)
      working.removeFirst(used)
      messageOffset += used
      return swap(&working, &messages)
    }
    let used = cut(payload, offset, place, &sink)
    messageOffset = offset + used
    messages.append(copying: payload.extracting(used..<payload.byteCount))
  }

  /// Cuts whole messages; how many bytes were used.
  private func cut<Sink: DecodedSink>(
    _ bytes: RawSpan, _ base: Int, _ place: DecodedPlace, _ sink: inout Sink
  ) -> Int {
    var offset = 0
    while offset < bytes.byteCount {
      let left = bytes.byteCount - offset
      guard bytes.byte(offset) == 0x40, left == 1 || bytes.byte(offset + 1) == 0x40 else {
        sink.error("control session bytes that are no message", offset: base + offset, at: place)
        return bytes.byteCount
      }
      guard left >= ControlHeader.byteCount else { return offset }
      let length = Int(bytes.bigEndian16(offset + 2))
      guard length >= ControlHeader.byteCount else {
        sink.error("message length \(length) is smaller than its header", offset: base + offset + 2, at: place)
        return bytes.byteCount
      }
      guard left >= length else { return offset }
      sink.message(bytes.extracting(offset..<(offset + length)), offset: base + offset, at: place)
      offset += length
    }
    return offset
  }
}

/// Sequence numbers of a stream that later ones have passed.
struct MissingSequences: Sendable {
  /// In the order of the stream; at most as many as half of the number space.
  private var numbers: [SequenceNumber] = []

  var isEmpty: Bool { numbers.isEmpty }

  mutating func add(_ first: SequenceNumber, count: Int) {
    for step in 0..<count { numbers.append(first.advanced(by: step)) }
    // What is older than a window ever is has no number of its own any more.
    if numbers.count > 127 { numbers.removeFirst(numbers.count - 127) }
  }

  mutating func remove(_ number: SequenceNumber) { numbers.removeAll { $0 == number } }

  /// Those up to a number, as runs.
  mutating func remove(through number: SequenceNumber) -> [ClosedRange<Int>] {
    let count = numbers.prefix { (0...127).contains(number.distance(from: $0)) }.count
    defer { numbers.removeFirst(count) }
    return Self.runs(numbers.prefix(count))
  }

  mutating func removeAll() -> [ClosedRange<Int>] {
    defer { numbers = [] }
    return Self.runs(numbers[...])
  }

  /// Upper bounds go beyond 255 where a run goes over the end of the number space.
  private static func runs(_ numbers: ArraySlice<SequenceNumber>) -> [ClosedRange<Int>] {
    var runs: [ClosedRange<Int>] = []
    for number in numbers {
      if let last = runs.last, UInt8(truncatingIfNeeded: last.upperBound + 1) == number.rawValue {
        runs[runs.count - 1] = last.lowerBound...(last.upperBound + 1)
      } else {
        runs.append(Int(number.rawValue)...Int(number.rawValue))
      }
    }
    return runs
  }
}

/// Which sequence numbers of a stream have come, as far back as half of the number space: one that fills a gap late is
/// new, one that comes again is not.
struct DeliveredSequences: Sendable {
  private var furthest: SequenceNumber?
  /// A bit for each number.
  private var seen = InlineArray<4, UInt64>(repeating: 0)

  /// - Parameter synchronization: the number of the SYN, which the first data follows.
  init(after synchronization: SequenceNumber? = nil) {
    furthest = synchronization
    if let synchronization { self[synchronization] = true }
  }

  /// False for a packet that was here before.
  ///
  /// - Parameter missing: learns what the packet leaves out, and what it brings after all.
  mutating func insert(_ sequence: SequenceNumber, missing: inout MissingSequences) -> Bool {
    let ahead = furthest.map { sequence.distance(from: $0) } ?? 0
    if let furthest, (1...127).contains(ahead) {
      for step in 1...ahead { self[furthest.advanced(by: step)] = false }
      if ahead > 1 { missing.add(furthest.next, count: ahead - 1) }
    } else if !missing.isEmpty {
      missing.remove(sequence)
    }
    if furthest == nil || (1...127).contains(ahead) { furthest = sequence }
    defer { self[sequence] = true }
    return !self[sequence]
  }

  private subscript(_ sequence: SequenceNumber) -> Bool {
    get { seen[Int(sequence.rawValue >> 6)] & (1 &<< UInt64(sequence.rawValue & 63)) != 0 }
    set {
      let bit: UInt64 = 1 &<< UInt64(sequence.rawValue & 63)
      if newValue { seen[Int(sequence.rawValue >> 6)] |= bit } else { seen[Int(sequence.rawValue >> 6)] &= ~bit }
    }
  }
}
