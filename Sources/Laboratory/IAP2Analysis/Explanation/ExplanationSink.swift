// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Capture

/// A sink that follows the progress of each connection of a capture.
package struct ExplanationSink: DecodedSink {
  /// The connections, indexed by number; the analyzer bounds their number.
  package private(set) var histories: [ConnectionHistory] = []
  /// The explanations of CarPlay sessions, with the numbers of the sessions from 0.
  package private(set) var sessions: [(number: Int, explanation: SessionExplanation)] = []
  private(set) var bringUp = BringUp<SessionExplanation.Step>()
  private var wrongChecksum: WrongChecksum?
  private var contents = PacketContents()

  /// Creates a sink without connections.
  package init() {}

  @inline(__always)
  private mutating func index(_ place: DecodedPlace) -> Int {
    while histories.count <= place.flow { histories.append(ConnectionHistory()) }
    return place.flow
  }

  /// Keeps the comment, which may state the end of the transport.
  package mutating func comment(_ text: String, at place: DecodedPlace) {
    let index = index(place)
    histories[index].comment = (text, place.record)
    if let cause = CaptureNote.cause(text) { histories[index].ownEnd = cause }
    if CaptureNote.isTransportEnd(text) { histories[index].endTransport(place) }
  }

  /// Keeps the explanation of a CarPlay session.
  package mutating func session(_ explanation: SessionExplanation, number: Int) {
    sessions.append((number, explanation))
  }

  // MARK: Before the link

  /// The maximum of bytes that wait for the rest of a detect sequence or of an iAP1 frame.
  private static let maximumCarry = 64

  /// Finds bytes other than packets before the link is up.
  package mutating func piece(_ bytes: RawSpan, isMessage: Bool, at place: DecodedPlace) {
    let index = index(place)
    histories[index].packet = nil
    // After an RST only a frame of the accessory begins something new.
    guard !isMessage, histories[index].link.reset.map({ _ in place.from == .accessory }) ?? !histories[index].link.isUp
    else { return }
    var working: [UInt8] = []
    swap(&working, &histories[index].link.carry[place.from])
    guard !working.isEmpty else { return scan(bytes, index, place) }
    working.append(copying: bytes)
    scan(working.rawBytes, index, place)
  }

  /// Finds bytes that are neither a packet nor a detect sequence, until the link is up.
  private mutating func scan(_ bytes: RawSpan, _ index: Int, _ place: DecodedPlace) {
    var offset = 0
    while true {
      switch LinkScanner.scan(bytes, from: offset) {
      case .packet(let header, let start), .badPayloadChecksum(let header, let start): offset = start + header.byteCount
      case .detect(let start): offset = start + LinkScanner.detect.count
      case .legacyFrame(let range):
        if histories[index].link.reset != nil {
          histories[index].restart()
          histories[index].link.ledger.addBreach(
            .detectBytes, .detect, place, "the accessory sent an iAP1 frame after the RST, and no detect sequence")
        }
        histories[index].link.legacy[place.from] = histories[index].suspect(.legacyFrame, place)
        offset = range.upperBound
      case .garbage(let range):
        offset = range.upperBound
        guard histories[index].link.reset == nil else { break }
        histories[index].link.other[place.from] = histories[index].suspect(.otherBytes, place)
      case .incomplete(let start, _):
        if bytes.byteCount - start <= Self.maximumCarry {
          histories[index].link.carry[place.from] = [UInt8](copying: bytes.extracting(start..<bytes.byteCount))
        }
        return
      case .badHeader, .end: return
      }
    }
  }

  /// Records a detect sequence; after an RST it restarts the link.
  package mutating func detect(at place: DecodedPlace) {
    let index = index(place)
    if histories[index].link.reset != nil { histories[index].restart() }
    _ = histories[index].note(.detect, place)
    histories[index].link.ledger.removeBreach(.detectBytes, by: place.from)
    if histories[index].link.isUp {
      if place.from == .accessory { histories[index].link.strayDetects += 1 }
    } else {
      histories[index].link.detects[place.from] += 1
    }
  }

  // MARK: Link

  /// Keeps what the call of `link` does not have of the packet that it describes.
  package mutating func packet(_ bytes: RawSpan, offset: Int) {
    wrongChecksum = WrongChecksum(bytes)
    contents = PacketContents(bytes)
  }

  /// Records a packet with valid checksums; others are only counted.
  package mutating func link(
    _ header: LinkHeader, header state: DecodedLine.ChecksumState, payload: DecodedLine.ChecksumState,
    isRepeated: Bool, at place: DecodedPlace
  ) {
    let index = index(place)
    guard state == .valid, payload != .invalid else {
      histories[index].damagedPackets[place.from] += 1
      histories[index].link.noteDamage(header, wrongChecksum, place)
      return
    }
    histories[index].link.noteValid(header, isRepeated: isRepeated, from: place.from)
    histories[index].packets[place.from] += 1
    histories[index].packet = histories[index].packets[place.from]
    if place.from == .accessory { histories[index].link.strayDetects = 0 }
    let silence = place.time.flatMap { now in histories[index].link.lastPacket.map { now - $0 } }
    histories[index].link.lastPacket = place.time
    if header.control.isDisjoint(with: [.synchronize, .reset]), histories[index].link.reset == nil {
      histories[index].link.judge(header, isRepeated: isRepeated, at: place)
    }
    let isAnswered = histories[index].link.noteTraffic(header, contents, isRepeated: isRepeated, place)
    if header.control.isDisjoint(with: [.synchronize, .reset]) {
      histories[index].link.followAcknowledgements(header, at: place)
    }
    if isAnswered, histories[index].link.repeats?.from == place.from.peer { histories[index].link.repeats = nil }
    if header.control.contains(.synchronize) {
      synchronize(header, index, place)
      histories[index].link.begin(header.sequence, place.from)
    } else if header.control.contains(.reset) {
      guard histories[index].link.reset == nil else { return }
      histories[index].link.resetFollowsBurst =
        place.from == .accessory && histories[index].link.isBurst(until: place.time)
      let isIdle = histories[index].link.isIdle
      histories[index].link.reset = histories[index].note(.reset, place)
      if isIdle, let silence { histories[index].link.idleReset = IdleReset(from: place.from, silence: silence) }
    } else if let reset = histories[index].link.reset {
      guard reset.from == place.from.peer, header.hasData else { return }
      histories[index].link.troubles.note(afterResetAt: reset.time, place)
    } else {
      if !histories[index].link.isUp { histories[index].link.hasPacketBeforeOffer = true }
      other(header, isRepeated, index, place)
    }
  }

  private mutating func synchronize(_ header: LinkHeader, _ index: Int, _ place: DecodedPlace) {
    let isAnswer = header.control.contains(.acknowledge)
    let known = histories[index].link.offers[place.from]
    let isAgain = known?.isAnswer == isAnswer && known?.sequence == header.sequence
    if !isAnswer {
      let begins = histories[index].link.isUp && (!isAgain || histories[index].link.dataPackets > 0)
      let followsReset = histories[index].link.reset != nil
      if followsReset || begins { histories[index].restart() }
      if followsReset, place.from == .accessory {
        histories[index].link.ledger.addBreach(
          .detectFirst, .detect, place, "the SYN after the RST has no detect sequence before it")
      }
    }
    guard !histories[index].link.isUp else { return }
    histories[index].link.judgeOffer(header, at: place)
    let event = histories[index].note(isAnswer ? .synchronizeAnswer : .synchronize, place)
    var offer = LinkHistory.Offer(from: place.from, isAnswer: isAnswer, sequence: header.sequence, event: event)
    if isAgain, let known, histories[index].link.offers[place.from] != nil {
      offer.count = known.count + 1
      offer.parameters = known.parameters
    }
    histories[index].link.offers[place.from] = offer
  }

  /// Records the values of an offer.
  package mutating func synchronization(_ parameters: LinkSynchronization, at place: DecodedPlace) {
    let index = index(place)
    guard let offer = histories[index].link.offers[place.from], !histories[index].link.isUp else { return }
    if offer.isAnswer, offer.parameters != parameters { histories[index].link.rounds += 1 }
    histories[index].link.judge(parameters, at: place)
    histories[index].link.offers[place.from]?.parameters = parameters
  }

  /// Handles a packet with data or an acknowledgement.
  private mutating func other(_ header: LinkHeader, _ isRepeated: Bool, _ index: Int, _ place: DecodedPlace) {
    let carries = header.hasData
    if place.from == .accessory, header.control.contains(.acknowledge),
      header.acknowledgement == histories[index].link.unacknowledged
    {
      histories[index].link.unacknowledged = nil
    }
    if !histories[index].link.isUp, confirms(header, index, place.from) || carries {
      histories[index].link.isUp = true
      if !carries { _ = histories[index].note(.acknowledgement, place) }
    }
    guard carries else { return }
    guard isRepeated else {
      histories[index].link.dataPackets += 1
      if place.from == .device { histories[index].link.unacknowledged = header.sequence }
      return
    }
    if histories[index].link.repeats?.from != place.from {
      histories[index].link.repeats = LinkHistory.Repeats(from: place.from)
    }
    histories[index].link.repeats?.count += 1
  }

  /// Returns whether a pure ACK brings the link up: it does if it has the number of the last offer, or if the capture
  /// lacks the offers.
  private mutating func confirms(_ header: LinkHeader, _ index: Int, _ from: Side) -> Bool {
    let offers = histories[index].link.offers
    guard
      let answer = [offers.accessory, offers.device].compactMap({ $0 }).max(by: { $0.event.number < $1.event.number })
    else { return true }
    guard answer.isAnswer, answer.from == from.peer else { return false }
    guard header.acknowledgement != answer.sequence else { return true }
    histories[index].link.wrongAcknowledgement = (header.acknowledgement, answer.sequence)
    return false
  }

  // MARK: Sessions

  /// Records a control message; it shows that the link is up.
  package mutating func message(_ bytes: RawSpan, offset: Int, at place: DecodedPlace) {
    guard bytes.byteCount >= ControlHeader.byteCount else { return }
    let index = index(place)
    let id = bytes.bigEndian16(4)
    if BringUp<SessionExplanation.Step>.has(id) {
      let step = SessionExplanation.Step(
        record: place.record, time: place.time, from: place.from, text: MessageCatalog[id]?.name ?? "",
        connection: place.flow + 1)
      bringUp.take(id, step, at: place)
    }
    let event = histories[index].note(.message(id), place)
    let request = histories[index].link.unacknowledgedRequest(of: place.from.peer)
    histories[index].link.isUp = true
    if let time = place.time, place.from == .device { histories[index].link.noteMessage(at: time) }
    histories[index].link.offeredFile = nil
    let error = DecodedMessage(bytes).errors(from: offset).first
    let fault = error.map { MessageFault(from: place.from, record: place.record, id: id, text: $0.text) }
    histories[index].link.judge(id, bytes, fault, at: place)
    histories[index].link.note(id, bytes, event, at: place)
    if id == IdentificationInformation.id { histories[index].link.judgeIdentification(at: place) }
    if request != nil, request != histories[index].link.pending {
      histories[index].link.traffic[place.from].answersWithoutAcknowledgement += 1
    }
    histories[index].link.unlisted = histories[index].link.isListed(id, from: place.from) ? nil : event
    histories[index].link.fault = fault
    if !ControlHeader.isImplied(id) { histories[index].link.troubles.note(broken: fault, id, at: place) }
  }

  /// Records data of an EA session.
  package mutating func externalAccessory(session: UInt16, data: RawSpan, at place: DecodedPlace) {
    let index = index(place)
    let event = histories[index].note(.externalAccessoryData, place)
    histories[index].link.offeredFile = nil
    histories[index].link.judgeData(session: session, at: place)
    histories[index].link.noteData(event, session: session, at: place)
  }

  /// Records a file datagram as the last step.
  package mutating func fileTransfer(
    file: UInt8, _ operation: FileTransferOperation, data: RawSpan, at place: DecodedPlace
  ) {
    let index = index(place)
    let event = histories[index].note(.file, place)
    histories[index].link.offeredFile = operation == .setup ? (file, event) : nil
    histories[index].link.judge(file: file, operation, data, at: place)
    let hasBeginning = histories[index].link.hasBeginning
    histories[index].link.troubles.note(file: file, operation, data, hasBeginning: hasBeginning, at: place)
  }

  /// Counts an error.
  package mutating func error(_ message: String, offset: Int, at place: DecodedPlace) {
    let index = index(place)
    histories[index].errors += 1
    guard histories[index].link.isUp, MessageFault.isOfControlSession(message) else { return }
    let fault = MessageFault(from: place.from, record: place.record, text: message)
    histories[index].link.fault = fault
    histories[index].link.ledger.addBreach(
      fault.isOfUnknownSession ? .agreedSession : .readable, .validPacket, place, message)
  }

  /// Ignores damage of the file, which belongs to no connection.
  package mutating func fileDamage(_ message: String, offset: Int, at place: DecodedPlace) {}

  /// Counts a packet of which the capture has only the beginning. What a rule misses may be in its rest.
  package mutating func packetCut(at place: DecodedPlace) {
    let index = index(place)
    histories[index].cutPackets += 1
    histories[index].link.ledger.isIncomplete = true
  }

  /// Records the side whose bytes are truncated.
  package mutating func cutOff(within message: UnfinishedMessage?, at place: DecodedPlace) {
    let index = index(place)
    histories[index].cutOff = place.from
    histories[index].unfinished = message.map { (place.from, $0) }
  }
}

extension LinkHeader {
  /// Whether the packet has data of a session. The payload of an EAK is a list of numbers.
  fileprivate var hasData: Bool { payloadByteCount > 0 && !control.contains(.extendedAcknowledge) }
}

extension CaptureAnalyzer<ExplanationSink> {
  /// The explanations of the CarPlay sessions in the order of their numbers, with the messages of iAP2 that brought each
  /// one up.
  package var sessions: [(number: Int, explanation: SessionExplanation)] {
    var sessions = sink.sessions.sorted { $0.number < $1.number }
    let steps = sink.bringUp.steps(of: sessions.map(\.explanation.firstTime), flowKeys)
    for index in sessions.indices {
      let discovery = steps[index] + sessions[index].explanation.discovery
      sessions[index].explanation.discovery = discovery.sorted { $0.record < $1.record }
    }
    return sessions
  }
}
