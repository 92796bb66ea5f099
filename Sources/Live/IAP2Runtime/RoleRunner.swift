// swift-iap2 · Apache-2.0

import IAP2
import IAP2Roles
import IAP2Transport

/// A policy whose state a role keeps from one connection to the next.
protocol LivePolicy: RolePolicy {
  associatedtype State: Sendable
  var state: State { get }
  /// Changes the state and returns the messages that report the change to the peer.
  mutating func change(_ body: (inout State) -> Void) -> [RoleAction]
  /// The power of this side's own battery, which the disconnect policy also evaluates without a connection; nil if this
  /// side has none.
  static func ownPower(_ state: State) -> PowerObservation?
  /// The identification that the peer sent in this connection, or else in the one before on the same transport; nil on
  /// a side that receives none.
  var lastIdentification: IdentificationInformation? { get }
}

extension HeadUnitPolicy: LivePolicy {
  static func ownPower(_ state: HeadUnitState) -> PowerObservation? { nil }
  var lastIdentification: IdentificationInformation? { nil }
}

extension PhonePolicy: LivePolicy {
  static func ownPower(_ state: PhoneState) -> PowerObservation? { state.power }
  var lastIdentification: IdentificationInformation? { identification ?? previousIdentification }
}

/// The part that both roles share. It serves one transport at a time, and keeps the state and the lifecycle between
/// transports.
actor RoleRunner<Policy: LivePolicy> {
  private let side: Side
  private let port: AuthenticationPort
  private let options: RoleOptions
  /// Creates the policy of a connection from the role's state and from the policy of the connection before, if any.
  private let makePolicy: @Sendable (Policy.State, Policy?) -> Policy
  private let events: RoleEvents
  private var services: [String: ServedSessions.Service] = [:]
  /// The state while there is no connection.
  private var keptState: Policy.State
  private var lifecycle: Lifecycle
  /// The connection on the transport; nil once it has ended.
  private(set) var connection: Connection<Policy>?
  /// The identification that the peer sent in the last connection that has ended.
  private(set) var endedIdentification: IdentificationInformation?
  /// A transport is served, or services of its connection still run.
  private var isRunning = false
  /// No connection is to run any more.
  private var isStopped = false

  init(
    side: Side, state: Policy.State, port: AuthenticationPort, options: RoleOptions, events: RoleEvents,
    makePolicy: @escaping @Sendable (Policy.State, Policy?) -> Policy
  ) {
    self.side = side
    self.port = port
    self.options = options
    self.events = events
    self.makePolicy = makePolicy
    keptState = state
    lifecycle = options.lifecycle
  }

  func serve(_ protocolName: String, _ body: @escaping ServedSessions.Service) { services[protocolName] = body }

  func run(on transport: any ByteTransport) async -> ServeResult {
    guard !isRunning else { return ServeResult(wasIdentified: false, refusal: .alreadyRunning) }
    guard !isStopped else {
      await transport.close()
      return ServeResult(wasIdentified: false)
    }
    isRunning = true
    defer { isRunning = false }
    let sessions = ServedSessions(services, clock: options.clock, limits: options.limits)
    let connection = makeConnection(on: transport, sessions)
    self.connection = connection
    await connection.run()
    await takeOver(from: connection)
    for session in await sessions.finish() { events.emitStopped(session, at: options.clock.now) }
    return await connection.result
  }

  // Not inlined: the values of a session would stay in the frame of `run` for the whole connection.
  @inline(never)
  private func makeConnection(on transport: any ByteTransport, _ sessions: ServedSessions) -> Connection<Policy> {
    let (events, state, makePolicy) = (events, keptState, makePolicy)
    let sessionOptions = options.session { (before: Policy?) in makePolicy(before?.state ?? state, before) }
    return Connection(
      endpoint: options.endpoint(of: side), options: sessionOptions, port: port, lifecycle: lifecycle,
      transport: transport, clock: options.clock, inspect: options.inspect, emit: { events.emit($0) },
      service: { sessions.add($0) })
  }

  /// Takes the state over from a connection that has ended, once. Later changes apply to this role.
  private func takeOver(from ended: Connection<Policy>) async {
    let session = await ended.release()
    guard connection === ended else { return }
    connection = nil
    keep(session)
  }

  @inline(never)
  private func keep(_ session: EndedSession<Policy>) {
    keptState = session.state
    lifecycle = session.lifecycle
    endedIdentification = session.identification
  }

  func notice() async {
    while let connection {
      if await connection.noticeUnlessReleased() { return }
      await takeOver(from: connection)
    }
    events.report(lifecycle.notified(at: options.clock.now), at: options.clock.now)
  }

  var state: Policy.State {
    get async { await connection?.session.policy.state ?? keptState }
  }

  func update(_ body: @escaping @Sendable (inout Policy.State) -> Void) async {
    while let connection {
      if await connection.use({ policy in ((), policy.change(body)) }) != nil { return }
      await takeOver(from: connection)
    }
    let before = Policy.ownPower(keptState)
    body(&keptState)
    guard let before, let power = Policy.ownPower(keptState) else { return }
    let now = options.clock.now
    events.report(lifecycle.saw(power, after: before, at: now), at: now)
  }

  /// Does what a user asks for: either all of its messages are queued, or nothing changes.
  func request<Failure: RequestError>(
    _ body: @escaping @Sendable (inout Policy) throws(Failure) -> [RoleAction]
  ) async throws(Failure) {
    guard let connection else { throw .notReady }
    try await connection.request(body)
  }

  /// Queues reports that the peer may not want.
  ///
  /// - Returns: False if nothing was queued.
  func report(_ body: @escaping @Sendable (inout Policy) -> [RoleAction]) async -> Bool {
    await connection?.report(body) ?? false
  }

  /// Sends bytes as a message without a check against the lists.
  ///
  /// - Returns: False without a connection.
  func sendRaw(id: UInt16, body: [UInt8]) async -> Bool {
    await perform(.send(ControlHeader.message(id, body: body)))
  }

  /// Offers a file without an announcement.
  ///
  /// - Returns: False without a connection.
  func sendFile(_ bytes: [UInt8], type: UInt16?, id: UInt8) async -> Bool {
    await perform(.sendFile(id: id, bytes: bytes, type: type))
  }

  private func perform(_ action: RoleAction) async -> Bool {
    guard let connection else { return false }
    return await connection.use { _ in ((), [action]) } != nil
  }

  /// Returns a value of the present session; nil without a connection.
  func read<Value: Sendable>(_ body: @Sendable (Session<Policy>) -> Value) async -> Value? {
    guard let connection else { return nil }
    return body(await connection.session)
  }

  func close(_ protocolName: String) async -> Int { await connection?.close(protocolNamed: protocolName) ?? 0 }
  func disconnect() async { await connection?.disconnect() }
  func stop() async {
    isStopped = true
    await connection?.disconnect()
  }
  func drop() async { await connection?.drop() }
}

/// The part of an ended session that its role keeps. It is a class, because the values of a session in the frames of a
/// role's tasks took 13 kB of each connection.
final class EndedSession<Policy: LivePolicy>: Sendable {
  let state: Policy.State
  let lifecycle: Lifecycle
  /// The identification that the peer sent last.
  let identification: IdentificationInformation?

  @inline(never)
  init(_ session: borrowing Session<Policy>) {
    state = session.policy.state
    lifecycle = session.lifecycle
    identification = session.policy.lastIdentification
  }
}

extension Connection where Policy: LivePolicy {
  /// Hands the final session over to the role. Later calls of the role are refused, so that no change is lost.
  func release() -> EndedSession<Policy> {
    isReleased = true
    return inPlace { EndedSession($0) }
  }
}
