// swift-iap2 · Apache-2.0

import CarPlaySession
import Cryptography

/// The target for the frames of an encrypted channel: the text arrives in pieces of any size, a changed byte ends it, and
/// bytes that are no frames wait or are refused.
///
/// Input: a byte for the number of piece lengths, the lengths, the place of a changed byte, and the text.
enum FrameTarget {
  private static let key = Secret([UInt8](repeating: 7, count: 32))

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let lengths = program.take(Int(program.byte() & 7))
    let place = Int(program.number16())
    let text = program.takeAll()
    var sealer = FrameSealer(key: key)
    let half = text.count / 2
    let frames = sealer.seal(text[..<half].map { $0 }) + sealer.seal(text[half...].map { $0 })
    var opener = FrameOpener(key: key)
    do throws(FrameOpener.WrongFrame) {
      var opened: [UInt8] = []
      for piece in frames.pieces(lengths) { opened += try opener.open(piece) }
      try requireEqual(opened, text, sealer.count, opener.count)
    } catch { throw Finding("frame \(error.number) is not opened as it was sealed") }
    guard !frames.isEmpty else { return }
    var damaged = frames
    damaged[place % frames.count] ^= 1 << UInt8(place & 7)
    try checkPrefix(damaged.pieces(lengths), of: text)
    try checkPrefix(text.pieces(lengths), of: [])
  }

  private static func requireEqual(
    _ opened: [UInt8], _ text: [UInt8], _ sealed: UInt64, _ count: UInt64
  ) throws(FrameOpener.WrongFrame) {
    guard opened == text, sealed == count else { throw FrameOpener.WrongFrame(number: count, before: opened) }
  }

  private static func checkPrefix(_ pieces: [[UInt8]], of text: [UInt8]) throws(Finding) {
    var opener = FrameOpener(key: key)
    var opened: [UInt8] = []
    do throws(FrameOpener.WrongFrame) { for piece in pieces { opened += try opener.open(piece) } } catch {
      opened += error.before
    }
    try require(opened == Array(text.prefix(opened.count)), "other text than was sealed")
    try require(opened.count < max(1, text.count), "damaged frames were opened")
  }
}

/// The target for the messages of a screen: sealed ones come back in pieces of any size, and raw bytes give the same
/// messages and the same problem in pieces.
///
/// Input: a byte for the number of piece lengths, the lengths, then messages: a kind, flags, a length and a body; from
/// the kind 0xFF on raw bytes.
enum ScreenTarget {
  private static let key = Secret([UInt8](repeating: 9, count: 32))

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let lengths = program.take(Int(program.byte() & 7))
    var sealer = ScreenSealer(key: key)
    var sent = [ScreenMessage(.configuration, body: [1])]
    var stream = sealer.seal(sent[0])
    while !program.isOver {
      let kind = program.byte()
      if kind == 0xFF {
        stream += program.takeAll()
        break
      }
      var message = ScreenMessage(
        ScreenMessage.Kind(rawValue: kind % 6) ?? .frame, isKeyFrame: kind & 0x40 != 0, flags: program.number16(),
        time: UInt64(kind), width: Float(kind), height: 2)
      message.body = program.take(Int(program.byte()))
      sent.append(message)
      stream += sealer.seal(message)
    }
    let whole = read([stream])
    let pieces = read(stream.pieces(lengths))
    try require(
      whole.messages == pieces.messages, "\(whole.messages.count) messages, \(pieces.messages.count) in pieces")
    try require(whole.problem == pieces.problem, "\(String(describing: whole.problem)), in pieces another")
    try require(Array(whole.messages.prefix(sent.count)) == sent, "other messages than were sealed")
  }

  /// A rectangle may have numbers that equal nothing; a message with such gets others.
  private static func read(_ pieces: [[UInt8]]) -> (messages: [ScreenMessage], problem: ScreenOpener.Problem?) {
    let (elements, problem) = ScreenOpener(key: key).read(pieces)
    return (elements.map(comparable), problem)
  }

  private static func comparable(_ message: ScreenMessage) -> ScreenMessage {
    guard message != message else { return message }
    var message = message
    (message.width, message.height, message.picture) = (0, 0, ScreenMessage.Rectangle())
    return message
  }
}

/// The target for packages of a data stream: the same packages come in pieces of any size, and what is written is read
/// again.
///
/// Input: a byte for the number of piece lengths, the lengths, and the bytes of a connection.
enum PackageTarget {
  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let lengths = program.take(Int(program.byte() & 7))
    let stream = program.takeAll()
    let whole = DataPackageReader().read([stream])
    let pieces = DataPackageReader().read(stream.pieces(lengths))
    try require(whole.elements == pieces.elements, "\(whole.elements.count) packages, in pieces others")
    try require(whole.problem == pieces.problem, "\(String(describing: whole.problem)), in pieces another")
    for package in whole.elements {
      do throws(DataPackageProblem) {
        let again = try DataPackageReader().read([package.bytes()])
        if again.elements != [package] { throw .tooShort(-1) }
        if let reply = package.reply { _ = try reply.bytes() }
      } catch { throw Finding("\(package.kind) is not read as it was written: \(error)") }
    }
  }
}

/// The target for frames of buffered sound: sealed ones come back in pieces of any size, raw bytes wait or are refused.
///
/// Input: a byte for the number of piece lengths, the lengths, a byte for the size of packets, and their bytes.
enum BufferedTarget {
  private static let key = Secret([UInt8](repeating: 11, count: 32))

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    let lengths = program.take(Int(program.byte() & 7))
    let size = max(1, Int(program.byte()))
    let content = program.takeAll()
    var sealer = BufferedAudioSealer(key: key)
    var stream: [UInt8] = []
    var sent: [AudioPacket] = []
    for (index, start) in stride(from: 0, to: content.count, by: size).enumerated() {
      let packet = AudioPacket(
        type: 103, sequence: UInt16(truncatingIfNeeded: index), timestamp: UInt32(index) * 1024, source: 1,
        payload: Array(content[start..<min(start + size, content.count)]))
      sent.append(packet)
      do throws(BufferedAudioProblem) { stream += try sealer.seal(packet) } catch { throw Finding("\(error)") }
    }
    let opener = BufferedAudioOpener(key: key)
    let good = opener.read(stream.pieces(lengths))
    try require(good.elements == sent && good.problem == nil, "other packets than were sealed")
    let raw = (opener.read([content]), opener.read(content.pieces(lengths)))
    try require(raw.0.elements.isEmpty && raw.1.elements.isEmpty, "bytes without a seal are packets")
    try require(raw.0.problem == raw.1.problem, "another problem in pieces")
  }
}

/// The target for packets of sound and their control packets: whatever arrives in whatever order, packets leave once and
/// in order, and the queue has a bound.
///
/// Input: steps: a byte for the operation, and its arguments.
enum AudioTarget {
  private static let key = Secret([UInt8](repeating: 13, count: 32))

  static func check(_ bytes: [UInt8]) throws(Finding) {
    var program = Program(bytes)
    var opener = AudioOpener(key: key)
    var sealer = AudioSealer(key: key)
    var receiver = AudioReceiver()
    var history = AudioHistory(capacity: 32)
    var held: [[UInt8]] = []
    var (now, last) = (Int64(0), nil as Int?)
    while !program.isOver {
      let word = program.byte()
      var events: [AudioReceiver.Event] = []
      switch word & 7 {
      case 0, 1:
        let packet = AudioPacket(
          type: 100, sequence: program.number16(), timestamp: UInt32(word), source: 0, payload: program.take(3))
        let sealed = sealer.seal(packet)
        history.add(sealed)
        held.append(sealed)
        guard let opened = opener.open(sealed) else { throw Finding("a new packet is not opened") }
        try require(opened == packet, "a packet is not opened as it was sealed")
        try require(opener.open(sealed) == nil, "a packet is opened twice")
        events = receiver.take(packet, at: now)
      case 2: if let old = held.element(program.byte()) { try require(opener.open(old) == nil, "an old packet") }
      case 3:
        var damaged = held.element(program.byte()) ?? [0]
        damaged[Int(word) % damaged.count] ^= 1
        // The type and the sequence number are not authenticated.
        if let packet = opener.open(damaged) { try require(word < 4, "\(packet) is damaged") }
      case 4:
        now += Int64(program.number16()) * 1_000_000
        events = receiver.advance(to: now)
      case 5:
        for request in receiver.requests(at: now) {
          try require((1...64).contains(request.count), "a request for \(request.count) packets")
          for answer in history.answers(to: request, at: MonotonicTime(nanoseconds: now)) {
            try checkControl(answer.bytes)
          }
        }
      default: try checkControl(program.take(Int(program.byte() & 63)))
      }
      try require(receiver.waitingCount <= AudioReceiver.maximumWaitingCount, "\(receiver.waitingCount) packets wait")
      for event in events { try order(event, &last) }
    }
  }

  private static func order(_ event: AudioReceiver.Event, _ last: inout Int?) throws(Finding) {
    switch event {
    case .packet(let packet, _):
      let sequence = Int(packet.sequence)
      if let before = last { try require(sequence == (before + 1) & 0xFFFF, "packet \(sequence) behind \(before)") }
      last = sequence
    case .lost(let first, let count):
      try require(count > 0, "a loss of no packets")
      if let before = last { try require(Int(first) == (before + 1) & 0xFFFF, "lost \(first) behind \(before)") }
      last = (Int(first) + count - 1) & 0xFFFF
    case .restarted: last = nil
    }
  }

  private static func checkControl(_ bytes: [UInt8]) throws(Finding) {
    if let packet = AudioControlPacket(bytes: bytes) {
      try require(AudioControlPacket(bytes: packet.bytes) == packet, "\(packet) is another when written")
    }
    if let clock = ClockPacket(bytes: bytes) {
      try require(ClockPacket(bytes: clock.bytes) == clock, "\(clock) is another when written")
      var estimate = ClockEstimate()
      for arrived in [0, clock.sent, UInt64.max, clock.received] { estimate.take(clock, arrived: arrived) }
    }
  }
}

extension [[UInt8]] {
  /// An element that a byte selects; nil of no elements.
  fileprivate func element(_ byte: UInt8) -> [UInt8]? { isEmpty ? nil : self[Int(byte) % count] }
}
