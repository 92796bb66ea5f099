// swift-iap2 · Apache-2.0

public import Basics

/// One side of a connection below the roles: the link and the sessions inside it. It does no I/O and reads no clock.
///
/// Each call takes the time as an argument and changes the endpoint. After every call, the owner asks in this order
/// until nothing is left: `receive` (or `nextEvent`) for events, `nextTransmit` for bytes to send, and `nextDeadline`
/// for the time to call `handleDeadline`. Nothing else triggers work in an endpoint.
///
///     var offset = 0
///     while let event = endpoint.receive(bytes, offset: &offset, at: now) { … endpoint.bytes(of: payload, in: bytes) … }
///     while endpoint.nextTransmit(at: now, { transport.send($0) }) != nil {}
///
/// Payloads are lent: they are valid until the next mutating call. In steady state no packet allocates memory.
public struct Endpoint: Sendable {
  /// The side that this endpoint takes.
  public let side: Side
  /// The bounds of every buffer, queue and timer.
  package let limits: Limits
  let quirks: EndpointQuirks
  var link: Link
  var assembler = MessageAssembler()
  var controlQueue = Queue<[UInt8]>()
  var controlOffset = 0
  var controlByteCount = 0
  var externalAccessory: [ExternalAccessorySession] = []
  /// The bytes that waited in EA sessions when the last link ended, by session id.
  var unsent: [UInt16: Int] = [:]
  var turn = 0
  var files: FileTransfers
  /// The link session ids that the agreed list gives to the types.
  var controlID: UInt8 = 0
  var fileID: UInt8?
  var externalAccessoryID: UInt8?
  /// The unread part of a control packet that held more than one message.
  var rest: LentPayload?
  var restOffset = 0
  var meter: MessageRateMeter?
  /// The time until which an orderly end may still send queued bytes.
  var closeDeadline: MonotonicTime?

  /// Returns the sequence number of the first SYN that this project uses for a side. Any number is legal
  /// (Reliability.md#sequence-range; high); two different ones are easy to distinguish in a capture.
  package static func firstSequence(of side: Side) -> SequenceNumber {
    switch side {
    case .accessory: SequenceNumber(0x2B)
    case .device: SequenceNumber(0x64)
    }
  }

  /// Creates an endpoint that is idle until `start`.
  ///
  /// - Parameters:
  ///   - side: The side that the endpoint takes.
  ///   - preferences: The values to offer and to accept. `offer.outOfRange` should be empty.
  ///   - limits: The bounds of every buffer, queue and timer.
  ///   - quirks: Deviations of real implementations to emulate.
  ///   - firstSequence: The sequence number of the first SYN. Any value is legal.
  package init(
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

  /// Creates an endpoint that waits for `start`.
  ///
  /// - Parameters:
  ///   - side: The side that this endpoint plays.
  ///   - preferences: The values to negotiate.
  ///   - limits: The bounds of every buffer, queue and timer.
  public init(side: Side, preferences: LinkPreferences = LinkPreferences(), limits: Limits = Limits()) {
    self.init(side: side, preferences: preferences, limits: limits, quirks: EndpointQuirks())
  }

  // MARK: Verbs

  /// Starts detection: the accessory sends the detect sequence, the device waits for it.
  public mutating func start(at now: MonotonicTime) { link.start(at: now) }

  /// Starts an orderly end. Queued bytes are sent and acknowledged, then RST is sent and `linkDown(.closed)` follows.
  /// The end takes at most ``Limits/closeTimeoutMilliseconds`` for the queued bytes and as long again for the
  /// acknowledgements.
  public mutating func close(at now: MonotonicTime) {
    guard closeDeadline == nil else { return }
    closeDeadline = now.adding(milliseconds: limits.closeTimeoutMilliseconds)
    finishClosing(at: now)
  }

  /// Closes the link once nothing is queued or the deadline has passed.
  private mutating func finishClosing(at now: MonotonicTime) {
    guard let deadline = closeDeadline else { return }
    pump()
    guard !link.isUp || deadline <= now || !hasQueued else { return }
    link.close(at: now)
    closeDeadline = nil
  }

  /// Ends the link at once with RST and drops what is queued.
  public mutating func reset() { link.reset() }

  /// Handles every deadline that has passed. Call it at ``nextDeadline``; an earlier or repeated call does nothing.
  public mutating func handleDeadline(at now: MonotonicTime) {
    acknowledgeHeld(at: now)
    link.handleDeadline(at: now)
    pump()
    finishClosing(at: now)
  }

  /// The time at which `handleDeadline` is due; nil if no timer runs.
  public var nextDeadline: MonotonicTime? {
    guard let closing = closeDeadline else { return link.nextDeadline }
    return min(link.nextDeadline ?? closing, closing)
  }

  /// Whether the link is up, so that messages can be sent.
  public var isUp: Bool { link.isUp }

  /// Whether ``probe()`` can make a live peer answer: the link is up and uses acknowledgements, and the peer has
  /// acknowledged a data packet.
  package var canProbe: Bool { link.canProbe }

  /// The retransmission values that the link has agreed on; before that, those of this side's proposal.
  package var retransmission: AgreedRetransmission {
    AgreedRetransmission(milliseconds: Int(link.local.retransmissionTimeout), limit: Int(link.local.maxRetransmissions))
  }

  /// The number of received packets that acknowledge what this side sent. Only these prove that the peer still has the
  /// link: bytes of a peer that has restarted acknowledge nothing.
  package var acknowledgementsReceived: Int { link.acknowledgementsReceived }

  /// Whether the peer sent DETECT on a link that is up and is being probed, so that the link decides within
  /// ``Limits/restartProbes`` intervals whether it restarted.
  package var isCheckingRestart: Bool { link.isCheckingRestart }

  /// Makes a live peer acknowledge, with a packet that changes nothing: the last acknowledged packet is retransmitted.
  /// Does nothing if ``canProbe`` is false.
  package mutating func probe() { link.probe() }

  /// Calls `body` with the next packet or detect sequence to send; returns nil if nothing is left to send.
  package mutating func nextTransmit<R>(at now: MonotonicTime, _ body: (RawSpan) -> R) -> R? {
    pump()
    if closeDeadline != nil { finishClosing(at: now) }
    return link.nextTransmit(at: now, body)
  }

  /// Appends everything that may be sent now. Stops after the packet that reaches `limit` bytes. Returns false if
  /// nothing was appended.
  public mutating func transmit(into bytes: inout [UInt8], at now: MonotonicTime, limit: Int = 1 << 18) -> Bool {
    let start = bytes.count
    while bytes.count - start < limit, nextTransmit(at: now, { bytes.append(copying: $0) }) != nil {}
    return bytes.count > start
  }

  /// Returns events that need no received bytes, such as those after a deadline.
  public mutating func nextEvent(at now: MonotonicTime) -> ProtocolEvent? {
    let nothing: [UInt8] = []
    var offset = 0
    return receive(nothing.rawBytes, offset: &offset, at: now)
  }

  /// Reads the transport's bytes from `offset` until an event occurs. Advances `offset`, and returns nil once all bytes
  /// are used.
  public mutating func receive(_ bytes: RawSpan, offset: inout Int, at now: MonotonicTime) -> ProtocolEvent? {
    if rest != nil, let event = continueMessages(bytes, at: now) { return event }
    while let event = link.receive(bytes, offset: &offset, at: now) {
      switch event {
      case .data(let session, let payload):
        if let reported = deliver(session, payload, bytes, at: now) { return reported }
      case .detected: return .detected
      case .legacyPeer: return .legacyPeer
      case .proposal(let proposal): return .proposal(proposal)
      case .violation(let violation): return .violation(.link(violation))
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

  /// Returns the bytes of an event's payload. `input` must be the bytes that `receive` was given.
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
    unsent = [:]
  }

  private mutating func forgetSessions() {
    closeDeadline = nil
    assembler.reset()
    rest = nil
    controlQueue.removeAll()
    controlOffset = 0
    controlByteCount = 0
    for session in externalAccessory where session.queuedByteCount > 0 { unsent[session.id] = session.queuedByteCount }
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
    // The assembler is moved out and back, because the payload borrows `self`, which must not change meanwhile.
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
      let message = LentPayload(range: (start + range.lowerBound)..<(start + range.upperBound), place: payload.place)
      return .message(id: link.bytes(of: message, in: input).bigEndian16(4), message)
    case .collected:
      return .message(
        id: assembler.collected.rawBytes.bigEndian16(4),
        LentPayload(range: 0..<assembler.collected.count, place: .assembled))
    case .bad(let error):
      rest = nil
      return .violation(.badMessage(error))
    case .done:
      rest = nil
      return nil
    }
  }

  /// Emulates a side that resets the link if messages arrive faster than `resetsAbove` allows.
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
    let data = LentPayload(range: (payload.range.lowerBound + 2)..<payload.range.upperBound, place: payload.place)
    externalAccessory[index].unreadByteCount += data.byteCount
    let unread = externalAccessory[index].unreadByteCount
    if unread > limits.externalAccessoryHighMark {
      if unread > limits.externalAccessoryUnreadByteCount {
        closeExternalAccessory(id)
        return .externalAccessoryOverflow(session: id)
      }
      externalAccessory[index].isHolding = true
      link.delayAcknowledgements(at: now)
    }
    return .externalAccessoryData(session: id, data)
  }

  private mutating func deliverFile(_ session: UInt8, _ payload: LentPayload, _ input: RawSpan) -> ProtocolEvent? {
    guard payload.byteCount >= 2 else {
      return .violation(.shortDatagram(session: session, byteCount: payload.byteCount))
    }
    let data = LentPayload(range: (payload.range.lowerBound + 2)..<payload.range.upperBound, place: payload.place)
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
