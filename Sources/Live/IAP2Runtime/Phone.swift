// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport
import Synchronization

/// A phone: the device's side of the protocol. It authenticates and identifies the accessory, and opens EA sessions.
///
/// A phone serves one transport at a time. It keeps its state from one connection to the next.
public final class Phone: Sendable {
  private let runner: RoleRunner<PhonePolicy>
  private let clock: any RuntimeClock

  /// The events of this role in order, for one reader.
  public let events = RoleEvents()

  /// Creates a phone that serves no transport yet.
  ///
  /// - Parameters:
  ///   - profile: The first state of the phone, and the order of authentication and identification.
  ///   - verifier: The verifier of the accessory's certificate and signature.
  ///   - options: The clock, the limits and the policies of connections.
  public init(
    profile: PhoneProfile = PhoneProfile(), verifier: AuthenticationVerifier = .test,
    options: RoleOptions = RoleOptions()
  ) {
    clock = options.clock
    let maximumSessions = options.limits.externalAccessorySessions
    runner = RoleRunner(
      side: .device, state: profile.state, port: .verifier(verifier, makeChallenge: options.makeChallenge),
      options: options, events: events
    ) { state, before in
      var next = profile
      next.state = state
      var policy = PhonePolicy(profile: next)
      policy.maximumSessions = maximumSessions
      policy.previousIdentification = before?.identification
      return policy
    }
  }

  /// Sets the service of an EA protocol: it runs for each session that a running app of `PhoneState.apps` opens. The
  /// session ends when `body` returns.
  ///
  /// A service that is set during ``run(on:)`` applies from the next run on. Sessions of a protocol without a service
  /// are read, and their bytes are ignored.
  public func serve(_ protocolName: String, _ body: @escaping @Sendable (ExternalAccessoryStream) async -> Void) async {
    await runner.serve(protocolName, body)
  }

  /// Serves one transport until it ends and the services of its EA sessions have returned.
  ///
  /// A role serves one transport at a time. A call during another run returns at once with the refusal
  /// ``RoleError/alreadyRunning``. It does not use its transport, which stays open, and the other run continues.
  public func run(on transport: any ByteTransport) async -> ServeResult { await runner.run(on: transport) }

  /// Handles a notice of the platform that the accessory has disconnected. The disconnect policy decides what it means.
  public func notice() async { await runner.notice() }

  // MARK: State and requests

  /// The identification that the accessory sent and this phone accepted, with later updates of it applied.
  ///
  /// It is nil from the start of a connection until the phone accepts the identification. After the end of the
  /// connection it stays readable until the next connection starts.
  public var identification: IdentificationInformation? {
    get async {
      if let known = await runner.read({ $0.knownIdentification }) { return known }
      return await runner.endedIdentification
    }
  }

  /// The present state of the phone.
  public var state: PhoneState { get async { await runner.state } }

  /// Changes the state of the phone, and sends the changes that the accessory has asked for.
  ///
  /// A change is never lost. Without a connection and during the end of one, it applies to the state from which the
  /// next connection starts. The disconnect policy also evaluates the battery after the end of a link. If the queue of
  /// control messages is full, the state changes, and the message that cannot be sent is reported as a violation.
  public func update(_ body: @escaping @Sendable (inout PhoneState) -> Void) async { await runner.update(body) }

  /// Takes the requests of the accessory for apps, the oldest first. There are none unless the apps of the phone decide.
  package func takeRequests() async -> [PhoneRequest] {
    guard await runner.state.hasRequests else { return [] }
    let taken = Mutex<[PhoneRequest]>([])
    await runner.update { state in taken.withLock { $0 = state.takeRequests() } }
    return taken.withLock { $0 }
  }

  /// Queues a report for one of the accessory's devices, such as the lights of a keyboard.
  ///
  /// - Returns: False if nothing was queued: the accessory has not started the device, there is no connection, its end
  ///   was decided, or the queue of control messages is full.
  @discardableResult
  public func output(_ values: [HIDUsage: Int], to component: UInt16) async -> Bool {
    await runner.report { $0.output(values, to: component) }
  }

  /// Sends bytes as a message without a check against the lists; for scenarios that break rules.
  ///
  /// - Returns: False without a connection.
  package func sendRaw(id: UInt16, body: [UInt8]) async -> Bool { await runner.sendRaw(id: id, body: body) }

  /// Offers a file that no message announced; for tests of a peer.
  ///
  /// - Returns: False without a connection.
  package func sendFile(_ bytes: [UInt8], type: UInt16?, id: UInt8) async -> Bool {
    await runner.sendFile(bytes, type: type, id: id)
  }

  /// Opens an EA session and returns its stream when the accessory has accepted it.
  ///
  /// - Throws: ``ExternalAccessoryError/sessionEnded`` without a connection, during its end and after it, at once, also
  ///   while services of the connection still run. The end of the connection ends a call that waits with the same
  ///   error. ``ExternalAccessoryError/notPossible(_:_:)`` if the accessory cannot be asked, and
  ///   ``ExternalAccessoryError/refused(_:)`` if it declines or does not answer within
  ///   `Limits.externalAccessoryOpenMilliseconds`.
  public func open(_ protocolName: String) async throws(ExternalAccessoryError) -> ExternalAccessoryStream {
    guard let connection = await runner.connection else { throw .sessionEnded }
    let opened = await VirtualParty.wait(for: "a session of \(protocolName) to open") {
      do throws(ExternalAccessoryError) {
        return Result<ExternalAccessoryStream, ExternalAccessoryError>.success(try await connection.open(protocolName))
      } catch { return .failure(error) }
    }
    return try opened.get()
  }

  // MARK: The end

  /// Starts the orderly end of the connection. It does nothing without a connection or during an end. ``run(on:)``
  /// returns when the transport has ended.
  public func disconnect() async { await runner.disconnect() }

  package func stop() async { await runner.stop() }

  /// Closes the transport without an orderly end, as a pulled cable does.
  public func drop() async { await runner.drop() }

  /// Ends ``events`` after those that wait. Call it after the last ``run(on:)``.
  public func finish() { events.finish(at: clock.now) }
}

extension Session where Policy == PhonePolicy {
  /// The identification of this connection, or after its end that of the connection that has ended.
  fileprivate var knownIdentification: IdentificationInformation? {
    isConnectionOpen ? policy.identification : policy.lastIdentification
  }
}
