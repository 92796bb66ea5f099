// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport

/// What both roles are given beside their profile.
public struct RoleOptions: Sendable {
  public var preferences = LinkPreferences()
  public var limits = Limits()
  public var quirks = EndpointQuirks()
  public var pacing = MessagePacing()
  /// Not identified and authenticated within this: the connection ends with `timeout`.
  public var identifyTimeout: Duration?
  /// What is believed of a connection's end, as it is before there was one.
  public var lifecycle = Lifecycle()
  /// Asked at each end of a link: whether the platform's notice of it gets lost.
  public var losesNotice: @Sendable () -> Bool = { false }
  public var clock: any RuntimeClock = WallClock()
  /// Where a phone's challenges come from: so many bytes that nobody can foresee.
  package var makeChallenge: @Sendable (Int) -> [UInt8] = AuthenticationPort.randomBytes
  /// Looks at the endpoint after every step; for simulations.
  package var inspect: (@Sendable (Endpoint) -> Void)?

  public init() {}
}

/// What became of one transport connection.
public struct ServeResult: Sendable, Equatable {
  public var wasIdentified: Bool
  /// Of the last connection on the transport.
  public var cause: DisconnectCause?
  /// What the medium said when it ended by itself, as a device that was unplugged.
  public var transportError: TransportError?

  /// It got identified and ended orderly, by whichever side.
  public var isOrderly: Bool { wasIdentified && (cause == .requested || cause == .linkReset) }
}

/// Why a role cannot do what it is asked.
public enum RoleError: Error, Equatable, Sendable {
  /// There is no connection, or it is not authenticated and identified yet.
  case notReady
  /// The identification does not list this message, so the phone would not take it.
  case notListed(UInt16)
}

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
    let sessions = ServedSessions()
    let events = events
    let profile = profile
    let connection = Connection<HeadUnitPolicy>(
      endpoint: Endpoint(
        side: .accessory, preferences: options.preferences, limits: options.limits, quirks: options.quirks),
      makePolicy: { before in
        var next = profile
        if let before { next.state = before.state }
        return HeadUnitPolicy(profile: next)
      }, port: .authenticator(authenticator), pacing: options.pacing, lifecycle: lifecycle,
      losesNotice: options.losesNotice, transport: transport, clock: options.clock, inspect: options.inspect,
      emit: { events.emit($0) }, service: { sessions.add($0) })
    self.connection = connection
    await sessions.serve(services) { [options] in
      await connection.run(identifyTimeout: options.identifyTimeout)
    }
    self.connection = nil
    self.profile.state = await connection.policy.state
    lifecycle = await connection.lifecycle
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
    get async { await connection?.policy.state ?? profile.state }
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
    get async { await connection?.policy.currentManeuvers ?? [] }
  }

  /// Ends the connection in order.
  public func disconnect() async { await connection?.disconnect() }

  /// Ends the transport without a word, as a pulled cable does.
  public func drop() async { await connection?.drop() }

  /// No more events will come.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}

/// The phone, the device's side: it asks, judges and opens.
public actor Phone {
  private var profile: PhoneProfile
  private let verifier: AuthenticationVerifier
  private let options: RoleOptions
  private var services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:]
  private var connection: Connection<PhonePolicy>?
  private var lifecycle: Lifecycle

  /// Everything that happens, in order; one reader.
  public nonisolated let events = RoleEvents()

  public init(
    profile: PhoneProfile = PhoneProfile(), verifier: AuthenticationVerifier = .test,
    options: RoleOptions = RoleOptions()
  ) {
    self.profile = profile
    self.verifier = verifier
    self.options = options
    lifecycle = options.lifecycle
  }

  /// Lives on one transport until it ends.
  public func run(on transport: any ByteTransport) async -> ServeResult {
    let sessions = ServedSessions()
    let events = events
    let profile = profile
    let connection = Connection<PhonePolicy>(
      endpoint: Endpoint(
        side: .device, preferences: options.preferences, limits: options.limits, quirks: options.quirks,
        firstSequence: Endpoint.firstSequence(of: .device)),
      makePolicy: { before in
        var next = profile
        if let before { next.state = before.state }
        return PhonePolicy(profile: next)
      }, port: .verifier(verifier, makeChallenge: options.makeChallenge), pacing: options.pacing, lifecycle: lifecycle,
      losesNotice: options.losesNotice,
      transport: transport, clock: options.clock, inspect: options.inspect,
      emit: { events.emit($0) },
      service: { sessions.add($0) })
    self.connection = connection
    await sessions.serve(services) { [options] in
      await connection.run(identifyTimeout: options.identifyTimeout)
    }
    self.connection = nil
    self.profile.state = await connection.policy.state
    lifecycle = await connection.lifecycle
    return await connection.result
  }

  /// The platform says that the accessory is gone, rightly or not.
  public func notice() async {
    guard let connection else { return events.tell(lifecycle.notified(at: options.clock.now), at: options.clock.now) }
    await connection.notice()
  }

  /// What apps do with the sessions of a protocol that they open by themselves when they run; without it they read and
  /// forget.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) {
    services[protocolName] = body
  }

  // MARK: What the phone is

  /// Everything the phone can tell, now.
  public var state: PhoneState {
    get async { await connection?.policy.state ?? profile.state }
  }

  /// Changes it; an accessory that has asked is told. A car that is still believed in is judged by the battery also
  /// when its link has ended.
  public func update(_ body: @escaping @Sendable (inout PhoneState) -> Void) async {
    guard let connection else {
      let before = profile.state.power
      body(&profile.state)
      let now = options.clock.now
      return events.tell(lifecycle.saw(profile.state.power, after: before, at: now), at: now)
    }
    await connection.act { policy in ((), policy.change(body)) }
  }

  /// Sends a report to one of the accessory's devices, such as a keyboard's lights.
  ///
  /// - Returns: false for a device that was not started.
  @discardableResult
  public func output(_ values: [HIDUsage: Int], to component: UInt16) async -> Bool {
    await connection?.act { policy in
      let actions = policy.output(values, to: component)
      return (!actions.isEmpty, actions)
    } ?? false
  }

  /// Sends bytes as a message, whatever the lists say: for scenarios that break rules.
  ///
  /// - Returns: false without a connection.
  package func sendRaw(id: UInt16, body: [UInt8]) async -> Bool {
    guard let connection else { return false }
    await connection.act { _ in ((), [.send(ControlHeader.message(id, body: body))]) }
    return true
  }

  /// Opens an EA session once both sides are ready.
  public func open(_ protocolName: String) async throws(ExternalAccessoryError) -> ExternalAccessoryStream {
    guard let connection else { throw .sessionEnded }
    return try await connection.open(protocolName)
  }

  /// Ends the connection in order.
  public func disconnect() async { await connection?.disconnect() }

  /// Ends the transport without a word, as a pulled cable does.
  public func drop() async { await connection?.drop() }

  /// No more events will come.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}

/// Runs a body for each session that is opened while a connection lives.
private struct ServedSessions {
  private let opened: AsyncStream<ExternalAccessoryStream>
  private let openings: AsyncStream<ExternalAccessoryStream>.Continuation

  init() { (opened, openings) = AsyncStream.makeStream() }

  func add(_ session: ExternalAccessoryStream) { openings.yield(session) }

  func serve(
    _ services: [String: @Sendable (ExternalAccessoryStream) async -> Void],
    _ life: @escaping @Sendable () async -> Void
  ) async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await withDiscardingTaskGroup { bodies in
          for await session in opened {
            bodies.addTask {
              if let body = services[session.protocolName] {
                await body(session)
              } else {
                while await session.read() != nil {}
              }
              await session.close()
            }
          }
        }
      }
      await life()
      openings.finish()
      await group.waitForAll()
    }
  }
}
