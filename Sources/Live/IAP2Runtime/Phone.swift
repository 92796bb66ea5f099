// swift-iap2 · Apache-2.0

import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport

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
    let sessions = ServedSessions(clock: options.clock, limits: options.limits)
    let events = events
    let profile = profile
    let connection = Connection<PhonePolicy>(
      endpoint: options.endpoint(of: .device),
      options: options.session { before in
        var next = profile
        if let before { next.state = before.state }
        return PhonePolicy(profile: next)
      }, port: .verifier(verifier, makeChallenge: options.makeChallenge), lifecycle: lifecycle, transport: transport,
      clock: options.clock, inspect: options.inspect, emit: { events.emit($0) }, service: { sessions.add($0) })
    self.connection = connection
    let late = await sessions.serve(services) { await connection.run() }
    for session in late { events.emitStopped(session, at: options.clock.now) }
    self.connection = nil
    let session = await connection.session
    self.profile.state = session.policy.state
    lifecycle = session.lifecycle
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
    get async { await connection?.session.policy.state ?? profile.state }
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
