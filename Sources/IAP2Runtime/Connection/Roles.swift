// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication

/// What both roles are given beside their profile.
public struct RoleOptions: Sendable {
  public var preferences = LinkPreferences()
  public var limits = Limits()
  /// Not identified and authenticated within this: the connection ends with `timeout`.
  public var identifyTimeout: Duration?
  public var clock: any RuntimeClock = WallClock()

  public init() {}
}

/// What became of one transport connection.
public struct ServeResult: Sendable, Equatable {
  public var wasIdentified: Bool
  /// Of the last connection on the transport.
  public var cause: DisconnectCause?

  /// It got identified and ended orderly, by whichever side.
  public var isOrderly: Bool { wasIdentified && (cause == .requested || cause == .linkReset) }
}

/// The head unit, the accessory's side: it is asked, and answers.
public actor HeadUnit {
  private let profile: HeadUnitProfile
  private let authenticator: any Authenticator
  private let options: RoleOptions
  private var services: [String: @Sendable (ExternalAccessoryStream) async -> Void] = [:]
  private var connection: Connection<HeadUnitPolicy>?

  /// Everything that happens, in order; one reader.
  public nonisolated let events = RoleEvents()

  public init(
    profile: HeadUnitProfile, authenticator: any Authenticator = SoftwareAuthenticator.test,
    options: RoleOptions = RoleOptions()
  ) {
    self.profile = profile
    self.authenticator = authenticator
    self.options = options
  }

  /// Serves an EA protocol of the profile; the session ends when `body` returns.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) {
    services[protocolName] = body
  }

  /// Lives on one transport until it ends.
  public func run(on transport: any ByteTransport) async -> ServeResult {
    let (opened, openings) = AsyncStream.makeStream(of: ExternalAccessoryStream.self)
    let events = events
    let profile = profile
    let connection = Connection(
      endpoint: Endpoint(side: .accessory, preferences: options.preferences, limits: options.limits),
      makePolicy: { HeadUnitPolicy(profile: profile) }, port: .authenticator(authenticator), transport: transport,
      clock: options.clock, emit: { events.emit($0) }, service: { openings.yield($0) })
    self.connection = connection
    let services = services
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await withDiscardingTaskGroup { sessions in
          for await session in opened {
            sessions.addTask {
              await services[session.protocolName]?(session)
              await session.close()
            }
          }
        }
      }
      await connection.run(identifyTimeout: options.identifyTimeout)
      openings.finish()
      await group.waitForAll()
    }
    self.connection = nil
    return ServeResult(wasIdentified: await connection.wasIdentified, cause: await connection.lastCause)
  }

  /// Ends the connection in order.
  public func disconnect() async { await connection?.disconnect() }

  /// No more events will come.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}

/// The phone, the device's side: it asks, judges and opens.
public actor Phone {
  private let profile: PhoneProfile
  private let verifier: AuthenticationVerifier
  private let options: RoleOptions
  private var connection: Connection<PhonePolicy>?

  /// Everything that happens, in order; one reader.
  public nonisolated let events = RoleEvents()

  public init(
    profile: PhoneProfile = PhoneProfile(), verifier: AuthenticationVerifier = .test,
    options: RoleOptions = RoleOptions()
  ) {
    self.profile = profile
    self.verifier = verifier
    self.options = options
  }

  /// Lives on one transport until it ends.
  public func run(on transport: any ByteTransport) async -> ServeResult {
    let events = events
    let profile = profile
    let connection = Connection(
      endpoint: Endpoint(
        side: .device, preferences: options.preferences, limits: options.limits, firstSequence: SequenceNumber(0x64)),
      makePolicy: { PhonePolicy(profile: profile) }, port: .verifier(verifier), transport: transport,
      clock: options.clock, emit: { events.emit($0) }, service: { _ in })
    self.connection = connection
    await connection.run(identifyTimeout: options.identifyTimeout)
    self.connection = nil
    return ServeResult(wasIdentified: await connection.wasIdentified, cause: await connection.lastCause)
  }

  /// Opens an EA session once both sides are ready.
  public func open(_ protocolName: String) async throws(ExternalAccessoryError) -> ExternalAccessoryStream {
    guard let connection else { throw .sessionEnded }
    return try await connection.open(protocolName)
  }

  /// Ends the connection in order.
  public func disconnect() async { await connection?.disconnect() }

  /// No more events will come.
  public nonisolated func finish() { events.finish(at: options.clock.now) }
}
