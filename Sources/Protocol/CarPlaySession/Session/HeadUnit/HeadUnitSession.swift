// swift-iap2 · Apache-2.0

public import Basics

/// The head unit's side of CarPlay sessions, without sockets and clocks: it answers phones on any number of control
/// connections, and has at most one session.
///
/// ```
/// connected ── pair-setup, pair-verify ──▶ verified ── auth-setup ──▶ authenticated
///     │ (where pairing is not demanded)       │                            │
///     └───────────────────────────────────────┴──────────── SETUP ─────────┴──▶ set up ── RECORD ──▶ recording
///                                              recording and an event connection ──▶ live ── TEARDOWN ──▶ ended
/// ```
///
/// Rules: answers are sent in the order of their requests, so a request whose answer waits for a socket or a signature
/// delays those behind it. The session belongs to one connection; from its set-up on, every other connection gets 453,
/// unless the phone of the session verifies on it.
/// Source: CarPlaySession.md#states.
public struct HeadUnitSession: SessionMachine {
  /// A control connection before and during a session.
  struct Connection: Sendable {
    var channel = MessageChannel()
    var pairSetup: PairSetupHeadUnit
    var pairVerify: PairVerifyHeadUnit
    var verified: VerifiedPeer?
    /// Whether the connection was reported to the owner. During a session, other connections are not reported.
    var isReported: Bool
    var authSetup = AuthSetupHeadUnit()
    /// The number of requests of pair-verify during the session of another connection.
    var takeOverCount = 0
    /// The request whose answer waits for the owner.
    var waiting: Waiting?
    /// The reason for the last refusal, which becomes the reported end if the phone closes the connection.
    var refusal: SessionFailure?
    /// The time at which a phone without a live session is disconnected.
    var deadline: MonotonicTime
    /// The time at which the next requests of the connection are served; nil if no requests are deferred.
    var turn: MonotonicTime?
  }

  /// An answer that waits for the owner.
  struct Waiting: Sendable {
    enum Step: Sendable {
      case signature
      case session(SessionSetUpRequest, StreamProtection)
      /// The answer waits until the event connection is established.
      case events
      case streams([HeadUnitStream])
      /// The answer waits until the connections of the streams that the phone ends have delivered their last bytes.
      case drained([StreamType])
    }
    var request: RequestMessage
    var step: Step
    /// The sockets that are not bound yet, and the ports of those that are bound.
    var unbound: Set<SessionSocket> = []
    var ports: [SessionSocket: UInt16] = [:]
    var deadline: MonotonicTime?
  }

  /// The largest number of control connections at one time. Ours: a few phones, and one that reconnects.
  public static let maximumConnections = 16
  /// The largest number of requests of a connection that are served in one turn. Ours: no phone sends as many at once.
  static let requestsPerTurn = 16
  /// The time until the next turn of a connection with more requests.
  static let turn = Duration.milliseconds(1)

  /// The settings. Phones that pair are added, and the modes of the last session.
  public internal(set) var configuration: HeadUnitConfiguration
  let random: @Sendable (Int) -> [UInt8]
  var connections: [Int: Connection] = [:]
  var session: ActiveSession?
  /// The time until which the head unit waits for a phone that disconnected before it was verified; nil if it does not
  /// wait.
  var reconnectDeadline: MonotonicTime?
  /// The connection whose bytes the owner signs, perhaps one that ended meanwhile; nil if the owner signs nothing.
  private var signing: Int?
  /// The bytes to sign next, with their connections. An ended connection has none.
  private var unsigned: [(id: Int, bytes: [UInt8])] = []
  /// The phones that have paired, the oldest first.
  private var newPhones: [String] = []
  private var actions: [SessionAction] = []
  /// The events of the packet of sound that is being received. The memory is reused.
  var soundEvents: [AudioReceiver.Event] = []

  /// Creates a head unit that waits for phones.
  ///
  /// - Parameters:
  ///   - configuration: The settings.
  ///   - random: Returns random bytes, from which keys are derived.
  public init(_ configuration: HeadUnitConfiguration, random: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    self.configuration = configuration
    self.random = random
  }

  /// Stores a phone that has paired. If there are too many, the oldest one of them is removed.
  mutating func keep(_ phone: PairedPeer) {
    // One that is stored may pair again, and is not pushed out as a new one.
    guard configuration.phones.updateValue(phone.publicKey, forKey: phone.identifier) == nil else { return }
    newPhones.append(phone.identifier)
    if newPhones.count > configuration.maximumNewPhones { configuration.phones[newPhones.removeFirst()] = nil }
  }

  mutating func act(_ action: SessionAction) { actions.append(action) }

  mutating func report(_ event: SessionEvent) { actions.append(.report(event)) }

  mutating func log(_ secret: AgreedSecret?) { if let secret { act(.log(secret)) } }

  public mutating func takeActions(into taken: inout [SessionAction]) {
    if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
    swap(&taken, &actions)
  }

  public mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    switch socket {
    case .control(let id):
      guard connections[id] == nil else { return }
      guard makeRoom() else { return act(.close(socket)) }
      connections[id] = Connection(
        pairSetup: PairSetupHeadUnit(configuration.identity), pairVerify: PairVerifyHeadUnit(configuration.identity),
        isReported: session == nil, deadline: time.advanced(by: configuration.times.setUp))
      reconnectDeadline = nil
      // During a session another phone only gets 453. It is not reported, so that many connections do not fill a log.
      if session == nil { report(.state(.connected)) }
    case .events: eventsConnected(at: time)
    case .stream(let type): session?.streams[type]?.isConnected = true
    case .clock, .keepAlive, .streamControl: break
    }
  }

  public mutating func receive(
    _ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime
  ) {
    switch socket {
    case .control(let id):
      guard connections[id] != nil else { return }
      do throws(SessionFailure) { try connections[id]?.channel.receive(bytes) } catch { return drop(id, error) }
      serve(id, at: time)
      // Waiting requests are kept up to a limit.
      let limit = RequestReader.maximumHeaderByteCount + RequestReader.maximumBodyByteCount
      if let connection = connections[id], connection.channel.unreadByteCount > limit { drop(id, .tooLarge) }
    case .events: receiveEvents(bytes, at: time)
    case .clock: receiveClock(bytes, from: port, at: time)
    case .keepAlive: break
    case .stream(let type): receive(bytes, of: type, at: time)
    case .streamControl(let type): receiveControl(bytes, of: type, from: port, at: time)
    }
  }

  /// Does nothing, because the owner queues the bytes to send. Only the phone's screen has more bytes than a connection
  /// accepts.
  public mutating func writability(of socket: SessionSocket, _ isWritable: Bool, at time: MonotonicTime) {}

  public mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {
    switch socket {
    case .control(let id):
      guard let connection = connections[id] else { return }
      if session?.connection == id { return end(.controlLost) }
      abandon(id)
      connections[id] = nil
      if let reason = connection.refusal ?? (connection.verified == nil ? nil : SessionFailure(.controlLost)) {
        // One that came during a session was not reported, and has no end.
        if connection.isReported { reportEnd(reason) }
      } else if connection.isReported, connections.isEmpty, session == nil {
        reconnectDeadline = time.advanced(by: configuration.times.reconnect)
      }
    case .events: eventsClosed(at: time)
    case .stream(let type):
      connectionClosed(of: type, at: time)
    case .clock, .keepAlive, .streamControl: break
    }
  }

  public mutating func stop(_ reason: SessionEnd, at time: MonotonicTime) {
    guard session == nil else { return end(reason) }
    for id in connections.keys.sorted() {
      abandon(id)
      act(.close(.control(id)))
    }
    // Each connection that was reported gets an end.
    let isMet = reconnectDeadline != nil || connections.values.contains(where: \.isReported)
    connections = [:]
    reconnectDeadline = nil
    if isMet { report(.ended(reason)) }
  }

  /// Requests a signature. A coprocessor is slow, so the owner makes one at a time, first those of verified phones, and
  /// none for a connection that ended.
  mutating func sign(_ bytes: [UInt8], of id: Int) {
    unsigned.removeAll { connections[$0.id] == nil }
    unsigned.append((id, bytes))
    signNext()
  }

  private mutating func signNext() {
    guard signing == nil else { return }
    unsigned.removeAll { connections[$0.id] == nil }
    let verified = unsigned.firstIndex { connections[$0.id]?.verified != nil }
    guard let place = verified ?? unsigned.indices.first else { return }
    let (id, bytes) = unsigned.remove(at: place)
    signing = id
    act(.sign(bytes))
  }

  public mutating func signed(_ evidence: AccessoryEvidence?, at time: MonotonicTime) {
    guard let id = signing else { return }
    signing = nil
    defer { signNext() }
    // The connection may have ended meanwhile.
    guard let waiting = connections[id]?.waiting, case .signature = waiting.step else { return }
    let request = waiting.request
    connections[id]?.waiting = nil
    guard let evidence else {
      answer(id, request, 500)
      return drop(id, .unavailable)
    }
    let body = connections[id]?.authSetup.answer(certificate: evidence.certificate, signature: evidence.signature)
    answer(id, request, 200, type: MessageTypes.bytes, body: body ?? [])
    if connections[id]?.isReported == true { report(.state(.authenticated)) }
    serve(id, at: time)
  }

  public mutating func bound(_ socket: SessionSocket, port: UInt16?, at time: MonotonicTime) {
    guard let (id, connection) = connections.first(where: { $0.value.waiting?.unbound.contains(socket) == true }),
      let request = connection.waiting?.request
    else { return act(.close(socket)) }
    guard let port else {
      abandon(id)
      answer(id, request, 500)
      return serve(id, at: time)
    }
    connections[id]?.waiting?.unbound.remove(socket)
    connections[id]?.waiting?.ports[socket] = port
    guard let waiting = connections[id]?.waiting, waiting.unbound.isEmpty else { return }
    connections[id]?.waiting = nil
    switch waiting.step {
    case .session(let body, let protection): setUp(id, waiting, body, protection, at: time)
    case .streams(let streams): setUp(id, waiting, streams, at: time)
    case .signature, .events, .drained: break
    }
    serve(id, at: time)
  }

  /// Makes room for a connection, for which the oldest one outside of the session is evicted. Any phone may pair, so
  /// verified ones must not keep others out either: if most are verified, one of these is evicted, otherwise an
  /// unverified one.
  private mutating func makeRoom() -> Bool {
    guard connections.count >= Self.maximumConnections else { return true }
    let others = connections.keys.filter { session?.connection != $0 }
    let verified = others.filter { connections[$0]?.verified != nil }
    let kind = verified.count > Self.maximumConnections / 2 ? verified : others.filter { !verified.contains($0) }
    guard let oldest = kind.min() else { return false }
    abandon(oldest)
    connections[oldest] = nil
    act(.close(.control(oldest)))
    return true
  }

  /// Discards an answer that waits, and closes its sockets.
  private mutating func abandon(_ id: Int) {
    guard let waiting = connections[id]?.waiting else { return }
    connections[id]?.waiting = nil
    for socket in waiting.unbound.union(waiting.ports.keys) { act(.close(socket)) }
  }

  // MARK: Ends

  /// Closes a connection for a reason; a session on it ends with it.
  mutating func drop(_ id: Int, _ reason: SessionEnd) { drop(id, SessionFailure(reason)) }

  mutating func drop(_ id: Int, _ reason: SessionFailure) {
    if session?.connection == id { return end(reason.end, reason.problem) }
    abandon(id)
    guard let connection = connections.removeValue(forKey: id) else { return }
    act(.close(.control(id)))
    if connection.isReported { reportEnd(reason) }
  }

  /// Reports a problem that its owner found in the content of a stream, and goes on.
  public mutating func tolerate(_ problem: ValueProblem) { report(.tolerated(problem)) }

  /// Ends the session, because its owner found a problem in the content of a stream.
  public mutating func fail(_ reason: SessionEnd, _ problem: ValueProblem) { end(reason, problem) }

  /// Ends the session and its connection.
  mutating func end(_ reason: SessionEnd, _ problem: ValueProblem? = nil) {
    guard let session else { return }
    abandon(session.connection)
    self.session = nil
    if let modes = session.modes { configuration.lastModes = modes }
    connections[session.connection] = nil
    // The control connection is closed first, so that the phone sees the end of the session and not that of a stream.
    act(.close(.control(session.connection)))
    for stream in session.streams.values.sorted(by: { $0.type.rawValue < $1.type.rawValue }) {
      close(stream)
      report(.stream(stream.type, .stopped, stream.format))
    }
    for socket in session.sockets { act(.close(socket)) }
    report(.ended(reason, problem))
  }

  /// Reports the end of a connection that had no session, unless another connection has a session.
  private mutating func reportEnd(_ reason: SessionFailure) {
    guard session == nil else { return }
    report(.ended(reason.end, reason.problem))
  }

  mutating func close(_ stream: HeadUnitStream) {
    for socket in stream.sockets { act(.close(socket)) }
  }
}
