// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport

/// A head unit: the accessory's side of the protocol. It answers the phone's requests.
///
/// A head unit serves one transport at a time. It keeps its state from one connection to the next.
public actor HeadUnit {
  private var profile: HeadUnitProfile
  private let authenticator: any Authenticator
  private let options: RoleOptions
  private var services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:]
  /// The connection on the transport; nil once it has ended.
  private var connection: Connection<HeadUnitPolicy>?
  /// A transport is served, or services of its connection still run.
  private var isRunning = false
  private var lifecycle: Lifecycle

  /// The events of this role in order, for one reader.
  public nonisolated let events = RoleEvents()

  /// Creates a head unit that serves no transport yet.
  ///
  /// - Parameters:
  ///   - profile: The identification, the first state and the requests of the head unit.
  ///   - authenticator: The signer of the phone's challenges.
  ///   - options: The clock, the limits and the policies of connections.
  public init(
    profile: HeadUnitProfile, authenticator: any Authenticator = SoftwareAuthenticator.test,
    options: RoleOptions = RoleOptions()
  ) {
    self.profile = profile
    self.authenticator = authenticator
    self.options = options
    lifecycle = options.lifecycle
  }

  /// Sets the service of an EA protocol of the profile. It runs once for each session, which ends when `body` returns.
  ///
  /// A service that is set during ``run(on:)`` applies from the next run on. Sessions of a protocol without a service
  /// are read, and their bytes are ignored.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) {
    services[protocolName] = body
  }

  /// Serves one transport until it ends and the services of its EA sessions have returned.
  ///
  /// A role serves one transport at a time. A call during another run returns at once with the refusal
  /// ``RoleError/alreadyRunning``. It does not use its transport, which stays open, and the other run continues.
  public func run(on transport: any ByteTransport) async -> ServeResult {
    guard !isRunning else { return ServeResult(wasIdentified: false, refusal: .alreadyRunning) }
    isRunning = true
    defer { isRunning = false }
    let sessions = ServedSessions(clock: options.clock, limits: options.limits)
    let connection = makeConnection(on: transport, sessions)
    self.connection = connection
    let late = await sessions.serve(services) {
      await connection.run()
      await self.takeOver(from: connection)
    }
    for session in late { events.emitStopped(session, at: options.clock.now) }
    return await connection.result
  }

  // Not inlined: the values of a session would stay in the frame of `run` for the whole connection.
  @inline(never)
  private func makeConnection(on transport: any ByteTransport, _ sessions: ServedSessions) -> Connection<HeadUnitPolicy>
  {
    let events = events
    let profile = profile
    var sessionOptions = options.session { (before: HeadUnitPolicy?) in
      var next = profile
      if let before { next.state = before.state }
      return HeadUnitPolicy(profile: next)
    }
    sessionOptions.closedServiceCount = { sessions.closedCount }
    return Connection<HeadUnitPolicy>(
      endpoint: options.endpoint(of: .accessory), options: sessionOptions, port: .authenticator(authenticator),
      lifecycle: lifecycle, transport: transport, clock: options.clock, inspect: options.inspect,
      emit: { events.emit($0) }, service: { sessions.add($0) })
  }

  /// Takes the state over from a connection that has ended, once. Later changes apply to this role.
  @inline(never)
  private func takeOver(from ended: Connection<HeadUnitPolicy>) async {
    let session = await ended.release()
    guard connection === ended else { return }
    connection = nil
    profile.state = session.policy.state
    lifecycle = session.lifecycle
  }

  /// Handles a notice of the platform that the phone has disconnected. The disconnect policy decides what it means.
  public func notice() async {
    while let connection {
      if await connection.noticeUnlessReleased() { return }
      await takeOver(from: connection)
    }
    events.report(lifecycle.notified(at: options.clock.now), at: options.clock.now)
  }

  // MARK: State and requests

  /// The present state of the car.
  public var state: HeadUnitState {
    get async { await connection?.session.policy.state ?? profile.state }
  }

  /// Ends every open session of an EA protocol once the bytes written to it were sent. The connection stays.
  ///
  /// - Returns: The number of sessions; 0 without a connection.
  @discardableResult
  public func close(_ protocolName: String) async -> Int {
    await connection?.close(protocolNamed: protocolName) ?? 0
  }

  /// Changes the state of the car, and sends the changes that the phone has asked for.
  ///
  /// A change is never lost. Without a connection and during the end of one, it applies to the state from which the next
  /// connection starts. If the queue of control messages is full, the state changes, and the message that cannot be sent
  /// is reported as a violation.
  public func update(_ body: @escaping @Sendable (inout HeadUnitState) -> Void) async {
    while let connection {
      if await connection.use({ policy in ((), policy.change(body)) }) != nil { return }
      await takeOver(from: connection)
    }
    body(&profile.state)
  }

  /// Queues a request, such as `AcceptCall` or `SetNowPlayingInformation`. It returns before the phone has received
  /// the request. If it throws, nothing was queued.
  ///
  /// - Throws: ``RoleError/notReady``, ``RoleError/notListed(_:)``, ``RoleError/messageTooLong(_:)`` or
  ///   ``RoleError/queueFull(limit:)``.
  public func send<Message: ControlMessage>(_ message: Message) async throws(RoleError) {
    guard let connection else { throw .notReady }
    let id = Message.id
    let longest = options.limits.messageByteCount
    try await connection.request { (policy) throws(RoleError) in
      guard policy.isReady else { throw .notReady }
      guard let actions = policy.request(message) else { throw .notListed(id) }
      guard case .send(let bytes)? = actions.first, bytes.count <= longest else { throw .messageTooLong(id) }
      return actions
    }
  }

  /// Presses and releases a button of the media remote. If it throws, nothing was queued.
  public func press(_ button: MediaButton) async throws(HeadUnitPolicy.PressProblem) {
    try await press { (policy) throws(HeadUnitPolicy.PressProblem) in try policy.press(button) }
  }

  /// Presses and releases keys or buttons of one of the car's devices. If it throws, nothing was queued.
  public func press(_ usages: [HIDUsage], on component: UInt16) async throws(HeadUnitPolicy.PressProblem) {
    try await press { (policy) throws(HeadUnitPolicy.PressProblem) in try policy.press(usages, on: component) }
  }

  private func press(
    _ body: @escaping @Sendable (HeadUnitPolicy) throws(HeadUnitPolicy.PressProblem) -> [RoleAction]
  ) async throws(HeadUnitPolicy.PressProblem) {
    guard let connection else { throw .notReady }
    try await connection.request { (policy) throws(HeadUnitPolicy.PressProblem) in try body(policy) }
  }

  /// Reports those NMEA 0183 sentences whose kinds the phone has asked for.
  ///
  /// - Returns: False if nothing was queued: the phone asked for none of the kinds, there is no connection, its end was
  ///   decided, or the queue of control messages is full.
  @discardableResult
  public func report(_ sentences: [String]) async -> Bool {
    guard let connection else { return false }
    do throws(RoleError) {
      try await connection.request { (policy) throws(RoleError) in
        let actions = policy.report(sentences)
        guard !actions.isEmpty else { throw .notReady }
        return actions
      }
      return true
    } catch { return false }
  }

  /// Sends bytes as a message without a check against the lists; for scenarios that break rules.
  ///
  /// - Returns: False without a connection.
  package func sendRaw(id: UInt16, body: [UInt8]) async -> Bool {
    guard let connection else { return false }
    return await connection.use { _ in ((), [.send(ControlHeader.message(id, body: body))]) } != nil
  }

  /// The maneuvers that the phone named as current, as far as it has described them; empty without a connection.
  public var currentManeuvers: [RouteGuidanceManeuverUpdate] {
    get async { await connection?.session.policy.currentManeuvers ?? [] }
  }

  // MARK: The end

  /// Starts the orderly end of the connection. It does nothing without a connection or during an end. ``run(on:)``
  /// returns when the transport has ended.
  public func disconnect() async { await connection?.disconnect() }

  /// Closes the transport without an orderly end, as a pulled cable does.
  public func drop() async { await connection?.drop() }

  /// Ends ``events`` after those that wait. Call it after the last ``run(on:)``.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}
