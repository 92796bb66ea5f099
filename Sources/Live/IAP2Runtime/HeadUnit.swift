// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Authentication
public import IAP2Formats
public import IAP2Roles
public import IAP2Transport

/// A head unit: the accessory's side of the protocol. It answers the phone's requests.
///
/// A head unit serves one transport at a time. It keeps its state from one connection to the next.
public final class HeadUnit: Sendable {
  private let runner: RoleRunner<HeadUnitPolicy>
  private let clock: any RuntimeClock
  /// The longest control message in bytes.
  private let messageByteCount: Int

  /// The events of this role in order, for one reader.
  public let events = RoleEvents()

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
    clock = options.clock
    messageByteCount = options.limits.messageByteCount
    runner = RoleRunner(
      side: .accessory, state: profile.state, port: .authenticator(authenticator), options: options, events: events
    ) { state, _ in
      var next = profile
      next.state = state
      return HeadUnitPolicy(profile: next)
    }
  }

  /// Sets the service of an EA protocol of the profile. It runs once for each session, which ends when `body` returns.
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

  /// Handles a notice of the platform that the phone has disconnected. The disconnect policy decides what it means.
  public func notice() async { await runner.notice() }

  // MARK: State and requests

  /// The present state of the car.
  public var state: HeadUnitState { get async { await runner.state } }

  /// Ends every open session of an EA protocol once the bytes written to it were sent. The connection stays.
  ///
  /// - Returns: The number of sessions; 0 without a connection.
  @discardableResult
  public func close(_ protocolName: String) async -> Int { await runner.close(protocolName) }

  /// Changes the state of the car, and sends the changes that the phone has asked for.
  ///
  /// A change is never lost. Without a connection and during the end of one, it applies to the state from which the
  /// next connection starts. If the queue of control messages is full, the state changes, and the message that cannot
  /// be sent is reported as a violation.
  public func update(_ body: @escaping @Sendable (inout HeadUnitState) -> Void) async { await runner.update(body) }

  /// Queues a request, such as `AcceptCall` or `SetNowPlayingInformation`. It returns before the phone has received
  /// the request. If it throws, nothing was queued.
  ///
  /// - Throws: ``RoleError/notReady``, ``RoleError/notListed(_:)``, ``RoleError/messageTooLong(_:)`` or
  ///   ``RoleError/queueFull(_:)``.
  public func send<Message: ControlMessage>(_ message: Message) async throws(RoleError) {
    let (id, longest) = (Message.id, messageByteCount)
    try await runner.request { (policy) throws(RoleError) in
      guard policy.isReady else { throw .notReady }
      guard let actions = policy.request(message) else { throw .notListed(id) }
      guard case .send(let bytes)? = actions.first, bytes.count <= longest else { throw .messageTooLong(id) }
      return actions
    }
  }

  /// Presses and releases a button of the media remote. If it throws, nothing was queued.
  public func press(_ button: MediaButton) async throws(PressProblem) {
    try await runner.request { (policy) throws(PressProblem) in try policy.press(button) }
  }

  /// Presses and releases keys or buttons of one of the car's devices. If it throws, nothing was queued.
  public func press(_ usages: [HIDUsage], on component: UInt16) async throws(PressProblem) {
    try await runner.request { (policy) throws(PressProblem) in
      try policy.press(usages, on: component)
    }
  }

  /// Reports those NMEA 0183 sentences whose kinds the phone has asked for.
  ///
  /// - Returns: False if nothing was queued: the phone asked for none of the kinds, there is no connection, its end was
  ///   decided, or the queue of control messages is full.
  @discardableResult
  public func report(_ sentences: [String]) async -> Bool { await runner.report { $0.report(sentences) } }

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

  /// The maneuvers that the phone named as current, as far as it has described them; empty without a connection.
  public var currentManeuvers: [RouteGuidanceManeuverUpdate] {
    get async { await runner.read { $0.policy.currentManeuvers } ?? [] }
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
