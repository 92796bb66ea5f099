// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles

/// A side of a connection: its session while one exists, and its connection state between two sessions.
struct VehicleLinkSide<Policy: RolePolicy>: Sendable {
  /// The session on the last connection; nil before the first connection and after the session is over.
  private(set) var session: Session<Policy>?
  /// The lifecycle while there is no session.
  private var lifecycle: Lifecycle
  /// The role of the last session; nil while there is one.
  private(set) var lastPolicy: Policy?
  /// Whether both sides were ready on the connection.
  private var wasReady = false
  /// The events that were not taken yet.
  private(set) var events: [VehicleLink.Event] = []
  /// The events of features that were not taken yet, the oldest first.
  private var features: [FeatureEvent] = []

  /// The other events of the role that were not taken yet, such as the start of the link, the oldest first.
  private var progress: [RoleEvent] = []
  /// The function that answers authentication requests; nil if the owner answers them.
  private let answer: (@Sendable (RoleAction) -> RoleInput?)?

  /// The maximum number of stored feature events, for an owner that does not take them.
  private static var maximumFeatures: Int { 4096 }
  /// The maximum number of stored ``progress`` events. A connection has ten, but a peer can violate rules without end.
  private static var maximumProgress: Int { 256 }

  /// - Parameters:
  ///   - lifecycle: The lifecycle before the first connection.
  ///   - answer: The function that answers authentication requests; nil if the owner takes them from ``nextRequest()``.
  init(_ lifecycle: Lifecycle, answer: (@Sendable (RoleAction) -> RoleInput?)? = VehicleLink.answer) {
    self.lifecycle = lifecycle
    self.answer = answer
  }

  /// Whether this side regards the other one as connected.
  var isConnected: Bool { (session?.lifecycle ?? lifecycle).isConnected }

  var nextDeadline: MonotonicTime? { session?.nextDeadline }

  /// Begins a session on a new connection. First, the previous one's transport reports its end.
  mutating func begin(
    address: String = "car", _ makeSession: (Lifecycle) -> Session<Policy>, at now: MonotonicTime
  ) {
    submit(.transportClosed, at: now)
    pump(at: now) { _ in }
    if let session { lifecycle = session.lifecycle }
    wasReady = false
    var next = makeSession(lifecycle)
    next.start(address: address, at: now)
    session = next
  }

  mutating func submit(_ input: SessionInput, at now: MonotonicTime) { session?.submit(input, at: now) }

  mutating func receive(_ bytes: [UInt8], at now: MonotonicTime) { session?.receive(bytes, at: now) }

  mutating func handleDeadline(at now: MonotonicTime) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    session?.handleDeadline(at: now)
  }

  /// Passes on the platform's notification of a disconnect.
  mutating func notice(at now: MonotonicTime) {
    guard session == nil else { return submit(.notice, at: now) }
    take(lifecycle.notified(at: now))
  }

  /// Changes the role. Without a session, `power` gives the phone's power, and the lifecycle is notified of its change.
  mutating func change(at now: MonotonicTime, _ body: (inout Policy) -> [RoleAction]) {
    guard session == nil else {
      session?.act(at: now) { policy in ((), body(&policy)) }
      return
    }
    guard let before = lastPolicy?.power else { return }
    _ = lastPolicy.map { policy in
      var policy = policy
      _ = body(&policy)
      lastPolicy = policy
    }
    if let power = lastPolicy?.power { take(lifecycle.saw(power, after: before, at: now)) }
  }

  /// Answers requests, and takes events and bytes, until none is left.
  mutating func pump(at now: MonotonicTime, transmit: ([UInt8]) -> Void) {
    while session != nil {
      let hasWorked = work(at: now)
      let bytes = nextBytes(at: now)
      if let bytes {
        transmit(bytes)
        sent(at: now)
      }
      guard hasWorked || bytes != nil else { break }
    }
    retire()
  }

  /// Stores the role and the lifecycle of an ended session, and removes the session.
  mutating func retire() {
    guard let over = session, over.isOver else { return }
    (lifecycle, lastPolicy, session) = (over.lifecycle, over.policy, nil)
  }

  /// Returns the bytes to send next; nil without any. The caller calls ``sent(at:)`` after it sent them.
  mutating func nextBytes(at now: MonotonicTime) -> [UInt8]? {
    var bytes: [UInt8] = []
    return session?.transmit(into: &bytes, at: now) == true ? bytes : nil
  }

  mutating func sent(at now: MonotonicTime) { session?.sent(at: now) }

  /// Returns a request for an owner that answers; nil without one.
  mutating func nextRequest() -> SessionRequest? { answer == nil ? session?.nextRequest() : nil }

  mutating func report(_ event: VehicleLink.Event) { events.append(event) }

  mutating func takeEvents() -> [VehicleLink.Event] {
    defer { events = [] }
    return events
  }

  mutating func takeFeatures() -> [FeatureEvent] {
    defer { features = [] }
    return features
  }

  mutating func takeProgress() -> [RoleEvent] {
    defer { progress = [] }
    return progress
  }

  /// Performs an action of the role during a session.
  ///
  /// - Returns: nil without a session.
  mutating func act<Result>(at now: MonotonicTime, _ body: (inout Policy) -> (Result, [RoleAction])) -> Result? {
    guard session != nil else { return nil }
    return session?.act(at: now, body)
  }

  /// Answers the waiting requests and takes the waiting events. Returns whether there were any.
  mutating func work(at now: MonotonicTime) -> Bool {
    var isActive = false
    while let answer, let request = session?.nextRequest() {
      isActive = true
      submit(.answer(to: request, answer(request.action)), at: now)
    }
    var isReported = false
    while let event = session?.nextEvent() {
      isActive = true
      guard case .role(let event) = event else { continue }
      isReported = isReported || event == .connected
      take(event)
    }
    let isReady = session?.policy.isReady ?? false
    if isReady, !wasReady, !isReported { events.append(.reconnected) }
    wasReady = isReady
    return isActive
  }

  private mutating func take(_ actions: [Lifecycle.Action]) {
    for action in actions { if let event = RoleEvent(action) { take(event) } }
  }

  private mutating func take(_ event: RoleEvent) {
    switch event {
    case .connected: events.append(.connected)
    case .disconnected(let end): events.append(.disconnected(end.cause))
    case .feature(let event): if features.count < Self.maximumFeatures { features.append(event) }
    case .message: break
    default: if answer == nil, progress.count < Self.maximumProgress { progress.append(event) }
    }
  }
}
