// swift-iap2 · Apache-2.0

import IAP2
import IAP2Faults

/// The state of one run of the endpoint target: what both sides sent, and what must therefore be received.
struct EndpointExercise {
  var pair: Pair
  private let isZeroAcknowledgement: Bool
  /// Whether bytes were injected that no endpoint sent. Then any event is allowed.
  private var isForged = false
  /// Whether a link has ended. Data in transit is then lost, and the next link continues with later message numbers.
  private var hasEnded = false
  /// The number of messages that each side sent; each message carries its number.
  private var sentMessages: [Side: UInt32] = [.accessory: 0, .device: 0]
  private var receivedMessages: [Side: UInt32] = [.accessory: 0, .device: 0]
  private var streams: [Stream: Progress] = [:]
  private var files: [Side: [UInt8: [UInt8]]] = [.accessory: [:], .device: [:]]
  private var incoming: [Side: [UInt8: [UInt8]]] = [.accessory: [:], .device: [:]]
  /// The number of events of each side that were checked.
  private var seen: [Side: Int] = [.accessory: 0, .device: 0]

  /// The direction of an EA session to one side.
  private struct Stream: Hashable {
    var to: Side
    var id: UInt16
  }

  /// The progress of a stream. Its bytes count up, so that each byte shows its place.
  private struct Progress {
    var sent = 0
    var received = 0
    /// Whether a side closed or opened the session again, so that not all bytes are received.
    var isBroken = false
  }

  init(_ configuration: EndpointTarget.Configuration) {
    pair = configuration.pair
    isZeroAcknowledgement = configuration.isZeroAcknowledgement
  }

  // MARK: Steps

  mutating func step(_ program: inout Program) throws(Finding) {
    let word = program.byte()
    let side: Side = word & 0x10 == 0 ? .accessory : .device
    let id = UInt16(word >> 5 & 3)
    switch word & 0x0F {
    case 0: try advance(1)
    case 1: try advance(1 + Int(program.byte() & 31))
    case 2: addFates(program.byte(), word)
    case 3: send(program.byte(), from: side)
    case 4: open(id)
    case 5: write(id, Int(program.byte()), from: side)
    case 6: read(id, Int(program.byte()), at: side)
    case 7: close(id, at: side)
    case 8: sendFile(Int(program.byte()) * 4, from: side)
    case 9: answerFile(program.byte(), at: side)
    case 10:
      isForged = true
      let count = Int(program.byte() & 63)
      pair.inject(program.take(count), to: side)
    case 11: pair[side].reset()
    case 12: pair[side].close(at: pair.now)
    case 13: pair[side].probe()
    case 14: try startOver(side)
    default: if !isZeroAcknowledgement { pair.isCut.toggle() }
    }
    pair.flush()
    try examine()
  }

  private mutating func advance(_ count: Int) throws(Finding) {
    for _ in 0..<count where pair.step() { try examine() }
  }

  private mutating func addFates(_ kinds: UInt8, _ word: UInt8) {
    // In zero-ack mode nothing may be lost.
    guard !isZeroAcknowledgement, pair.fates.count < 256 else { return }
    let fates = Fate.allCases
    pair.fates += [fates[Int(kinds) % fates.count], fates[Int(kinds) / fates.count % fates.count]]
    if word & 0x10 != 0 { pair.fates.append(.lost) }
  }

  /// Starts a side again after the link has ended and nothing of it is in transit.
  private mutating func startOver(_ side: Side) throws(Finding) {
    guard hasEnded else { return }
    let wasCut = pair.isCut
    // In zero-ack mode, lost packets are not retransmitted, so the transport is not cut.
    pair.isCut = !isZeroAcknowledgement
    for _ in 0..<64 where !pair.isQuiet { try advance(1) }
    pair.isCut = wasCut
    guard pair.isQuiet else { return }
    pair[side].start(at: pair.now)
  }

  // MARK: Applications

  private mutating func send(_ length: UInt8, from side: Side) {
    let number = sentMessages[side, default: 0]
    let count = 10 + Int(length)
    let digits = (0..<4).map { UInt8(truncatingIfNeeded: number >> (24 - 8 * $0)) }
    let head: [UInt8] = [0x40, 0x40, UInt8(count >> 8), UInt8(count & 255), 0x4E, 0x09]
    do {
      try pair[side].send(message: head + digits + [UInt8](repeating: length, count: Int(length)))
      sentMessages[side] = number + 1
    } catch {}
  }

  private mutating func open(_ id: UInt16) {
    for side in Side.allCases {
      do {
        try pair[side].openExternalAccessory(id)
        breakStream(id)
      } catch {}
    }
  }

  private mutating func close(_ id: UInt16, at side: Side) {
    pair[side].closeExternalAccessory(id)
    breakStream(id)
  }

  /// Marks the streams of a session as broken. A stream that has carried no data stays whole.
  private mutating func breakStream(_ id: UInt16) {
    for side in Side.allCases {
      let stream = Stream(to: side, id: id)
      if (streams[stream]?.sent ?? 0) > 0 { streams[stream]?.isBroken = true }
    }
  }

  private mutating func write(_ id: UInt16, _ count: Int, from side: Side) {
    let stream = Stream(to: side.peer, id: id)
    let start = streams[stream]?.sent ?? 0
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: start + $0) }
    do {
      let taken = try pair[side].sendExternalAccessory(id, unsafe bytes.span.bytes)
      streams[stream, default: Progress()].sent += taken
      // The peer has not opened the session, so it drops the data.
      if !pair[side.peer].isOpen(externalAccessory: id) { streams[stream]?.isBroken = true }
    } catch {}
  }

  private mutating func read(_ id: UInt16, _ count: Int, at side: Side) {
    pair[side].consume(externalAccessory: id, byteCount: min(count, pair[side].unreadByteCount(externalAccessory: id)))
  }

  private mutating func sendFile(_ count: Int, from side: Side) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ count) }
    do {
      let id = try pair[side].sendFile(bytes, type: 2)
      files[side]?[id] = bytes
    } catch {}
  }

  private mutating func answerFile(_ choice: UInt8, at side: Side) {
    guard let id = incoming[side]?.keys.sorted().first else { return }
    do {
      switch choice & 3 {
      case 0, 1: try pair[side].acceptFile(id)
      case 2: try pair[side].pauseFile(id)
      default:
        try pair[side].cancelFile(id)
        incoming[side]?[id] = nil
      }
    } catch {}
  }

  // MARK: Invariants

  mutating func examine() throws(Finding) {
    for side in Side.allCases {
      if let text = pair[side].invariantViolation { throw Finding("\(side): \(text)") }
      if let deadline = pair[side].nextDeadline {
        try require(deadline > pair.now, "\(side): the deadline \(deadline) is not over at \(pair.now)")
      }
      let reported = pair.observed[side] ?? []
      for event in reported[(seen[side] ?? 0)...] { try note(event, at: side) }
      seen[side] = reported.count
    }
    try require(pair.violations.isEmpty, "\(pair.violations)")
  }

  private mutating func note(_ reported: Pair.Observed, at side: Side) throws(Finding) {
    switch reported.event {
    case .linkDown:
      hasEnded = true
      for stream in streams.keys { streams[stream]?.isBroken = true }
      incoming[side] = [:]
    case .message: try noteMessage(reported.bytes, at: side)
    case .externalAccessoryData(let id, _): try noteData(reported.bytes, Stream(to: side, id: id))
    case .externalAccessoryOverflow(let id): breakStream(id)
    case .fileTransfer(let event): try noteFile(event, reported.bytes, at: side)
    case .violation(let violation) where !isForged: try examine(violation, at: side)
    case .detected, .legacyPeer, .proposal, .linkUp, .violation: break
    }
  }

  /// Messages are received in order and once; while no link has ended, all of them are.
  private mutating func noteMessage(_ bytes: [UInt8], at side: Side) throws(Finding) {
    guard !isForged else { return }
    let number = bytes[6..<10].reduce(0) { $0 << 8 | UInt32($1) }
    let expected = receivedMessages[side] ?? 0
    try require(
      hasEnded ? number >= expected : number == expected, "\(side): message \(number) where \(expected) was next")
    try require(number < sentMessages[side.peer] ?? 0, "\(side): message \(number) was never sent")
    try require(bytes.dropFirst(10).allSatisfy { Int($0) == bytes.count - 10 }, "\(side): message \(number) is damaged")
    receivedMessages[side] = number + 1
  }

  private mutating func noteData(_ bytes: [UInt8], _ stream: Stream) throws(Finding) {
    guard !isForged else { return }
    var exercise = streams[stream] ?? Progress()
    if !exercise.isBroken {
      let expected = (0..<bytes.count).map { UInt8(truncatingIfNeeded: exercise.received + $0) }
      try require(bytes == expected, "EA session \(stream.id) to \(stream.to): \(bytes) where \(expected) was next")
    }
    exercise.received += bytes.count
    try require(exercise.received <= exercise.sent, "EA session \(stream.id) to \(stream.to): more came than was sent")
    streams[stream] = exercise
  }

  private mutating func noteFile(_ event: FileTransferEvent, _ bytes: [UInt8], at side: Side) throws(Finding) {
    switch event {
    case .offered(let id, _): incoming[side]?[id] = []
    case .data(let id, _, let isLast):
      incoming[side]?[id]? += bytes
      guard isLast, !isForged else { return }
      try require(incoming[side]?[id] == files[side.peer]?[id], "\(side): file \(id) is another than was sent")
      incoming[side]?[id] = nil
    case .failed(let id), .cancelled(let id): incoming[side]?[id] = nil
    case .refused, .paused, .delivered: break
    }
  }

  /// Checks violations that an endpoint of this project never causes, whatever faults the transport has.
  private func examine(_ violation: ProtocolViolation, at side: Side) throws(Finding) {
    switch violation {
    case .link(.badSynchronization), .badMessage, .messagesTooFast, .shortDatagram, .limit:
      throw Finding("\(side): \(violation) of our own peer")
    case .link(.packetTooLong) where !hasEnded: throw Finding("\(side): \(violation) of our own peer")
    default: return
    }
  }

  // MARK: The end

  /// After the faults end, everything must be received, unless a link has ended.
  mutating func drain() throws(Finding) {
    pair.fates = []
    pair.isCut = false
    pair.flush()
    let wasUp = pair.isUp && !hasEnded
    for _ in 0..<5000 {
      for side in Side.allCases {
        for id in 0..<4 as Range<UInt16> { read(id, .max, at: side) }
      }
      pair.flush()
      guard !isSettled, pair.step() else { break }
      try examine()
    }
    guard wasUp, !hasEnded, !isForged else { return }
    try require(
      isSettled, "never at rest: \(Side.allCases.map { pair[$0].unacknowledgedPacketCount }) packets unacknowledged")
    for side in Side.allCases {
      try require(
        receivedMessages[side] == sentMessages[side.peer],
        "\(side): \(receivedMessages[side] ?? 0) messages of \(sentMessages[side.peer] ?? 0)")
    }
    for (stream, exercise) in streams where !exercise.isBroken {
      try require(
        exercise.received == exercise.sent,
        "EA session \(stream.id) to \(stream.to): \(exercise.received) bytes of \(exercise.sent)")
    }
  }

  private var isSettled: Bool { pair.isQuiet && pair.accessory.isDrained && pair.device.isDrained }
}
