// swift-iap2 · Apache-2.0

import IAP2

/// A decoder of one side's byte stream: its packets and the sessions in them.
struct StreamDecoder: Sendable {
  /// The beginning of a packet whose rest has not been received.
  private var carry: [UInt8] = []
  /// The offset of the carry among the bytes of this side.
  private var base = 0
  private var messages: [UInt8] = []
  private var messageOffset = 0
  private var delivered = DeliveredSequences()
  private var damage: Damage?
  /// A run of packets with the same fault: how many follow the first, and the offset of the second.
  private var wrong: (message: String, more: Int, offset: Int)?

  /// The sequence numbers that later packets skipped and that have not been received since.
  private var missing = MissingSequences()
  /// The last acknowledgement number that this side sent.
  private(set) var acknowledgement: SequenceNumber?

  /// A run of damage of one kind that may still grow.
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
    report(missing.removeAll(), place, &sink)
    guard !messages.isEmpty else { return }
    sink.error("message cut off after \(messages.count) bytes", offset: messageOffset, at: place)
    sink.cutOff(within: UnfinishedMessage(messages.rawBytes), at: place)
    messages = []
  }

  /// Ends the packet whose rest the capture lacks, so that the next bytes begin a new one.
  mutating func endCut<Sink: DecodedSink>(
    sessions: inout SessionTable?, at place: DecodedPlace, _ sink: inout Sink
  ) {
    guard !carry.isEmpty else { return }
    let header = LinkHeader(startOf: carry.rawBytes)
    sink.packetCut(at: place)
    let whole = header.map { " of \($0.byteCount) bytes" } ?? " byte\(carry.count == 1 ? "" : "s")"
    sink.error("packet cut by the capture: \(carry.count)\(whole)", offset: base, at: place)
    if let header { cut(header, &sessions, place, &sink) }
    base += carry.count
    carry = []
  }

  /// Takes what the header of a cut packet states.
  private mutating func cut<Sink: DecodedSink>(
    _ header: LinkHeader, _ sessions: inout SessionTable?, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    if header.control.contains(.acknowledge) { acknowledgement = header.acknowledgement }
    let isPlain = header.control.isDisjoint(with: [.synchronize, .reset, .extendedAcknowledge])
    // The number of data is known, so they are not missing.
    let isRepeated =
      isPlain && header.payloadByteCount > 0 && !delivered.insert(header.sequence, missing: &missing)
    sink.link(header, header: .valid, payload: .absent, isRepeated: isRepeated, at: place)
    if isPlain, header.payloadByteCount > 0 { messages = [] }
    guard header.control.contains(.synchronize) || header.control.contains(.reset) else { return }
    if header.control.contains(.synchronize) { sessions = nil }
    begin(after: header)
  }

  /// Forgets what came before a SYN or an RST.
  private mutating func begin(after header: LinkHeader) {
    delivered = DeliveredSequences(after: header.control.contains(.synchronize) ? header.sequence : nil)
    missing = MissingSequences()
    messages = []
  }

  private mutating func scanCarry<Sink: DecodedSink>(
    atEnd: Bool, _ sessions: inout SessionTable?, _ place: DecodedPlace, _ sink: inout Sink
  ) {
    // The carry is swapped out of `self`, because the bytes must not be borrowed from it while it changes.
    var working: [UInt8] = []
    swap(&working, &carry)
    let used = scan(working.rawBytes, atEnd: atEnd, &sessions, place, &sink)
    base += used
    working.removeFirst(used)
    swap(&working, &carry)
  }

  /// Returns the number of bytes that were used; the rest is the beginning of a packet.
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
        // A wrong length is not followed by a packet; then packets may begin within it.
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
        sink.cutOff(within: nil, at: place)
        offset = Self.nextPacket(bytes, after: start)
      case .end: return offset
      }
    }
  }

  /// Returns the offset of the next packet after one that is cut off, or the end.
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

  /// Returns whether the payload of a packet with a wrong header has a valid checksum.
  private static func payloadState(_ header: LinkHeader, _ bytes: RawSpan, _ start: Int) -> DecodedLine.ChecksumState {
    guard header.byteCount > LinkHeader.byteCount else { return .absent }
    let rest = (start + LinkHeader.byteCount)..<(start + header.byteCount)
    return Checksum.sum(bytes, rest) == 0 ? .valid : .invalid
  }

  /// Returns whether only one place of the header is wrong: after its length, another packet begins or the bytes end.
  private static func isIsolated(_ header: LinkHeader, _ bytes: RawSpan, _ start: Int) -> Bool {
    let end = start + header.byteCount
    guard header.byteCount >= LinkHeader.byteCount, end <= bytes.byteCount else { return false }
    if end == bytes.byteCount { return true }
    guard end + 1 < bytes.byteCount else { return false }
    let next = bytes.bigEndian16(end)
    return next == LinkHeader.start || LinkScanner.detect.starts(with: next.bigEndianBytes)
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

  /// Reports the first packet of a run of the same fault at once; the others are reported together at the end of the
  /// run.
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

  /// Handles the other side's acknowledgement: packets up to this sequence number were received, so those that are
  /// missing were not captured.
  mutating func acknowledge<Sink: DecodedSink>(
    _ number: SequenceNumber, at place: DecodedPlace, _ sink: inout Sink
  ) {
    guard !missing.isEmpty else { return }
    report(missing.remove(through: number), place, &sink)
  }

  private func report<Sink: DecodedSink>(
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
    // A retransmission is reported as a packet only, not as a second message.
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
    if header.control.contains(.synchronize) || header.control.contains(.reset) { begin(after: header) }
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
    let beginsMessage = payload.byteCount >= 2 && payload.bigEndian16(0) == ControlHeader.start
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

  /// Reports every whole message and returns the number of bytes that were used.
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

/// The sequence numbers of a stream that later ones have skipped.
struct MissingSequences: Sendable {
  /// In the order of the stream; at most half of the number space.
  private var numbers: [SequenceNumber] = []

  var isEmpty: Bool { numbers.isEmpty }

  mutating func add(_ first: SequenceNumber, count: Int) {
    for step in 0..<count { numbers.append(first.advanced(by: step)) }
    // Beyond half of the number space a sequence number is ambiguous; no window is that large.
    if numbers.count > 127 { numbers.removeFirst(numbers.count - 127) }
  }

  mutating func remove(_ number: SequenceNumber) { numbers.removeAll { $0 == number } }

  /// Removes the sequence numbers up to `number` and returns them as runs.
  mutating func remove(through number: SequenceNumber) -> [ClosedRange<Int>] {
    let count = numbers.prefix { (0...127).contains(number.distance(from: $0)) }.count
    defer { numbers.removeFirst(count) }
    return Self.runs(numbers.prefix(count))
  }

  mutating func removeAll() -> [ClosedRange<Int>] {
    defer { numbers = [] }
    return Self.runs(numbers[...])
  }

  /// Returns the sequence numbers as runs. The upper bound exceeds 255 where a run wraps around.
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

/// The received sequence numbers of a stream, back to half of the number space. A number that fills a gap late is new;
/// one that is repeated is not.
struct DeliveredSequences: Sendable {
  private var furthest: SequenceNumber?
  /// One bit for each sequence number.
  private var seen = InlineArray<4, UInt64>(repeating: 0)

  /// - Parameter synchronization: the sequence number of the SYN, which precedes that of the first data.
  init(after synchronization: SequenceNumber? = nil) {
    furthest = synchronization
    if let synchronization { self[synchronization] = true }
  }

  /// Records a sequence number; returns false if it was received before.
  ///
  /// - Parameter missing: receives the sequence numbers that the packet skips, and loses its own.
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
