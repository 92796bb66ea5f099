// swift-iap2 · Apache-2.0

import IAP2

/// A record's number and times.
struct CaptureMoment: Sendable {
  var record = 1
  /// Seconds since the capture began, or as a text form has it.
  var time: Double?
  var nanoseconds: Int64?

  func place(from side: Side, flow: Int) -> DecodedPlace {
    DecodedPlace(record: record, time: time, nanoseconds: nanoseconds, from: side, flow: flow)
  }
}

/// One connection of a capture: finds out which end is the accessory, then decodes both streams.
struct FlowDecoder: Sendable {
  /// A piece that came before it was known whose it is.
  private struct Held: Sendable {
    var moment: CaptureMoment
    var end: Int
    var bytes: [UInt8]
    var isMessage: Bool
    var followsGap: Bool
    var comment: String?
  }

  let key: FlowKey
  let number: Int
  private var connection = ConnectionDecoder()
  /// The side of end 0; nil until content has told.
  private(set) var first: Side?
  private var held: [Held] = []
  private var heldByteCount = 0
  /// For pieces of anybody: who sent which sequence number last.
  private var last = BothSides<SequenceNumber?>(nil)
  private var lastSide = Side.device
  private let isSwapped: Bool

  /// Bytes that wait for proof of who is who; then the one who spoke first counts as the accessory.
  private static let maximumHeldByteCount = 1 << 18

  /// - Parameter isSwapped: the user knows that it is the other way round.
  init(key: FlowKey, number: Int, isSwapped: Bool) {
    self.key = key
    self.number = number
    self.isSwapped = isSwapped
  }

  mutating func take<Sink: DecodedSink>(
    _ bytes: RawSpan, _ piece: CapturePiece, at moment: CaptureMoment, _ sink: inout Sink
  ) {
    let from: Side
    switch piece.sender {
    case .side(let side): from = isSwapped ? side.peer : side
    case .unknown: from = guess(bytes, isMessage: piece.isMessage)
    case .end(let end):
      if first == nil { settle(bytes, end, isMessage: piece.isMessage) }
      guard let first else {
        held.append(
          Held(
            moment: moment, end: end, bytes: [UInt8](copying: bytes), isMessage: piece.isMessage,
            followsGap: piece.followsGap, comment: piece.comment))
        heldByteCount += bytes.byteCount
        if heldByteCount > Self.maximumHeldByteCount { giveUpWaiting(&sink) }
        return
      }
      release(&sink)
      from = end == 0 ? first : first.peer
    }
    let place = moment.place(from: from, flow: number)
    decode(bytes, piece.isMessage, followsGap: piece.followsGap, comment: piece.comment, place, &sink)
  }

  mutating func finish<Sink: DecodedSink>(record: Int, time: Double?, _ sink: inout Sink) {
    giveUpWaiting(&sink)
    connection.finish(record: record, time: time, flow: number, &sink)
  }

  private mutating func decode<Sink: DecodedSink>(
    _ bytes: RawSpan, _ isMessage: Bool, followsGap: Bool, comment: String?, _ place: DecodedPlace,
    _ sink: inout Sink
  ) {
    if let comment { sink.comment(comment, at: place) }
    sink.piece(bytes, isMessage: isMessage, at: place)
    if followsGap { sink.error("bytes before these were not captured", offset: 0, at: place) }
    if isMessage { connection.message(bytes, at: place, &sink) } else { connection.decode(bytes, at: place, &sink) }
  }

  // MARK: Who is who

  private mutating func settle(_ bytes: RawSpan, _ end: Int, isMessage: Bool) {
    let sender = isMessage ? MessageCatalog[bytes.bigEndian16(4)]?.info.sender : LinkContent.sender(bytes)
    guard let sender else { return }
    let side = isSwapped ? sender.peer : sender
    first = end == 0 ? side : side.peer
  }

  /// Nothing has told: over USB bulk the device is the accessory, elsewhere the one who spoke first.
  private mutating func giveUpWaiting<Sink: DecodedSink>(_ sink: inout Sink) {
    guard first == nil, let earliest = held.first else { return }
    let speaker: Side = if case .usb = key { earliest.end == 0 ? .device : .accessory } else { .accessory }
    let side = isSwapped ? speaker.peer : speaker
    first = earliest.end == 0 ? side : side.peer
    release(&sink)
  }

  private mutating func release<Sink: DecodedSink>(_ sink: inout Sink) {
    guard !held.isEmpty, let first else { return }
    let waiting = held
    held = []
    heldByteCount = 0
    for piece in waiting {
      let place = piece.moment.place(from: piece.end == 0 ? first : first.peer, flow: number)
      decode(
        piece.bytes.rawBytes, piece.isMessage, followsGap: piece.followsGap, comment: piece.comment, place, &sink)
    }
  }

  /// For bytes that nobody says anything of: by what they are, else by whose sequence numbers they go on.
  private mutating func guess(_ bytes: RawSpan, isMessage: Bool) -> Side {
    if isMessage { return MessageCatalog[bytes.bigEndian16(4)]?.info.sender ?? .accessory }
    if LinkContent.isDetect(bytes) { return flip() }
    guard case .packet(let header, _) = LinkScanner.scan(bytes, from: 0) else { return lastSide }
    let goesOn = Side.allCases.first { side in
      last[side].map { (0...1).contains(header.sequence.distance(from: $0)) } ?? false
    }
    lastSide = LinkContent.sender(bytes) ?? goesOn ?? lastSide.peer
    last[lastSide] = header.sequence
    return lastSide
  }

  /// The accessory detects, the device answers.
  private mutating func flip() -> Side {
    lastSide = lastSide.peer
    return lastSide
  }
}
