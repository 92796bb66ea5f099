// swift-iap2 · Apache-2.0

/// One side of everything below the roles: the link and the sessions inside it. No I/O, no clock.
///
/// Verbs take the time and change the endpoint; then the owner asks again, in this order, until each has nothing more:
/// `receive` (or `nextEvent`) for events, `nextTransmit` for bytes, and `nextDeadline` for when to call
/// `handleDeadline`. That rule holds after every verb; nothing else wakes an endpoint.
///
///     var offset = 0
///     while let event = endpoint.receive(bytes, offset: &offset, at: now) { … endpoint.bytes(of: payload, in: bytes) … }
///     while endpoint.nextTransmit(at: now, { transport.send($0) }) != nil {}
///
/// Payloads are lent until the next mutating call. In steady state no packet costs an allocation.
public struct Endpoint: Sendable {
  public let side: Side
  public let limits: Limits
  let quirks: EndpointQuirks
  var link: Link
  var assembler = MessageAssembler()
  var controlQueue: [[UInt8]] = []
  var controlOffset = 0
  var controlByteCount = 0
  var externalAccessory: [ExternalAccessorySession] = []
  var turn = 0
  var files: FileTransfers
  /// Ids of the agreed sessions, found by type.
  var controlID: UInt8 = 0
  var fileID: UInt8?
  var externalAccessoryID: UInt8?
  /// The rest of a control packet that held more than one message.
  var rest: LentPayload?
  var restOffset = 0
  var meter: MessageRateMeter?
  /// Until when an orderly end may still send what is queued.
  var closeDeadline: MonotonicTime?

  /// Where our own sides begin; any number is legal, and two that differ are easily told apart in a capture.
  public static func firstSequence(of side: Side) -> SequenceNumber {
    switch side {
    case .accessory: SequenceNumber(0x2B)
    case .device: SequenceNumber(0x64)
    }
  }

  /// - Parameters:
  ///   - preferences: what to offer and accept; `offer.outOfRange` should be empty.
  ///   - quirks: what to do as no other does.
  ///   - firstSequence: sequence number of the first SYN; any value is legal.
  public init(
    side: Side, preferences: LinkPreferences = LinkPreferences(), limits: Limits = Limits(),
    quirks: EndpointQuirks = EndpointQuirks(), firstSequence: SequenceNumber = Endpoint.firstSequence(of: .accessory)
  ) {
    self.side = side
    self.limits = limits
    self.quirks = quirks
    meter = quirks.resetsAbove.map(MessageRateMeter.init)
    link = Link(side: side, preferences: preferences, limits: limits, firstSequence: firstSequence)
    link.missingControl =
      quirks.sendsBareExtendedAcknowledge ? .extendedAcknowledge : [.acknowledge, .extendedAcknowledge]
    files = FileTransfers(side: side, limits: limits)
  }

  // MARK: Verbs

  /// Begins detection: the accessory speaks, the device waits.
  public mutating func start(at now: MonotonicTime) { link.start(at: now) }

  /// Begins an orderly end: what is queued is sent and acknowledged, then RST leaves and `linkDown(.closed)` follows.
  public mutating func close(at now: MonotonicTime) {
    guard closeDeadline == nil else { return }
    closeDeadline = now.adding(milliseconds: limits.closeTimeoutMilliseconds)
    finishClosing(at: now)
  }

  /// Closes the link once nothing is queued any more, or time is up.
  private mutating func finishClosing(at now: MonotonicTime) {
    guard let deadline = closeDeadline else { return }
    pump()
    guard !link.isUp || deadline <= now || !hasQueued else { return }
    link.close(at: now)
    closeDeadline = nil
  }

  /// Ends at once with RST.
  public mutating func reset() { link.reset() }

  public mutating func handleDeadline(at now: MonotonicTime) {
    acknowledgeHeld(at: now)
    link.handleDeadline(at: now)
    pump()
    finishClosing(at: now)
  }

  public var nextDeadline: MonotonicTime? {
    guard let closing = closeDeadline else { return link.nextDeadline }
    return min(link.nextDeadline ?? closing, closing)
  }

  public var isUp: Bool { link.isUp }

  /// A live peer can be made to answer: the link is up, acknowledges, and has carried something.
  public var canProbe: Bool { link.canProbe }

  /// Asks the peer for a sign of life, with a packet that changes nothing; nothing where it cannot be asked.
  public mutating func probe() { link.probe() }

  /// Hands the next packet or detect sequence to `body`; nil when nothing is left to send.
  public mutating func nextTransmit<R>(at now: MonotonicTime, _ body: (RawSpan) -> R) -> R? {
    pump()
    if closeDeadline != nil { finishClosing(at: now) }
    return link.nextTransmit(at: now, body)
  }

  /// Appends everything that may leave now, up to about `limit` bytes; false if nothing was appended.
  public mutating func transmit(into bytes: inout [UInt8], at now: MonotonicTime, limit: Int = 1 << 18) -> Bool {
    let start = bytes.count
    while bytes.count - start < limit, nextTransmit(at: now, { bytes.append(copying: $0) }) != nil {}
    return bytes.count > start
  }

  /// Events that no bytes are needed for, as after a deadline.
  public mutating func nextEvent(at now: MonotonicTime) -> ProtocolEvent? {
    let nothing: [UInt8] = []
    var offset = 0
    return receive(nothing.rawBytes, offset: &offset, at: now)
  }

  /// Goes on with the transport's bytes at `offset` until there is an event; nil when all are used.
  public mutating func receive(_ bytes: RawSpan, offset: inout Int, at now: MonotonicTime) -> ProtocolEvent? {
    if rest != nil, let event = continueMessages(bytes, at: now) { return event }
    while let event = link.receive(bytes, offset: &offset, at: now) {
      switch event {
      case .data(let session, let payload):
        if let told = deliver(session, payload, bytes, at: now) { return told }
      case .detected: return .detected
      case .legacyPeer: return .legacyPeer
      case .proposal(let proposal): return .proposal(proposal)
      case .violation(let violation): return .violation(violation)
      case .up(let local, let remote):
        linkCameUp(local)
        return .linkUp(local: local, remote: remote)
      case .down(let end):
        forgetSessions()
        return .linkDown(end)
      }
    }
    return nil
  }

  /// The bytes of an event, from the same `input` that `receive` was given.
  @_lifetime(borrow self, copy input)
  public func bytes(of payload: LentPayload, in input: RawSpan) -> RawSpan {
    guard payload.place == .assembled else {
      return unsafe _overrideLifetime(link.bytes(of: payload, in: input), borrowing: self)
    }
    return unsafe _overrideLifetime(assembler.collected.rawBytes.extracting(payload.range), borrowing: self)
  }

  // MARK: Receiving

  private mutating func linkCameUp(_ agreed: LinkSynchronization) {
    controlID = agreed.sessionID(of: .control) ?? 0
    fileID = agreed.sessionID(of: .fileTransfer)
    externalAccessoryID = agreed.sessionID(of: .externalAccessory)
  }

  private mutating func forgetSessions() {
    closeDeadline = nil
    assembler.reset()
    rest = nil
    controlQueue = []
    controlOffset = 0
    controlByteCount = 0
    externalAccessory = []
    files = FileTransfers(side: side, limits: limits)
  }

  @inline(__always)
  private mutating func deliver(
    _ session: UInt8, _ payload: LentPayload, _ input: RawSpan, at now: MonotonicTime
  ) -> ProtocolEvent? {
    if session == controlID {
      rest = payload
      restOffset = 0
      return continueMessages(input, at: now)
    }
    if session == externalAccessoryID { return deliverExternalAccessory(session, payload, input, at: now) }
    if session == fileID { return deliverFile(session, payload, input) }
    return .violation(.unknownSession(session))
  }

  private mutating func continueMessages(_ input: RawSpan, at now: MonotonicTime) -> ProtocolEvent? {
    guard let payload = rest else { return nil }
    // Moved out and back: the bytes are lent by `self`, which must not be changed meanwhile.
    var working = MessageAssembler()
    swap(&working, &assembler)
    var offset = restOffset
    let step = working.next(in: link.bytes(of: payload, in: input), offset: &offset)
    swap(&working, &assembler)
    restOffset = offset
    if step.isMessage {
      guard meter?.note(at: now) != false else { return resetLink(at: now) }
      if quirks.readsFirstMessageOnly { restOffset = payload.byteCount }
    }
    switch step {
    case .whole(let range):
      let start = payload.range.lowerBound
      if restOffset == payload.byteCount { rest = nil }
      let message = LentPayload(
        place: payload.place, range: (start + range.lowerBound)..<(start + range.upperBound))
      return .message(id: link.bytes(of: message, in: input).bigEndian16(4), message)
    case .collected:
      return .message(
        id: assembler.collected.rawBytes.bigEndian16(4),
        LentPayload(place: .assembled, range: 0..<assembler.collected.count))
    case .bad(let error):
      rest = nil
      return .violation(.badMessage(error))
    case .done:
      rest = nil
      return nil
    }
  }

  /// A quirk: the peer sends faster than this side can take.
  private mutating func resetLink(at now: MonotonicTime) -> ProtocolEvent? {
    rest = nil
    meter?.reset()
    link.restart(at: now)
    return .violation(.messagesTooFast)
  }

  @inline(__always)
  private mutating func deliverExternalAccessory(
    _ session: UInt8, _ payload: LentPayload, _ input: RawSpan, at now: MonotonicTime
  ) -> ProtocolEvent? {
    guard payload.byteCount >= 2 else {
      return .violation(.shortDatagram(session: session, byteCount: payload.byteCount))
    }
    let id = link.bytes(of: payload, in: input).bigEndian16(0)
    guard let index = externalAccessory.firstIndex(where: { $0.id == id }) else {
      return .violation(.unknownExternalAccessorySession(id))
    }
    let data = LentPayload(place: payload.place, range: (payload.range.lowerBound + 2)..<payload.range.upperBound)
    externalAccessory[index].unreadByteCount += data.byteCount
    let unread = externalAccessory[index].unreadByteCount
    if unread > limits.externalAccessoryHighMark {
      if unread > limits.externalAccessoryUnreadByteCount {
        closeExternalAccessory(id)
        return .externalAccessoryOverflow(session: id)
      }
      externalAccessory[index].isHolding = true
      link.holdAcknowledgement(at: now)
    }
    return .externalAccessoryData(session: id, data)
  }

  private mutating func deliverFile(_ session: UInt8, _ payload: LentPayload, _ input: RawSpan) -> ProtocolEvent? {
    guard payload.byteCount >= 2 else {
      return .violation(.shortDatagram(session: session, byteCount: payload.byteCount))
    }
    let data = LentPayload(place: payload.place, range: (payload.range.lowerBound + 2)..<payload.range.upperBound)
    let id = link.bytes(of: payload, in: input).byte(0)
    let operation = FileTransferOperation(rawValue: link.bytes(of: payload, in: input).byte(1))
    var files = FileTransfers(side: side, limits: limits)
    swap(&files, &self.files)
    let outcome = files.receive(id: id, operation, link.bytes(of: data, in: input), data)
    swap(&files, &self.files)
    switch outcome {
    case .event(let event): return .fileTransfer(event)
    case .nothing: return nil
    case .bad: return .violation(.badFileTransfer(file: id, operation: operation.rawValue))
    }
  }
}
