// swift-iap2 · Apache-2.0

public import IAP2

/// One side of everything above the transport: an endpoint, a role's decisions, their pacing, the lifecycle, the EA
/// sessions and the deadlines of all of them. No I/O, no clock, no cryptography.
///
///     start ──► open ── end decided ──► ending(cause) ──┐
///                │                          │           │ link closed, given up, or transport closed
///                │ reset by the peer        │           ▼
///                └──────► ended(linkReset)  └─────► over(cause)
///                               │ detected again: open
///
/// Verbs take the time and change the session; then the owner asks again, until each has nothing more: `nextEvent` for
/// events, `nextRequest` for work on certificates, `transmit` for bytes, and `nextDeadline` for when to call
/// `handleDeadline`. After a reset on an open transport the link starts again, as a new connection with a new policy.
/// Each connection is reported as disconnected at most once, with the cause that its lifecycle decides.
public struct Session<Policy: RolePolicy>: Sendable {
  public internal(set) var endpoint: Endpoint
  public internal(set) var policy: Policy
  public internal(set) var lifecycle: Lifecycle
  let options: SessionOptions<Policy>

  var state = SessionState.open
  /// The connection on this transport, from 1.
  var connection = 1
  var isDetected = false
  public internal(set) var wasIdentified = false
  /// The lifecycle knows that both sides are ready.
  var wasReady = false
  var lastPower = PowerSighting()
  var identifyDeadline: MonotonicTime?
  /// When the policy last had a tick; nil while it wants none.
  var tickedAt: MonotonicTime?
  var paced: PacedActions
  var requests: [RoleAction] = []
  var externalAccessory: [UInt16: OpenExternalAccessory] = [:]
  /// EA sessions that this side asked for and that are not open yet, with the end of their time.
  var opening: [UInt16: MonotonicTime] = [:]
  /// Native EA sessions whose stream the owner is opening, with the answer that the peer then gets.
  var openingNatives: [UInt16: (name: String, answer: [UInt8]?)] = [:]
  /// Native EA sessions that are closed and still being read.
  var endingNatives: [(session: UInt16, name: String)] = []
  var events: [SessionEvent] = []
  var eventHead = 0

  /// Requests that wait for their turn: a whole authentication makes four.
  static var requestLimit: Int { 16 }

  public init(endpoint: Endpoint, lifecycle: Lifecycle = Lifecycle(), options: SessionOptions<Policy>) {
    self.endpoint = endpoint
    self.lifecycle = lifecycle
    self.options = options
    policy = options.makePolicy(nil)
    paced = PacedActions(options.pacing)
  }

  // MARK: State

  /// A connection is there whose end was not handled yet.
  public var isLive: Bool {
    switch state {
    case .open, .draining, .ending: true
    case .ended, .over: false
    }
  }

  /// Nothing more happens but that the last bytes leave; then the owner closes the transport.
  public var isOver: Bool { if case .over = state { true } else { false } }

  /// Why the last connection ended; nil before there was an end.
  public var cause: DisconnectCause? {
    switch state {
    case .open: nil
    case .draining(let cause), .ending(let cause), .ended(let cause), .over(let cause): cause
    }
  }

  // MARK: Verbs

  /// The transport is open.
  public mutating func start(address: String, at now: MonotonicTime) {
    judge(at: now) { $0.begin(at: now) }
    report(.transportOpened(address: address))
    limitIdentification(at: now)
    endpoint.start(at: now)
    settle(at: now)
  }

  /// Bytes of the transport, in order. Bytes that come after the end are ignored.
  public mutating func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    guard !isOver else { return }
    if !bytes.isEmpty { judge(at: now) { $0.heard(at: now) } }
    drain(bytes, at: now)
    settle(at: now)
  }

  /// Everything that happens beside bytes and time.
  public mutating func submit(_ input: SessionInput, at now: MonotonicTime) {
    switch input {
    case .transportClosed:
      over(decided ?? .transportClosed, at: now)
    case .disconnect: disconnect(at: now)
    case .notice: judge(at: now) { $0.notified(at: now) }
    case .answer(let request, let answer):
      guard request.connection == connection, let answer else { return }
      perform(policy.handle(answer), at: now)
    case .closeExternalAccessory(let session): close(session, at: now)
    case .abortExternalAccessory(let session): perform(policy.closeExternalAccessory(session), at: now)
    case .consumed(let session, let byteCount):
      endpoint.consume(externalAccessory: session, byteCount: byteCount)
    case .nativeOpened(let session): openedNative(session, at: now)
    case .nativeUnavailable(let session):
      guard let (name, answer) = openingNatives.removeValue(forKey: session) else { return }
      openOnLink(session, name, answer, at: now)
    case .nativeFailed(let session):
      guard externalAccessory[session]?.isNative == true else { return }
      report(.violation(.externalAccessoryEndpointsFailed(session: session)))
      perform(policy.closeExternalAccessory(session), at: now)
    case .nativeDrained(let session):
      guard externalAccessory[session]?.closing.isWaiting == true else { return }
      externalAccessory[session]?.closing = .now
      perform(policy.closeExternalAccessory(session), at: now)
    case .nativeEnded(let session, let bytesSent, let bytesReceived):
      nativeEnded(session, bytesSent: bytesSent, bytesReceived: bytesReceived)
    }
    drain([], at: now)
    settle(at: now)
  }

  /// Changes the role's policy and does what it wants.
  public mutating func act<Result>(
    at now: MonotonicTime, _ body: (inout Policy) -> (Result, [RoleAction])
  ) -> Result {
    let (result, actions) = body(&policy)
    perform(actions, at: now)
    drain([], at: now)
    settle(at: now)
    return result
  }

  /// Appends everything that may leave now, up to about `limit` bytes; false if nothing was appended.
  public mutating func transmit(into bytes: inout [UInt8], at now: MonotonicTime, limit: Int = 1 << 18) -> Bool {
    endpoint.transmit(into: &bytes, at: now, limit: limit)
  }

  /// The owner has sent what ``transmit(into:at:limit:)`` gave.
  public mutating func sent(at now: MonotonicTime) { settle(at: now) }

  /// The next event; nil when there is none.
  public mutating func nextEvent() -> SessionEvent? {
    guard eventHead < events.count else { return nil }
    let event = events[eventHead]
    eventHead += 1
    if eventHead == events.count {
      events.removeAll(keepingCapacity: true)
      eventHead = 0
    }
    return event
  }

  /// A request waits for the owner.
  public var hasRequest: Bool { !requests.isEmpty }

  /// The next request, which the owner answers; nil when there is none.
  public mutating func nextRequest() -> SessionRequest? {
    guard !requests.isEmpty else { return nil }
    return SessionRequest(action: requests.removeFirst(), connection: connection)
  }

  // MARK: Events of the endpoint

  /// Handles what the endpoint reports of the bytes, or of what was done to it.
  mutating func drain(_ bytes: [UInt8], at now: MonotonicTime) {
    var offset = 0
    while let event = endpoint.receive(bytes.rawBytes, offset: &offset, at: now) { handle(event, bytes, at: now) }
  }

  private mutating func handle(_ event: ProtocolEvent, _ bytes: [UInt8], at now: MonotonicTime) {
    switch event {
    case .detected:
      begin(at: now)
      // Once for each connection, however often the peer repeats its detect sequence.
      if !isDetected { report(.detected) }
      isDetected = true
    case .legacyPeer: report(.legacyPeer)
    case .proposal(let proposal): report(.proposal(proposal))
    case .linkUp(let local, let remote):
      begin(at: now)
      report(.linkUp(local: local, remote: remote))
      perform(policy.handle(.linkUp(local)), at: now)
    case .message(let id, let payload):
      let message = [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes))
      report(.message(.received, id: id, bytes: message))
      // A message that comes during the end changes nothing.
      if case .ending = state { return }
      let actions = policy.handle(.message(id: id, bytes: message))
      perform(actions, at: now)
      judgeSessions(actions, at: now)
    case .externalAccessoryData(let session, let payload):
      guard externalAccessory[session] != nil else { return }
      let chunk = [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes))
      externalAccessory[session]?.bytesReceived += chunk.count
      events.append(.data(session: session, chunk))
    case .externalAccessoryOverflow(let session): perform(policy.closeExternalAccessory(session), at: now)
    case .fileTransfer(let event):
      report(.fileTransfer(event))
      if let input = fileInput(event, bytes) { perform(policy.handle(.file(input)), at: now) }
    case .violation(let violation): report(.violation(violation))
    case .linkDown(let end): linkEnded(end, at: now)
    }
  }

  mutating func report(_ event: RoleEvent) {
    if event == .identified { wasIdentified = true }
    events.append(.role(event))
  }

  /// The peer speaks again after an end: a new connection. A session that is over stays over.
  private mutating func begin(at now: MonotonicTime) {
    guard case .ended = state else { return }
    state = .open
    wasIdentified = false
    // The lifecycle has forgotten the power of the connection before, so it is reported again.
    lastPower = PowerSighting()
    judge(at: now) { $0.begin(at: now) }
  }

  // MARK: Ends

  private mutating func linkEnded(_ end: LinkEnd, at now: MonotonicTime) {
    switch end {
    case .closed: over(decided ?? .requested, at: now)
    case .retransmissionLimit: over(.retransmissionLimit, at: now)
    case .notDetected, .notNegotiated: over(.timeout, at: now)
    case .reset:
      // An end that was decided stays decided, also when the peer resets the link first.
      if let decided { return over(decided, at: now) }
      // The link starts again by itself while the transport stays open.
      ended(.linkReset, at: now)
      policy = options.makePolicy(policy)
      isDetected = false
      connection += 1
      requests = []
      paced.removeAll()
      limitIdentification(at: now)
    }
  }

  /// The cause of an end that was decided and is not handled yet.
  private var decided: DisconnectCause? {
    switch state {
    case .draining(let cause), .ending(let cause): cause
    case .open, .ended, .over: nil
    }
  }

  private mutating func over(_ cause: DisconnectCause, at now: MonotonicTime) {
    ended(cause, at: now)
    state = .over(self.cause ?? cause)
  }

  /// The end of a connection's link, once.
  private mutating func ended(_ cause: DisconnectCause, at now: MonotonicTime) {
    release(at: now)
    guard isLive else { return }
    state = .ended(cause)
    judgeEnd(cause, at: now)
  }

  /// The lifecycle's verdict: the peer is gone, whatever the link still believes.
  mutating func giveUp(_ cause: DisconnectCause, at now: MonotonicTime) {
    switch state {
    case .open, .draining, .ending:
      state = .over(cause)
      wasReady = false
      release(at: now)
      endpoint.reset()
    case .ended: state = .ended(cause)
    case .over: state = .over(cause)
    }
  }

  private mutating func release(at now: MonotonicTime) {
    for session in externalAccessory.keys.sorted() { closeStream(session) }
    // Their end is reported before the connection's.
    for session in endingNatives.map(\.session) {
      let counts = options.nativeByteCounts(session)
      nativeEnded(session, bytesSent: counts.sent, bytesReceived: counts.received)
      events.append(.closed(session: session))
    }
    for session in opening.keys.sorted() { events.append(.closed(session: session)) }
    opening = [:]
    openingNatives = [:]
    paced.removeAll()
  }

  /// Decides the orderly end: what is queued is sent first. The cause of an end that was decided before stays.
  mutating func end(_ cause: DisconnectCause, at now: MonotonicTime) {
    switch state {
    case .open: state = .ending(cause)
    case .draining(let decided): state = .ending(decided)
    case .ending, .ended, .over: break
    }
    endpoint.close(at: now)
  }

  /// Ends each EA session once what was written has left, then the connection.
  private mutating func disconnect(at now: MonotonicTime) {
    guard state == .open else {
      if !isLive { end(.requested, at: now) }
      return
    }
    state = .draining(.requested)
    for session in policy.openSessions.keys.sorted() { close(session, at: now) }
    finishDraining(at: now)
  }

  /// Ends a connection whose EA sessions have nothing more to send, or have had their time.
  mutating func finishDraining(at now: MonotonicTime) {
    guard case .draining(let cause) = state, !externalAccessory.values.contains(where: { $0.closing.isWaiting })
    else { return }
    // The end comes behind what pacing holds back.
    if paced.isEmpty { end(cause, at: now) }
  }
}
