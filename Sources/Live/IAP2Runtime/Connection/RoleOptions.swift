// swift-iap2 · Apache-2.0

public import IAP2
public import IAP2Roles
public import IAP2Transport

/// The options of a role beside its profile.
public struct RoleOptions: Sendable {
  /// The values that the role proposes and accepts in the negotiation of the link.
  public var preferences = LinkPreferences()
  /// The bounds of the link, the queues and the timeouts.
  public var limits = Limits()
  /// The deviations from the protocol that the role emulates.
  package var quirks = EndpointQuirks()
  /// The delays of control messages that the role emulates.
  package var pacing = MessagePacing()
  /// The time in which a connection must be identified and authenticated. Otherwise it ends with the cause `timeout`.
  /// Nil sets no limit.
  public var identifyTimeout: Duration?
  /// The disconnect policy, in its state before the first connection.
  public var lifecycle = Lifecycle()
  /// Returns whether the platform loses its notices of the ends on a transport. It is called once for each transport.
  public var losesNotice: @Sendable () -> Bool = { false }
  /// Asked at the end of each connection whether its disconnect notification is lost, for a user who decides while the
  /// connection lives.
  package var losesEndingNotice: @Sendable () -> Bool = { false }
  /// The clock of all deadlines and events.
  public var clock: any RuntimeClock = WallClock()
  /// The generator of a phone's challenges. It returns as many unpredictable bytes as it is asked for.
  package var makeChallenge: @Sendable (Int) -> [UInt8] = AuthenticationPort.randomBytes
  /// Inspects the endpoint after every step; for simulations.
  package var inspect: (@Sendable (Endpoint) -> Void)?

  /// Creates the default options.
  public init() {}
}

/// The result of serving one transport.
public struct ServeResult: Sendable, Equatable {
  /// Whether the last connection on the transport was identified.
  public var wasIdentified: Bool
  /// The disconnect cause of the last connection on the transport; nil if it did not end, or if the role refused.
  public var cause: DisconnectCause?
  /// The error with which the transport ended, for example because a device was unplugged; nil if it had none.
  public var transportError: TransportError?

  /// The reason for which the role did not use the transport at all; nil if it did.
  public var refusal: RoleError?

  /// Whether the last connection was identified and either side ended it in order.
  public var isOrderly: Bool { wasIdentified && (cause == .requested || cause == .linkReset) }
}

/// The reason for which a role refuses a call. A refused call has no effect.
public enum RoleError: Error, Equatable, Sendable {
  /// There is no connection, it is not authenticated and identified yet, or its end was decided.
  case notReady
  /// The identification does not list this message, so the phone would not accept it.
  case notListed(UInt16)
  /// The message does not fit into `Limits.messageByteCount`.
  case messageTooLong(UInt16)
  /// The messages that wait to be sent, or that `RoleOptions.pacing` holds back, leave no room for this one. No part
  /// of it was queued, so the call can be repeated later.
  case queueFull(QueueLimit)
  /// The role already serves a transport, or services of the last connection still run.
  case alreadyRunning
}

extension RoleOptions {
  /// The endpoint of a role's next connection.
  package func endpoint(of side: Side) -> Endpoint {
    Endpoint(
      side: side, preferences: preferences, limits: limits, quirks: quirks,
      firstSequence: Endpoint.firstSequence(of: side))
  }

  /// The options of a role's next session.
  package func session<Policy: RolePolicy>(
    makePolicy: @escaping @Sendable (Policy?) -> Policy
  ) -> SessionOptions<Policy> {
    var session = SessionOptions(makePolicy: makePolicy)
    session.pacing = pacing
    session.identifyTimeout = identifyTimeout
    session.losesNotice = losesNotice()
    session.losesEndingNotice = losesEndingNotice
    return session
  }
}
