// swift-iap2 · Apache-2.0

public import Basics

/// The phone's side of a CarPlay session, without sockets and clocks.
///
/// ```
/// dialing ─▶ pairing ─▶ verifying ─▶ authenticating ─▶ settingUp ─▶ informing ─▶ recording ─▶ live ─▶ ending ─▶ ended
/// ```
///
/// With a known head unit the session starts with verifying, and without pairing with authenticating. The phone sends
/// one request at a time, and the last answer of a step starts the next step. Any failure ends the session with a
/// reason. Once the session is live, the owner starts streams, sends commands and ends the session. Source:
/// CarPlaySession.md#states.
public struct PhoneSession: SessionMachine {
  /// The step of the session.
  enum Phase: Sendable {
    case idle
    case dialing
    case pairing(PairSetupPhone)
    case verifying(PairVerifyPhone)
    case authenticating(AuthSetupPhone)
    /// The set-up waits until the socket of the clock is bound.
    case binding
    case settingUp
    case informing
    case recording
    case live
    case ending
    case ended
  }

  /// A request on the control channel that waits for its answer.
  struct PendingRequest: Sendable {
    enum Kind: Sendable {
      case pairSetup, pairVerify, authSetup, setUp, info, record, feedback, command, tearDown
      case streams([StreamType])
      case tearDownStreams
    }
    let sequence: Int
    let kind: Kind
    /// The method and the path.
    let name: String
    let deadline: MonotonicTime
  }

  let configuration: PhoneConfiguration
  let random: @Sendable (Int) -> [UInt8]
  var phase = Phase.idle
  var channel = MessageChannel()
  var pending: [PendingRequest] = []
  /// The sequence numbers of the unanswered `/feedback` requests in a row. Their late answers are skipped.
  var missedFeedback: [Int] = []
  private(set) var nextSequence = 1
  /// The time at which a session that is not live ends.
  var setUpDeadline: MonotonicTime?
  /// The times until which connections must be established.
  var connecting: [SessionSocket: MonotonicTime] = [:]

  /// Whether the phone has paired on this connection, which it does at most once.
  var hasPaired = false
  /// Whether the phone has repeated a pair-setup whose proof the head unit refused.
  var hasTriedAgain = false
  /// The protection of streams; nil before pair-verify, or before the set-up without it.
  var protection: StreamProtection?
  /// The phone's side of auth-setup, whose cipher encrypts a session key; nil before the answer of the head unit.
  var authSetup: AuthSetupPhone?
  var events = MessageChannel()
  var isEventConnected = false
  /// The port of the event connection, which was refused, and the time of the next try; nil if it was not refused.
  var eventRetry: (port: UInt16, time: MonotonicTime)?
  private var eventPort: UInt16 = 0
  var clockPort: UInt16?
  /// The port of the head unit's clock; nil if it stated none.
  var headUnitClockPort: UInt16?
  /// The second in which clock requests are counted, and their number.
  var clockRequests: (since: MonotonicTime, count: Int)?
  /// The sockets that must be bound before the set-up.
  var unbound: Set<SessionSocket> = []
  /// The time of the last answer, request, microphone packet or clock request of the head unit; nil without a clock.
  private(set) var lastHeard: MonotonicTime?
  var nextHeartbeat: MonotonicTime?
  /// The head unit's port of the low-power keep-alive, and the time of the next datagram; nil without one.
  var keepAlive: (port: UInt16, next: MonotonicTime)?

  /// The head unit's `/info`; nil before its answer.
  public internal(set) var info: SessionInfo?
  /// The readers of the head unit's input devices by the names of the devices.
  var inputs: [String: InputReader] = [:]
  /// The features that the head unit enables.
  public internal(set) var enabledFeatures: [String] = []
  /// The arbiter of the screen, the speakers and the app states.
  public internal(set) var arbiter = ModeArbiter()
  var streams: [StreamType: PhoneStream] = [:]
  private var actions: [SessionAction] = []

  /// Creates a phone that is not connected.
  public init(_ configuration: PhoneConfiguration, random: @escaping @Sendable (_ count: Int) -> [UInt8]) {
    var configuration = configuration
    configuration.request = configuration.keys.complete(configuration.request, random)
    self.configuration = configuration
    self.random = random
  }

  mutating func act(_ action: SessionAction) { actions.append(action) }

  mutating func report(_ event: SessionEvent) { actions.append(.report(event)) }

  mutating func log(_ secret: AgreedSecret?) { if let secret { act(.log(secret)) } }

  public mutating func takeActions(into taken: inout [SessionAction]) {
    if !taken.isEmpty { taken.removeAll(keepingCapacity: true) }
    swap(&taken, &actions)
  }

  /// The types of the streams that are set up, or being set up.
  public var streamTypes: Set<StreamType> { Set(streams.keys) }

  /// Whether commands and streams can be sent.
  public var isLive: Bool { if case .live = phase { true } else { false } }

  /// Whether the end was reported.
  package var isEnded: Bool { if case .ended = phase { true } else { false } }

  // MARK: Connections

  /// Connects to the control port of a head unit.
  public mutating func start(port: UInt16, at time: MonotonicTime) {
    guard case .idle = phase else { return }
    phase = .dialing
    setUpDeadline = time.advanced(by: configuration.times.setUp)
    connect(.control(0), port: port, at: time)
  }

  mutating func connect(_ socket: SessionSocket, port: UInt16, at time: MonotonicTime) {
    if case .events = socket { eventPort = port }
    connecting[socket] = time.advanced(by: configuration.times.connection)
    act(.connect(socket, port: port))
  }

  public mutating func connected(_ socket: SessionSocket, at time: MonotonicTime) {
    guard connecting.removeValue(forKey: socket) != nil else { return }
    switch socket {
    case .control:
      report(.state(.connected))
      begin(at: time)
    case .events:
      isEventConnected = true
      askInfo(at: time)
    case .stream(let type): run(type)
    case .clock, .keepAlive, .streamControl: break
    }
  }

  public mutating func receive(
    _ bytes: [UInt8], on socket: SessionSocket, from port: UInt16, at time: MonotonicTime
  ) {
    guard !isEnded else { return }
    switch socket {
    case .control:
      hear(at: time)
      do throws(SessionFailure) {
        try channel.receive(bytes)
        while let message = try nextMessage() { try take(message, at: time) }
      } catch { end(error.end, error.problem) }
    case .events:
      hear(at: time)
      receiveEvents(bytes, at: time)
    case .clock: receiveClock(bytes, from: port, at: time)
    case .keepAlive: break
    case .stream(let type): receive(bytes, of: type, at: time)
    case .streamControl(let type): receiveControl(bytes, of: type, from: port, at: time)
    }
  }

  /// Records a sign of the head unit, in a session with a clock.
  mutating func hear(at time: MonotonicTime) { if lastHeard != nil { lastHeard = time } }

  /// Starts to expect signs of the head unit.
  mutating func beginHearing(at time: MonotonicTime) { lastHeard = time }

  private mutating func nextMessage() throws(SessionFailure) -> RequestMessage? {
    guard !isEnded else { return nil }
    do throws(RequestReader.Problem) { return try channel.next() } catch { throw SessionFailure(SessionEnd(error)) }
  }

  public mutating func closed(_ socket: SessionSocket, at time: MonotonicTime) {
    if case .ending = phase {
      // The head unit may close the other connections before it answers.
      if case .control = socket { end(.teardown) }
      return
    }
    switch socket {
    case .control: end(.controlLost)
    case .events:
      if isEventConnected { return end(.eventLost) }
      // A head unit may answer before it listens.
      if connecting[.events] != nil {
        eventRetry = (eventPort, time.advanced(by: configuration.times.connectionRetry))
      }
    case .stream(let type): if streams[type] != nil { end(.streamLost) }
    case .clock, .keepAlive, .streamControl: break
    }
  }

  public mutating func stop(_ reason: SessionEnd, at time: MonotonicTime) {
    if reason == .stopped || reason == .teardown, isLive { return tearDown(at: time) }
    end(reason)
  }

  /// Ends the session in order.
  public mutating func tearDown(at time: MonotonicTime) {
    guard isLive else { return end(.stopped) }
    phase = .ending
    ask(.tearDown, "TEARDOWN", within: configuration.times.tearDown, at: time)
  }

  mutating func end(_ reason: SessionEnd, _ problem: ValueProblem? = nil) {
    guard !isEnded else { return }
    phase = .ended
    (pending, connecting, setUpDeadline, nextHeartbeat, lastHeard) = ([], [:], nil, nil, nil)
    (eventRetry, keepAlive) = (nil, nil)
    for stream in streams.values.sorted(by: { $0.type.rawValue < $1.type.rawValue }) {
      for socket in stream.sockets { act(.close(socket)) }
      report(.stream(stream.type, .stopped, stream.format))
    }
    streams = [:]
    for socket in [SessionSocket.events, .clock, .keepAlive, .control(0)] { act(.close(socket)) }
    report(.ended(reason, problem))
  }

  // MARK: Requests

  /// Sends a request.
  mutating func ask(
    _ kind: PendingRequest.Kind, _ method: String, _ path: String? = nil, headers: [(String, String)] = [],
    type: String? = nil, body: [UInt8] = [], within limit: Duration? = nil, at time: MonotonicTime
  ) {
    var headers =
      [("CSeq", "\(nextSequence)"), ("User-Agent", "AirPlay/\(configuration.request.sourceVersion ?? Self.version)")]
      + headers
    if let type { headers.append(("Content-Type", type)) }
    let message = RequestMessage(
      .request(method: method, path: path ?? "rtsp://carplay/1", protocolWord: "RTSP/1.0"),
      headers: RequestHeaders(headers), body: body)
    let deadline = time.advanced(by: limit ?? configuration.times.request)
    let name = path.map { "\(method) \($0)" } ?? method
    pending.append(PendingRequest(sequence: nextSequence, kind: kind, name: name, deadline: deadline))
    nextSequence += 1
    act(.send(.control(0), channel.bytes(message)))
  }

  /// The version of a phone without the keys of today. Ours: any version of a phone works.
  static let version = "745.83"

  private mutating func take(_ message: RequestMessage, at time: MonotonicTime) throws(SessionFailure) {
    guard case .answer(let status, _, _) = message.start else { throw SessionFailure(.badRequest) }
    if let index = missedFeedback.firstIndex(where: { message.sequence == "\($0)" }) {
      missedFeedback.removeFirst(index + 1)
      return
    }
    // Answers arrive in order. A missing answer to a `/feedback` is counted and does not end the session at once.
    let index = message.sequence.map { sequence in pending.firstIndex { sequence == "\($0.sequence)" } } ?? 0
    guard let index, index < pending.count, pending[..<index].allSatisfy(\.isFeedback) else {
      throw SessionFailure(.badAnswer)
    }
    missedFeedback += pending[..<index].map(\.sequence)
    let answered = pending[index]
    pending.removeFirst(index + 1)
    try take(message, status, answered, at: time)
  }

  private mutating func take(
    _ message: RequestMessage, _ status: Int, _ pending: PendingRequest, at time: MonotonicTime
  ) throws(SessionFailure) {
    switch pending.kind {
    case .feedback:
      missedFeedback = []
      return
    case .command, .tearDownStreams:
      if status >= 300 { report(.refused(.refused, status: status, pending.problem(status))) }
      return
    case .tearDown: return end(.teardown)
    default: break
    }
    guard status == 200 else {
      let problem = pending.problem(status)
      report(.refused(.refused, status: status, problem))
      throw SessionFailure(
        status == 453 ? .busy : status == 403 || pending.isPairing ? .notPaired : .refused, problem)
    }
    switch pending.kind {
    case .pairSetup: try takePairSetup(message.body, at: time)
    case .pairVerify: try takePairVerify(message.body, at: time)
    case .authSetup: try takeAuthSetup(message.body, at: time)
    case .setUp: try takeSetUp(message.body, at: time)
    case .info: try takeInfo(message.body, at: time)
    case .record: goLive(at: time)
    case .streams(let types): try takeStreams(types, pending.sequence, message.body, at: time)
    case .feedback, .command, .tearDown, .tearDownStreams: break
    }
  }
}
