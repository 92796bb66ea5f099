// swift-iap2 · Apache-2.0

package import IAP2

/// A state machine that runs one side of the connections on a transport: an endpoint, a role's policy, pacing, the
/// lifecycle, the EA sessions and all their deadlines. It has no I/O, no clock and no cryptography.
///
///     open              ── disconnect ──────────────────────────► draining(cause)
///     open              ── another end decided ─────────────────► ending(cause)
///     draining          ── EA sessions have sent their bytes ───► ending(cause)
///     draining, ending  ── link or transport ended ─────────────► over(cause), the decided one
///     open              ── link or transport ended, given up ───► over(cause)
///     open              ── reset or restarted by the peer ──────► ended(cause)
///     ended             ── detected again ──────────────────────► open
///
/// Each operation takes the current time. After an operation, the owner calls `nextEvent` for events, `nextRequest` for
/// work on certificates and `transmit` for bytes until each of them has nothing more. It calls `handleDeadline` at
/// `nextDeadline`. After a reset or a restart of the peer on an open transport, the link restarts as a new connection
/// with a new policy.
/// Each connection is reported as disconnected at most once, with the cause that its lifecycle decides.
package struct Session<Policy: RolePolicy>: Sendable {
  /// The endpoint of the connection.
  package internal(set) var endpoint: Endpoint
  /// The policy of the current connection.
  package internal(set) var policy: Policy
  /// The lifecycle, which decides whether the peer is connected.
  package internal(set) var lifecycle: Lifecycle
  let options: SessionOptions<Policy>

  var state = SessionState.open
  /// The number of the connection on this transport, from 1.
  var connection = 1
  var isDetected = false
  /// Whether the identification was accepted in the current connection, or in the last one after its end.
  package internal(set) var wasIdentified = false
  /// Whether the lifecycle was notified that both sides are ready.
  var wasReady = false
  var lastPower = PowerObservation()
  var identifyDeadline: MonotonicTime?
  /// The time of the policy's last tick; nil while the policy needs no ticks.
  var tickedAt: MonotonicTime?
  var paced: PacedActions
  var requests: [RoleAction] = []
  var externalAccessory: [UInt16: OpenExternalAccessory] = [:]
  /// The time limits of the EA sessions that this side requested and that are not open yet.
  var opening: [UInt16: MonotonicTime] = [:]
  /// The native EA sessions whose stream the owner is opening, with the answer that the peer then receives.
  var openingNatives: [UInt16: (name: String, answer: [UInt8]?)] = [:]
  /// The native EA sessions that are closed and whose stream is still being read.
  var endingNatives: [(session: UInt16, name: String)] = []
  /// The services of EA sessions that run, also those whose session is closed.
  var runningServices = 0
  var events: [SessionEvent] = []
  var eventHead = 0

  /// The requests that wait for the owner at most; a complete authentication makes four.
  static var requestLimit: Int { 16 }

  /// Creates a session. Nothing is sent before ``start(address:at:)``.
  package init(endpoint: Endpoint, lifecycle: Lifecycle = Lifecycle(), options: SessionOptions<Policy>) {
    self.endpoint = endpoint
    self.lifecycle = lifecycle
    self.options = options
    policy = options.makePolicy(nil)
    paced = PacedActions(options.pacing)
  }

  // MARK: State

  /// Whether there is a connection whose end was not handled yet.
  package var isConnectionOpen: Bool {
    switch state {
    case .open, .draining, .ending: true
    case .ended, .over: false
    }
  }

  /// Whether an orderly end of the connection was decided and written bytes are still being sent.
  package var isEnding: Bool {
    switch state {
    case .draining, .ending: true
    case .open, .ended, .over: false
    }
  }

  /// Whether the session has ended. Only the last bytes are still to be sent; then the owner closes the transport.
  package var isOver: Bool { if case .over = state { true } else { false } }

  /// The reason why the last connection ended or is ending; nil while the connection is open.
  package var cause: DisconnectCause? {
    switch state {
    case .open: nil
    case .draining(let cause), .ending(let cause), .ended(let cause), .over(let cause): cause
    }
  }

  // MARK: Operations

  /// Starts the first connection. The owner calls it when the transport is open.
  ///
  /// - Parameters:
  ///   - address: The address for ``RoleEvent/transportOpened(address:)``.
  ///   - now: The current time.
  package mutating func start(address: String, at now: MonotonicTime) {
    // A request to disconnect may have come before.
    guard !isOver else { return }
    updateLifecycle(at: now) { $0.begin(at: now) }
    report(.transportOpened(address: address))
    limitIdentification(at: now)
    endpoint.start(at: now)
    finishOperation(at: now)
  }

  /// Processes bytes of the transport, in order. Bytes after the end are ignored.
  package mutating func receive(_ bytes: [UInt8], at now: MonotonicTime) {
    guard !isOver else { return }
    let before = endpoint.acknowledgementsReceived
    var offset = 0
    var hasAcknowledged = false
    while true {
      let event = endpoint.receive(bytes.rawBytes, offset: &offset, at: now)
      // Once for each read, before the events of the packet that acknowledges.
      if !hasAcknowledged, endpoint.acknowledgementsReceived != before {
        hasAcknowledged = true
        updateLifecycle(at: now) { $0.received(at: now) }
      }
      guard let event else { break }
      handle(event, bytes, at: now)
    }
    finishOperation(at: now)
  }

  /// Processes an input other than bytes and time.
  package mutating func submit(_ input: SessionInput, at now: MonotonicTime) {
    switch input {
    case .transportClosed: over(.transportClosed, at: now)
    case .disconnect: disconnect(at: now)
    case .notice: noticed(at: now)
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
      guard let open = externalAccessory[session], open.isNative, open.closing.isWaiting else { return }
      externalAccessory[session]?.closing = .now
      perform(policy.closeExternalAccessory(session), at: now)
    case .nativeEnded(let session): nativeEnded(session)
    case .serviceEnded: runningServices = max(0, runningServices - 1)
    }
    drain([], at: now)
    finishOperation(at: now)
  }

  /// Changes the policy with `body`, carries out the actions that `body` returns, and returns the result of `body`.
  package mutating func act<Result>(
    at now: MonotonicTime, _ body: (inout Policy) -> (Result, [RoleAction])
  ) -> Result {
    let (result, actions) = body(&policy)
    perform(actions, at: now)
    drain([], at: now)
    finishOperation(at: now)
    return result
  }

  /// Changes the role's policy and carries out its actions if all of its messages can be queued. Otherwise nothing
  /// changes.
  ///
  /// - Throws: The limit of the queue that has no room for the messages of `body`.
  package mutating func actIfQueueable<Result>(
    at now: MonotonicTime, _ body: (inout Policy) -> (Result, [RoleAction])
  ) throws(QueueLimit) -> Result {
    var changed = policy
    let (result, actions) = body(&changed)
    if let limit = limitReached(by: actions) { throw limit }
    return act(at: now) { policy in
      policy = changed
      return (result, actions)
    }
  }

  /// Appends the bytes that may be sent now, up to about `limit` bytes; returns false if nothing was appended.
  package mutating func transmit(into bytes: inout [UInt8], at now: MonotonicTime, limit: Int = 1 << 18) -> Bool {
    endpoint.transmit(into: &bytes, at: now, limit: limit)
  }

  /// Ends EA sessions and the connection if they waited for bytes that were sent now. The owner calls it after it has
  /// sent the bytes of ``transmit(into:at:limit:)``.
  package mutating func sent(at now: MonotonicTime) { finishOperation(at: now) }

  /// Removes and returns the next event; returns nil if there is none.
  package mutating func nextEvent() -> SessionEvent? {
    guard eventHead < events.count else { return nil }
    let event = events[eventHead]
    eventHead += 1
    if eventHead == events.count {
      events.removeAll(keepingCapacity: true)
      eventHead = 0
    }
    return event
  }

  /// Whether a request waits for the owner.
  package var hasRequest: Bool { !requests.isEmpty }

  /// Removes and returns the next request, which the owner answers with ``SessionInput/answer(to:_:)``; returns nil if
  /// there is none.
  package mutating func nextRequest() -> SessionRequest? {
    guard !requests.isEmpty else { return nil }
    return SessionRequest(action: requests.removeFirst(), connection: connection)
  }

  // MARK: Events of the endpoint

  /// Handles the events that the endpoint reports for received bytes or after an operation on it.
  mutating func drain(_ bytes: [UInt8], at now: MonotonicTime) {
    var offset = 0
    while let event = endpoint.receive(bytes.rawBytes, offset: &offset, at: now) { handle(event, bytes, at: now) }
  }

  private mutating func handle(_ event: ProtocolEvent, _ bytes: [UInt8], at now: MonotonicTime) {
    switch event {
    case .detected:
      begin(at: now)
      // Reported once per connection, even if the peer repeats its detect sequence.
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
      // A message that arrives during an orderly end changes nothing.
      if case .ending = state { return }
      let actions = policy.handle(.message(id: id, bytes: message))
      perform(actions, at: now)
      updateFromSessions(actions, at: now)
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
    if case .identified = event { wasIdentified = true }
    events.append(.role(event))
  }

  /// Starts a new connection after the end of the previous one. A session that is over does not restart.
  private mutating func begin(at now: MonotonicTime) {
    guard case .ended = state else { return }
    state = .open
    wasIdentified = false
    // The lifecycle forgets the power state of the previous connection, so that it is passed on again.
    lastPower = PowerObservation()
    updateLifecycle(at: now) { $0.begin(at: now) }
  }

  // MARK: Ends

  private mutating func linkEnded(_ end: LinkEnd, at now: MonotonicTime) {
    switch end {
    case .closed: over(.requested, at: now)
    case .retransmissionLimit: over(.retransmissionLimit, at: now)
    case .notDetected, .unanswered: over(.timeout, at: now)
    case .notNegotiated: over(.negotiationFailed, at: now)
    case .reset: restarted(.linkReset, at: now)
    case .peerRestarted: restarted(.peerRestarted, at: now)
    }
  }

  /// Ends the connection on a link that restarts by itself while the transport is open, unless an end was decided.
  private mutating func restarted(_ cause: DisconnectCause, at now: MonotonicTime) {
    guard decided == nil else { return over(cause, at: now) }
    ended(cause, at: now)
    policy = options.makePolicy(policy)
    isDetected = false
    connection += 1
    requests = []
    paced.removeAll()
    limitIdentification(at: now)
  }

  /// The cause of an end that was decided and is not handled yet.
  var decided: DisconnectCause? {
    switch state {
    case .draining(let cause), .ending(let cause): cause
    case .open, .ended, .over: nil
    }
  }

  /// Ends the session. A decided end keeps its cause, even if the peer or the link ends first.
  private mutating func over(_ cause: DisconnectCause, at now: MonotonicTime) {
    ended(decided ?? cause, at: now)
    state = .over(self.cause ?? cause)
  }

  /// Handles the end of a connection's link, once.
  private mutating func ended(_ cause: DisconnectCause, at now: MonotonicTime) {
    release(at: now)
    guard isConnectionOpen else { return }
    let isDecided = decided != nil
    state = .ended(cause)
    updateFromEnd(cause, isDecided: isDecided, at: now)
  }

  /// Ends the connection because the lifecycle decided that the peer is disconnected, even if the link is still up.
  mutating func giveUp(_ cause: DisconnectCause, at now: MonotonicTime) {
    switch state {
    case .open, .draining, .ending:
      state = .over(decided ?? cause)
      wasReady = false
      release(at: now)
      endpoint.reset()
    case .ended: state = .ended(cause)
    case .over: state = .over(cause)
    }
  }

  private mutating func release(at now: MonotonicTime) {
    for session in externalAccessory.keys.sorted() { closeStream(session) }
    // The ends of the EA sessions are reported before the end of the connection.
    for (session, name) in endingNatives {
      events.append(.nativeClosed(session: session, protocol: name))
      events.append(.closed(session: session))
    }
    endingNatives = []
    for session in opening.keys.sorted() { events.append(.closed(session: session)) }
    opening = [:]
    openingNatives = [:]
    paced.removeAll()
  }

  /// Decides an orderly end: the queue is sent first. A cause that was decided before stays.
  mutating func end(_ cause: DisconnectCause, at now: MonotonicTime) {
    switch state {
    case .open: state = .ending(cause)
    case .draining(let decided): state = .ending(decided)
    case .ending, .ended, .over: break
    }
    endpoint.close(at: now)
  }

  /// Ends each EA session after its written bytes are sent, then the connection.
  private mutating func disconnect(at now: MonotonicTime) {
    guard state == .open else {
      if !isConnectionOpen { end(.requested, at: now) }
      return
    }
    state = .draining(.requested)
    for session in policy.openSessions.keys.sorted() { close(session, at: now) }
    finishDraining(at: now)
  }

  /// Ends a connection whose EA sessions have nothing more to send, or have reached their time limit.
  mutating func finishDraining(at now: MonotonicTime) {
    guard case .draining(let cause) = state, !externalAccessory.values.contains(where: { $0.closing.isWaiting })
    else { return }
    // The delayed actions come before the end.
    if paced.isEmpty { end(cause, at: now) }
  }
}
