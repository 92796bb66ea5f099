// swift-iap2 · Apache-2.0

public import IAP2
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
    session.losesNotice = losesNotice
    return session
  }
}
