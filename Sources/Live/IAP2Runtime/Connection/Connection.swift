// swift-iap2 · Apache-2.0

package import IAP2
package import IAP2Roles
package import IAP2Transport
import Synchronization

/// One side of one transport: an endpoint, a role's decisions, and the tasks that move bytes and time for them.
///
/// After a reset on an open transport the link starts again, as a new connection with a new policy; each connection ends
/// in at most one `disconnected`, which its lifecycle decides.
package actor Connection<Policy: RolePolicy>: ExternalAccessoryHost {
  var endpoint: Endpoint
  var policy: Policy
  /// The next connection's policy, from the one before it.
  private let makePolicy: @Sendable (Policy?) -> Policy
  private let port: AuthenticationPort
  let transport: any ByteTransport
  let clock: any RuntimeClock
  private let emit: @Sendable (TimedEvent) -> Void
  let service: @Sendable (ExternalAccessoryStream) -> Void

  let outputSignal = Signal()
  private let deadlineSignal = Signal()
  private let portSignal = Signal()
  private var armed: MonotonicTime?
  private var identifyTimeout: Duration?
  private var identifyDeadline: MonotonicTime?
  private var portRequests: [RoleAction] = []
  private var paced: PacedActions
  /// Which connection on this transport it is.
  private var connectionNumber = 1
  /// When the policy last heard of time; nil while it does not want to.
  private var tickedAt: MonotonicTime?
  /// A whole authentication asks four times.
  private static var portRequestLimit: Int { 16 }
  private var lastBatchByteCount = 0
  var streams: [UInt16: ExternalAccessoryStream] = [:]
  /// Of `streams`, those beside the link.
  var natives: [UInt16: NativeSession] = [:]
  /// Closed, and still being read.
  var endingNatives: [NativeSession] = []
  let openedNatives: AsyncStream<NativeSession>
  let nativeOpenings: AsyncStream<NativeSession>.Continuation
  var isCarryingNatives = true
  /// Who waits for a session that is being opened, and for how long.
  struct Waiter {
    var waiting: CheckedContinuation<ExternalAccessoryStream?, Never>
    var deadline: MonotonicTime
  }
  var waiters: [UInt16: Waiter] = [:]
  /// EA sessions that end when what was written has left, and when that is given up.
  var closing: [UInt16: MonotonicTime] = [:]
  /// Who waits for the end of one.
  var closers: [UInt16: [CheckedContinuation<Void, Never>]] = [:]
  /// A connection is going on that has not told its end.
  private(set) var isLive = true
  private var isDetected = false
  private var isOver = false
  private var isReceiving = false
  private var endingCause: DisconnectCause?
  private var wasIdentified = false
  var lastCause: DisconnectCause?
  /// What is believed of it; goes on from one connection to the next.
  package internal(set) var lifecycle: Lifecycle
  let losesNotice: @Sendable () -> Bool
  private let inspect: (@Sendable (Endpoint) -> Void)?
  /// The lifecycle has heard that both sides are ready.
  var wasReady = false
  var lastPower = PowerSighting()
  /// Why the medium ended, if it said so.
  private var transportError: TransportError?

  package init(
    endpoint: Endpoint, makePolicy: @escaping @Sendable (Policy?) -> Policy, port: AuthenticationPort,
    pacing: MessagePacing, lifecycle: Lifecycle = Lifecycle(), losesNotice: @escaping @Sendable () -> Bool = { false },
    transport: any ByteTransport, clock: any RuntimeClock, inspect: (@Sendable (Endpoint) -> Void)? = nil,
    emit: @escaping @Sendable (TimedEvent) -> Void, service: @escaping @Sendable (ExternalAccessoryStream) -> Void
  ) {
    paced = PacedActions(pacing)
    (openedNatives, nativeOpenings) = AsyncStream.makeStream()
    self.endpoint = endpoint
    self.makePolicy = makePolicy
    policy = makePolicy(nil)
    self.port = port
    self.lifecycle = lifecycle
    self.losesNotice = losesNotice
    self.transport = transport
    self.clock = clock
    self.inspect = inspect
    self.emit = emit
    self.service = service
  }

  // MARK: Life

  /// Runs until the transport has ended.
  package func run(identifyTimeout: Duration?) async {
    guard let executor = transport.taskExecutor else { return await live(identifyTimeout: identifyTimeout) }
    await withTaskExecutorPreference(executor) { await live(identifyTimeout: identifyTimeout) }
  }

  private func live(identifyTimeout: Duration?) async {
    judge { $0.begin(at: clock.now) }
    tell(.transportOpened(address: transport.address))
    self.identifyTimeout = identifyTimeout
    limitIdentification()
    endpoint.start(at: clock.now)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.write() }
      group.addTask { await self.keepTime() }
      group.addTask { await self.servePort() }
      group.addTask { await self.carryNatives() }
      await read()
      isCarryingNatives = false
      group.cancelAll()
    }
    await transport.close()
    ended(.transportClosed)
  }

  private func read() async {
    var count = 0
    while true {
      do {
        guard let bytes = try await transport.receive() else { return }
        // After the end only the transport's own is waited for: the writer closes it behind the RST.
        if !isOver { received(bytes) }
        count += 1
        if count.isMultiple(of: Self.readsInARow) { await Task.yield() }
      } catch {
        transportError = error
        return
      }
    }
  }

  /// A peer that never stops leaves no gap in which deadlines, writes and whoever wants the end would have their turn.
  private static var readsInARow: Int { 16 }

  private func write() async {
    while !Task.isCancelled {
      var bytes: [UInt8] = []
      bytes.reserveCapacity(lastBatchByteCount)
      if endpoint.transmit(into: &bytes, at: clock.now, limit: batchByteCount) {
        lastBatchByteCount = bytes.count
        do { try await transport.send(bytes) } catch { return await transport.close() }
        settle()
      } else if isOver {
        // The last bytes, RST among them, have left.
        return await transport.close()
      } else {
        await outputSignal.wait()
      }
    }
  }

  /// Bytes handed to the transport at once: a part of the window, so that the peer begins while the rest follows, and at
  /// most what a socket takes.
  private var batchByteCount: Int { min(1 << 18, max(1 << 14, endpoint.windowByteCount / 4)) }

  private func keepTime() async {
    while !Task.isCancelled, !isOver {
      let deadline = nextDeadline
      if let deadline, deadline <= clock.now {
        handleDeadline()
        continue
      }
      armed = deadline
      guard let deadline else {
        await deadlineSignal.wait()
        continue
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask { do { try await self.clock.sleep(until: deadline) } catch { return } }
        group.addTask { await self.deadlineSignal.wait() }
        await group.next()
        group.cancelAll()
      }
    }
    // A peer that has stopped reading must not keep the last bytes, and us, for ever.
    guard !Task.isCancelled else { return }
    let limit = clock.now.adding(milliseconds: endpoint.limits.closeTimeoutMilliseconds)
    do { try await clock.sleep(until: limit) } catch { return }
    await transport.close()
  }

  private func servePort() async {
    while !Task.isCancelled {
      guard !portRequests.isEmpty else {
        await portSignal.wait()
        continue
      }
      let asking = connectionNumber
      let answer = await port.perform(portRequests.removeFirst())
      // An answer for a connection that a reset has ended means nothing to the next one; nor does that of a chip that was
      // given up because the transport has ended.
      guard !Task.isCancelled, asking == connectionNumber, let answer else { continue }
      perform(policy.handle(answer))
      settle()
    }
  }

  /// Each connection has this long to get both sides ready.
  private func limitIdentification() {
    // Longer than a century is as good as never, and has no place in nanoseconds.
    identifyDeadline = identifyTimeout.map { limit in
      let (seconds, attoseconds) = min(limit, .seconds(4_000_000_000)).components
      return MonotonicTime(nanoseconds: clock.now.nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }
  }

  /// The earliest of the core's, of identification's, and of the sessions that are being opened.
  private var nextDeadline: MonotonicTime? {
    var next = endpoint.nextDeadline
    func consider(_ time: MonotonicTime?) {
      if let time, next.map({ time < $0 }) ?? true { next = time }
    }
    for waiter in waiters.values { consider(waiter.deadline) }
    for time in closing.values { consider(time) }
    consider(identifyDeadline)
    consider(nextTick)
    consider(paced.due)
    consider(lifecycleDeadline)
    return next
  }

  /// An orderly end has a limit of its own; until then nothing is probed, and silence means nothing.
  private var lifecycleDeadline: MonotonicTime? { isLive && endingCause == nil ? lifecycle.nextDeadline : nil }

  private var nextTick: MonotonicTime? {
    guard let interval = policy.tickMilliseconds, let since = tickedAt else { return nil }
    return since.adding(milliseconds: interval)
  }

  /// Lets the policy know how much time has passed; what is left of a millisecond counts next time.
  private func tick() {
    guard let next = nextTick, let since = tickedAt, next <= clock.now else { return }
    let milliseconds = Int((clock.now.nanoseconds - since.nanoseconds) / 1_000_000)
    tickedAt = since.adding(milliseconds: milliseconds)
    perform(policy.handle(.tick(milliseconds: milliseconds)))
  }

  private func handleDeadline() {
    if let limit = identifyDeadline, limit <= clock.now {
      identifyDeadline = nil
      if !policy.isReady { return end(.timeout) }
    }
    for session in waiters.keys.sorted() where waiters[session].map({ $0.deadline <= clock.now }) ?? false {
      perform(policy.closeExternalAccessory(session))
    }
    closeDrained()
    tick()
    performDue()
    if lifecycleDeadline != nil { judge { $0.handleDeadline(at: clock.now) } }
    endpoint.handleDeadline(at: clock.now)
    received([])
  }

  // MARK: Events

  /// Whatever the endpoint has to tell, of bytes or of what was done to it.
  private func received(_ bytes: [UInt8]) {
    // What an event brings about is told by the loop that told the event: it has the bytes that the rest of it lies in.
    guard !isReceiving else { return }
    isReceiving = true
    defer { isReceiving = false }
    if !bytes.isEmpty { judge { $0.heard(at: clock.now) } }
    var offset = 0
    while let event = endpoint.receive(bytes.rawBytes, offset: &offset, at: clock.now) { handle(event, bytes) }
    settle()
  }

  /// The same in every run, which the order of a dictionary is not.
  private var streamsInOrder: [ExternalAccessoryStream] {
    streams.count < 2 ? Array(streams.values) : streams.values.sorted { $0.session < $1.session }
  }

  /// Wakes whoever has something to do after a change.
  func settle() {
    inspect?(endpoint)
    closeDrained()
    let streams = streamsInOrder
    for stream in streams
    where stream.state.withLock({ $0.isWriting })
      && queuedByteCount(stream.session) <= endpoint.limits.externalAccessoryQueueByteCount / 2
    {
      stream.state.withLock { $0.isWriting = false }
      stream.writable.notify()
    }
    for stream in streams
    where stream.state.withLock({ $0.isDraining }) && queuedByteCount(stream.session) == 0 {
      stream.state.withLock { $0.isDraining = false }
      stream.writable.notify()
    }
    // Once for everything one read brought: waking a task costs more than a packet.
    for stream in streams where natives[stream.session] == nil {
      stream.tellReader(isBehind: endpoint.isBehind(externalAccessory: stream.session))
    }
    tickedAt = policy.tickMilliseconds == nil ? nil : tickedAt ?? clock.now
    outputSignal.notify()
    if let next = nextDeadline, armed.map({ next < $0 }) ?? true { deadlineSignal.notify() }
    if isOver { deadlineSignal.notify() }
  }

  private func handle(_ event: ProtocolEvent, _ bytes: [UInt8]) {
    switch event {
    case .detected:
      begin()
      // Once for each connection, however often the peer repeats itself.
      if !isDetected { tell(.detected) }
      isDetected = true
    case .legacyPeer: tell(.legacyPeer)
    case .proposal(let proposal): tell(.proposal(proposal))
    case .linkUp(let local, let remote):
      begin()
      tell(.linkUp(local: local, remote: remote))
      perform(policy.handle(.linkUp(local)))
    case .message(let id, let payload):
      let message = [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes))
      tell(.message(.received, id: id, bytes: message))
      // What comes while we end changes nothing any more.
      guard endingCause == nil else { return }
      let actions = policy.handle(.message(id: id, bytes: message))
      perform(actions)
      judgeSessions(actions)
    case .externalAccessoryData(let session, let payload):
      guard let stream = streams[session] else { return }
      let chunk = [UInt8](copying: endpoint.bytes(of: payload, in: bytes.rawBytes))
      stream.state.withLock { $0.append(chunk) }
    case .externalAccessoryOverflow(let session): perform(policy.closeExternalAccessory(session))
    case .fileTransfer(let event):
      tell(.fileTransfer(event))
      if let input = fileInput(event, bytes) { perform(policy.handle(.file(input))) }
    case .violation(let violation): tell(.violation(violation))
    case .linkDown(let end): linkEnded(end)
    }
  }

  /// Something happens again after an end: a new connection.
  private func begin() {
    guard !isLive else { return }
    isLive = true
    wasIdentified = false
    // The lifecycle has forgotten the power with the connection before: it is told anew.
    lastPower = PowerSighting()
    judge { $0.begin(at: clock.now) }
  }

  private func linkEnded(_ end: LinkEnd) {
    switch end {
    case .closed:
      ended(endingCause ?? .requested)
      isOver = true
    case .retransmissionLimit:
      ended(.retransmissionLimit)
      isOver = true
    case .notDetected, .notNegotiated:
      ended(.timeout)
      isOver = true
    case .reset:
      // The link starts again by itself while the transport stays open.
      ended(endingCause ?? .linkReset)
      policy = makePolicy(policy)
      isDetected = false
      connectionNumber += 1
      portRequests = []
      paced.removeAll()
      endingCause = nil
      limitIdentification()
    }
  }

  /// The end of a connection's link, once.
  private func ended(_ cause: DisconnectCause) {
    release()
    guard isLive else { return }
    isLive = false
    lastCause = cause
    judgeEnd(cause)
  }

  /// The verdict is that nobody is there, whatever the link still believes.
  func giveUp() {
    guard isLive else { return }
    isLive = false
    wasReady = false
    release()
    endpoint.reset()
    isOver = true
  }

  private func release() {
    for session in streams.keys.sorted() { closeStream(session) }
    closeEndingNatives()
    for session in waiters.keys.sorted() { waiters[session]?.waiting.resume(returning: nil) }
    waiters = [:]
    paced.removeAll()
  }

  func tell(_ event: RoleEvent) {
    if event == .identified { wasIdentified = true }
    emit(TimedEvent(time: clock.now, event: event))
  }

  func perform(_ actions: [RoleAction]) {
    // What a service or a user still wants when the connection is over has nowhere to go.
    guard isLive else { return }
    for action in actions {
      if paced.isImmediate {
        carryOut(action)
      } else if !paced.add(action) {
        tell(.violation(.limit(StaticName("pacedActions"), PacedActions.limit)))
      }
    }
    performDue()
    judgePolicy()
  }

  /// What pacing held back and now may be done.
  private func performDue() {
    while let action = paced.next(at: clock.now) { carryOut(action) }
  }

  private func carryOut(_ action: RoleAction) {
    switch action {
    case .send(let message):
      do {
        try endpoint.send(message: message)
        tell(.message(.sent, id: ControlHeader.id(of: message), bytes: message))
      } catch {
        // A peer that does not acknowledge while it makes us answer.
        if case .queueFull(let limit) = error { tell(.violation(.limit(StaticName("queuedByteCount"), limit))) }
      }
    case .event(let event): tell(event)
    case .fetchCertificate, .fetchSerialNumber, .sign, .judge, .verify:
      // An answer takes its time; a peer that only asks must not grow us.
      guard portRequests.count < Self.portRequestLimit else {
        return tell(.violation(.limit(StaticName("portRequestLimit"), Self.portRequestLimit)))
      }
      portRequests.append(action)
      portSignal.notify()
    case .openExternalAccessory(let session, let name, let answer):
      if openStream(session, name), let answer { carryOut(.send(answer)) }
    case .closeExternalAccessory(let session): closeStream(session)
    case .sendFile(let id, let bytes, let type):
      move { (endpoint) throws(APIMisuse) in try endpoint.sendFile(bytes, type: type, id: id) }
    case .acceptFile(let id): move { (endpoint) throws(APIMisuse) in try endpoint.acceptFile(id) }
    case .cancelFile(let id): move { (endpoint) throws(APIMisuse) in try endpoint.cancelFile(id) }
    case .end(let cause): end(cause)
    }
  }

  private func end(_ cause: DisconnectCause) {
    endingCause = endingCause ?? cause
    endpoint.close(at: clock.now)
    // Nothing was up yet: the end is told at once.
    received([])
  }

  /// Ends in order: each EA session, then the link, then the transport.
  package func disconnect() {
    for session in policy.openSessions.keys.sorted() { perform(policy.closeExternalAccessory(session)) }
    // Behind what pacing holds back.
    if isLive, !paced.isEmpty { perform([.end(.requested)]) } else { end(.requested) }
    settle()
  }

  /// Ends the transport and nothing else.
  func drop() async { await transport.close() }

  /// What became of it, once it has run.
  var result: ServeResult {
    ServeResult(wasIdentified: wasIdentified, cause: lastCause, transportError: transportError)
  }
}

extension Connection {
  /// What a user wants of the role, now.
  package func act<Result: Sendable>(_ body: @Sendable (inout Policy) -> (Result, [RoleAction])) -> Result {
    let (result, actions) = body(&policy)
    perform(actions)
    settle()
    return result
  }
}
