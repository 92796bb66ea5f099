// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport

/// The head unit, the accessory's side: it is asked, and answers.
public actor HeadUnit {
  private var profile: HeadUnitProfile
  private let authenticator: any Authenticator
  private let options: RoleOptions
  private var services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:]
  private var connection: Connection<HeadUnitPolicy>?
  private var lifecycle: Lifecycle

  /// Everything that happens, in order; one reader.
  public nonisolated let events = RoleEvents()

  public init(
    profile: HeadUnitProfile, authenticator: any Authenticator = SoftwareAuthenticator.test,
    options: RoleOptions = RoleOptions()
  ) {
    self.profile = profile
    self.authenticator = authenticator
    self.options = options
    lifecycle = options.lifecycle
  }

  /// Serves an EA protocol of the profile; the session ends when `body` returns.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) {
    services[protocolName] = body
  }

  /// Lives on one transport until it ends.
  public func run(on transport: any ByteTransport) async -> ServeResult {
    let sessions = ServedSessions(clock: options.clock, limits: options.limits)
    let events = events
    let profile = profile
    let connection = Connection<HeadUnitPolicy>(
      endpoint: options.endpoint(of: .accessory),
      options: options.session { before in
        var next = profile
        if let before { next.state = before.state }
        return HeadUnitPolicy(profile: next)
      }, port: .authenticator(authenticator), lifecycle: lifecycle, transport: transport, clock: options.clock,
      inspect: options.inspect, emit: { events.emit($0) }, service: { sessions.add($0) })
    self.connection = connection
    let late = await sessions.serve(services) { await connection.run() }
    for session in late { events.emitStopped(session, at: options.clock.now) }
    self.connection = nil
    let session = await connection.session
    self.profile.state = session.policy.state
    lifecycle = session.lifecycle
    return await connection.result
  }

  /// The platform says that the phone is gone, rightly or not.
  public func notice() async {
    guard let connection else { return events.tell(lifecycle.notified(at: options.clock.now), at: options.clock.now) }
    await connection.notice()
  }

  // MARK: What the car is and wants

  /// What the car tells about itself, now.
  public var state: HeadUnitState {
    get async { await connection?.session.policy.state ?? profile.state }
  }

  /// Ends every session of an EA protocol once what was written has left; the connection goes on.
  ///
  /// - Returns: how many there were.
  @discardableResult
  public func close(_ protocolName: String) async -> Int {
    await connection?.close(protocolNamed: protocolName) ?? 0
  }

  /// Changes it; a phone that has asked is told.
  public func update(_ body: @escaping @Sendable (inout HeadUnitState) -> Void) async {
    guard let connection else { return body(&profile.state) }
    await connection.act { policy in ((), policy.change(body)) }
  }

  /// Sends a request, such as ``AcceptCall`` or ``SetNowPlayingInformation``.
  public func send<Message: ControlMessage>(_ message: Message) async throws(RoleError) {
    try await perform(Message.info.id) { $0.request(message) }
  }

  /// Presses and releases a button of the media remote.
  public func press(_ button: MediaButton) async throws(HeadUnitPolicy.PressProblem) {
    try await press { (policy) throws(HeadUnitPolicy.PressProblem) in try policy.press(button) }
  }

  /// Presses and releases keys or buttons of one of the car's devices.
  public func press(_ usages: [HIDUsage], on component: UInt16) async throws(HeadUnitPolicy.PressProblem) {
    try await press { (policy) throws(HeadUnitPolicy.PressProblem) in try policy.press(usages, on: component) }
  }

  private func press(
    _ body: @escaping @Sendable (HeadUnitPolicy) throws(HeadUnitPolicy.PressProblem) -> [RoleAction]
  ) async throws(HeadUnitPolicy.PressProblem) {
    guard let connection else { throw .notReady }
    let problem = await connection.act { policy -> (HeadUnitPolicy.PressProblem?, [RoleAction]) in
      do throws(HeadUnitPolicy.PressProblem) { return (nil, try body(policy)) } catch { return (error, []) }
    }
    if let problem { throw problem }
  }

  /// Reports sentences of NMEA 0183, of the kinds the phone asked for.
  ///
  /// - Returns: false when it asked for none of them.
  @discardableResult
  public func report(_ sentences: [String]) async -> Bool {
    await connection?.act { policy in
      let actions = policy.report(sentences)
      return (!actions.isEmpty, actions)
    } ?? false
  }

  private func perform(
    _ id: UInt16, _ body: @escaping @Sendable (HeadUnitPolicy) -> [RoleAction]?
  ) async throws(RoleError) {
    guard let connection else { throw .notReady }
    let isReady = await connection.act { policy -> (Bool?, [RoleAction]) in
      guard policy.isReady else { return (nil, []) }
      guard let actions = body(policy) else { return (false, []) }
      return (true, actions)
    }
    switch isReady {
    case true: return
    case false: throw .notListed(id)
    case nil: throw .notReady
    }
  }

  /// Sends bytes as a message, whatever the lists say: for scenarios that break rules.
  ///
  /// - Returns: false without a connection.
  package func sendRaw(id: UInt16, body: [UInt8]) async -> Bool {
    guard let connection else { return false }
    await connection.act { _ in ((), [.send(ControlHeader.message(id, body: body))]) }
    return true
  }

  /// The maneuvers the phone named as current, as far as they were told.
  public var currentManeuvers: [RouteGuidanceManeuverUpdate] {
    get async { await connection?.session.policy.currentManeuvers ?? [] }
  }

  /// Ends the connection in order.
  public func disconnect() async { await connection?.disconnect() }

  /// Ends the transport without a word, as a pulled cable does.
  public func drop() async { await connection?.drop() }

  /// No more events will come.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}
