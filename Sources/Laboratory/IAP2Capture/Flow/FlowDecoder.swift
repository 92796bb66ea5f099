// swift-iap2 · Apache-2.0

import IAP2

/// The number and the times of a record.
package struct CaptureMoment: Sendable {
  package var record = 1
  /// Seconds since the first record of a binary file; as written in a text.
  package var time: Double?
  package var nanoseconds: Int64?

  func place(from side: Side, flow: Int) -> DecodedPlace {
    DecodedPlace(record: record, time: time, nanoseconds: nanoseconds, from: side, flow: flow)
  }
}

/// A decoder of one connection: it finds out which end is the accessory, then decodes both streams.
struct FlowDecoder: Sendable {
  /// A piece that was received before its side was known.
  private struct Held: Sendable {
    var moment: CaptureMoment
    /// The end that sent the piece; nil if the capture does not state it.
    var end: Int?
    var bytes: [UInt8]
    var isMessage: Bool
    var followsGap: Bool
    var isCut: Bool
    var comment: String?
  }

  let key: FlowKey
  let number: Int
  private var connection = ConnectionDecoder()
  /// The side of end 0; nil until the content shows it.
  private(set) var first: Side?
  private var finder = SideFinder()
  /// The evidence outside the bytes of the connection.
  private var evidence: SideEvidence?
  /// The evidence by which the sides were decided; nil if they are proven or stated, or if the transport shows them.
  private(set) var decidedBy: SideEvidence?
  /// The first record that proves the sides to be exchanged.
  private(set) var contradiction: Int?
  /// Whether the search for proof goes on, because the sides were decided without it.
  private var isUnproven = false
  private var held: [Held] = []
  private var heldByteCount = 0
  /// For pieces of unknown sender: the last sequence number of each side.
  private var last = BothSides<SequenceNumber?>(nil)
  private var lastSide: Side
  /// The number of records that do not state their sender, and of those among them whose side is a guess.
  private(set) var unstated = (records: 0, guesses: 0)
  private let isSwapped: Bool

  /// The maximum of bytes that wait for proof of the sides. Beyond it, `giveUpWaiting` decides.
  private static let maximumHeldByteCount = 1 << 18

  /// - Parameter isSwapped: whether the user states that the sides are the other way round.
  init(key: FlowKey, number: Int, isSwapped: Bool) {
    self.key = key
    self.number = number
    self.isSwapped = isSwapped
    lastSide = isSwapped ? .accessory : .device
  }

  mutating func take<Sink: DecodedSink>(
    _ bytes: RawSpan, _ piece: CapturePiece, at moment: CaptureMoment, _ sink: inout Sink
  ) {
    let from: Side
    switch piece.sender {
    case .side(let side): from = isSwapped ? side.peer : side
    case .unknown:
      // Pieces wait together, so that their order stays.
      guard held.isEmpty else { return hold(bytes, nil, piece, at: moment, &sink) }
      from = guess(bytes, isMessage: piece.isMessage)
    case .end(let end):
      if first == nil || isUnproven { look(bytes, end, piece, at: moment) }
      guard let first else { return hold(bytes, end, piece, at: moment, &sink) }
      release(&sink)
      from = end == 0 ? first : first.peer
      note(bytes, from: from)
    }
    let place = moment.place(from: from, flow: number)
    decode(
      bytes, piece.isMessage, followsGap: piece.followsGap, isCut: piece.isCut, comment: piece.comment, place, &sink)
  }

  mutating func finish<Sink: DecodedSink>(record: Int, time: Double?, _ sink: inout Sink) {
    giveUpWaiting(&sink)
    connection.finish(record: record, time: time, flow: number, &sink)
  }

  private mutating func decode<Sink: DecodedSink>(
    _ bytes: RawSpan, _ isMessage: Bool, followsGap: Bool, isCut: Bool, comment: String?, _ place: DecodedPlace,
    _ sink: inout Sink
  ) {
    if let comment { sink.comment(comment, at: place) }
    sink.piece(bytes, isMessage: isMessage, at: place)
    if followsGap { sink.error("bytes before these were not captured", offset: 0, at: place) }
    if isMessage { connection.message(bytes, at: place, &sink) } else { connection.decode(bytes, at: place, &sink) }
    if isCut { connection.endCut(at: place, &sink) }
  }

  /// Keeps a piece until the sides are decided.
  private mutating func hold<Sink: DecodedSink>(
    _ bytes: RawSpan, _ end: Int?, _ piece: CapturePiece, at moment: CaptureMoment, _ sink: inout Sink
  ) {
    held.append(
      Held(
        moment: moment, end: end, bytes: [UInt8](copying: bytes), isMessage: piece.isMessage,
        followsGap: piece.followsGap, isCut: piece.isCut, comment: piece.comment))
    heldByteCount += bytes.byteCount
    if heldByteCount > Self.maximumHeldByteCount { giveUpWaiting(&sink) }
  }

  // MARK: Sides

  /// Looks for the proof of the sides, and for evidence.
  private mutating func look(_ bytes: RawSpan, _ end: Int, _ piece: CapturePiece, at moment: CaptureMoment) {
    if let found = piece.evidence { evidence = found.combined(with: evidence) }
    let sender =
      piece.isMessage ? MessageCatalog[bytes.bigEndian16(4)]?.info.sender : finder.take(bytes, end: end)
    guard let sender else { return }
    let side = isSwapped ? sender.peer : sender
    let proven = end == 0 ? side : side.peer
    if let first {
      if first != proven { contradiction = moment.record }
      isUnproven = false
      decidedBy = nil
    } else {
      first = proven
    }
    finder = SideFinder()
  }

  /// Decides the sides without proof: over USB bulk the USB device is the accessory, elsewhere by the strongest
  /// evidence, or else the end that sent first.
  private mutating func giveUpWaiting<Sink: DecodedSink>(_ sink: inout Sink) {
    guard first == nil, let earliest = held.lazy.compactMap(\.end).first else { return }
    isUnproven = true
    if case .usb = key {
      first = isSwapped ? .accessory : .device
      return release(&sink)
    }
    let found = [finder.evidence, evidence].compactMap { $0 }.compactMap(asFarAsShown)
    let guess = SideEvidence(.firstSender, end: earliest, is: .accessory)
    let best = found.reduce(guess) { $0.combined(with: $1) }
    first = isSwapped ? best.first.peer : best.first
    if finder.hasContent, !isSwapped { decidedBy = best }
    release(&sink)
  }

  /// Returns what evidence is worth in this capture; nil for nothing.
  ///
  /// A program logs some of its transfers, so the first detect of a log need not be the first one on the transport. If
  /// a record without a sender precedes it, it shows nothing.
  private func asFarAsShown(_ evidence: SideEvidence) -> SideEvidence? {
    guard case .text = key, evidence.kind == .detect else { return evidence }
    return unstated.records > 0 || held.contains { $0.end == nil }
      ? nil : SideEvidence(.loggedDetect, end: evidence.end, is: .accessory)
  }

  private mutating func release<Sink: DecodedSink>(_ sink: inout Sink) {
    guard !held.isEmpty, let first else { return }
    let waiting = held
    held = []
    heldByteCount = 0
    for piece in waiting {
      let from: Side
      if let end = piece.end {
        from = end == 0 ? first : first.peer
        note(piece.bytes.rawBytes, from: from)
      } else {
        from = guess(piece.bytes.rawBytes, isMessage: piece.isMessage)
      }
      let place = piece.moment.place(from: from, flow: number)
      decode(
        piece.bytes.rawBytes, piece.isMessage, followsGap: piece.followsGap, isCut: piece.isCut,
        comment: piece.comment, place, &sink)
    }
  }

  /// Returns the sender of bytes whose sender the capture does not give: the one that the content implies, else the
  /// side whose sequence numbers they continue.
  private mutating func guess(_ bytes: RawSpan, isMessage: Bool) -> Side {
    unstated.records += 1
    let proven = isMessage ? MessageCatalog[bytes.bigEndian16(4)]?.info.sender : LinkContent.sender(bytes)
    guard proven == nil else {
      let side = isSwapped ? proven?.peer : proven
      return note(bytes, from: side ?? lastSide)
    }
    unstated.guesses += 1
    if isMessage { return isSwapped ? .device : .accessory }
    // Detect sequences alternate: the accessory sends one, the device echoes it.
    if LinkContent.isDetect(bytes) { return note(bytes, from: lastSide.peer) }
    guard case .packet(let header, _) = LinkScanner.scan(bytes, from: 0) else { return lastSide }
    let goesOn = Side.allCases.first { side in
      last[side].map { (0...1).contains(header.sequence.distance(from: $0)) } ?? false
    }
    return note(bytes, from: goesOn ?? lastSide.peer)
  }

  /// Records the sender and the sequence number of bytes, which the next bytes without a sender may continue.
  @discardableResult
  private mutating func note(_ bytes: RawSpan, from side: Side) -> Side {
    guard case .text = key else { return side }
    lastSide = side
    if case .packet(let header, _) = LinkScanner.scan(bytes, from: 0) { last[side] = header.sequence }
    return side
  }
}
